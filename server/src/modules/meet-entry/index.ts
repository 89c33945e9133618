import { defineModule } from '../../module.ts';
import { registerRoomPages } from './pages/pages.ts';
import { meetEntryRoutes } from './routes.ts';

export { readWatchLink, type WatchLink } from './watch-link.ts';
export { isCrossSite } from './pages/response.ts';
export { signedInUser } from './pages/sign-in.ts';
export { chromeFor, uploadsAddress } from './pages/visit.ts';

export const meetEntry = defineModule({
  name: 'meet-entry',
  routes: meetEntryRoutes,
  pages: registerRoomPages,
});
