import './upload.css';
import { startUploadPage } from './upload-page.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-uploads]')) startUploadPage(element);
