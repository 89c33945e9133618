import { defineModule } from '../../module.ts';
import { registerRoomPages } from './pages.ts';
import { roomEntryRoutes } from './routes.ts';

export { examineTexts } from './page-texts.ts';

export const roomEntry = defineModule({
  name: 'room-entry',
  routes: roomEntryRoutes,
  pages: registerRoomPages,
});
