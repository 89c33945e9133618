import { settingEndpoints as endpoints } from '@foyer/contract/resources/platform/setting.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, value } from '../../platform/http/input/call.ts';
import { readSettings } from './store.ts';
import { type SettingsInput, updateSettings } from './update-settings.ts';

export function settingRoutes(dependencies: Dependencies): Route[] {
  return [
    route(endpoints.readSettings, async () => value({ object: 'Settings', ...(await readSettings(dependencies.db)) })),
    route(endpoints.updateSettings, async ({ actor, principal, body }) =>
      value({
        object: 'Settings',
        ...(await updateSettings(dependencies, actor, principal, body as SettingsInput)),
      }),
    ),
  ];
}
