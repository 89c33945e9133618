import { defineModule } from '../../module.ts';
import { registerBroadcastPages } from './broadcast.ts';
import { enforcePlayback } from './enforce-playback.ts';
import { registerMediaCallbacks } from './media-callbacks.ts';
import { registerWatchPages } from './pages.ts';
import { registerUploadPages } from './uploads.ts';

export const playback = defineModule({
  name: 'playback',
  pages(server, dependencies) {
    registerWatchPages(server, dependencies);
    registerBroadcastPages(server, dependencies);
    registerUploadPages(server, dependencies);
    registerMediaCallbacks(server, dependencies);
  },
  background: enforcePlayback,
});
