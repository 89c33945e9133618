import './broadcast.css';
import { startBroadcastPage } from './broadcast-page.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-broadcast]')) startBroadcastPage(element);
