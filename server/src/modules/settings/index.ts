import { defineModule } from '../../module.ts';
import { settingRoutes } from './routes.ts';

export { cacheSettings, type SettingsCache } from './settings-in-memory.ts';

export const settings = defineModule({
  name: 'settings',
  routes: settingRoutes,
});
