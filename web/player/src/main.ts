import './player.css';
import 'media-chrome';
import 'media-chrome/menu';
import 'hls-video-element';
import { startPlayer } from './player.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-player]')) void startPlayer(element);
