export { checkProviders } from './check-providers.ts';
