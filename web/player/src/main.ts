import './player.css';
import 'media-chrome';
import 'media-chrome/menu';
import 'media-chrome/lang/de';
import 'media-chrome/lang/es';
import 'media-chrome/lang/fr';
import 'media-chrome/lang/pt';
import 'hls-video-element';
import { startPlayer } from './player.ts';

for (const element of document.querySelectorAll<HTMLElement>('[data-player]')) void startPlayer(element);
