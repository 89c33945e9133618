import { defineModule } from '../../module.ts';
import { settingRoutes } from './routes.ts';

export { keepSettings, type SettingsInMemory } from './settings-in-memory.ts';

export const settings = defineModule({
  name: 'settings',
  routes: settingRoutes,
});
