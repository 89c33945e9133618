export { examineTexts } from './page-texts.ts';
