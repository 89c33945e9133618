import { defineModule } from '../../module.ts';
import { registerRoomPages } from './pages/pages.ts';
import { meetEntryRoutes } from './routes.ts';

export { readWatchLink, type WatchLink } from './watch-link.ts';
export { chromeFor } from './pages/visit.ts';

export const meetEntry = defineModule({
  name: 'meet-entry',
  routes: meetEntryRoutes,
  pages: registerRoomPages,
});
