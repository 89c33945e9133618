import { change, type ChangeServices } from '../../events/change.ts';
import type { Actor } from '../../platform/http/call.ts';
import { present } from '../../platform/immutable.ts';
import type { Settings } from '../../platform/settings.ts';
import { lockSettings, writeSettings } from './store.ts';

/** All settings are one resource in events and audit. */
const settingsId = '00000000-0000-7000-8000-000000000001';

export async function updateSettings(
  services: ChangeServices,
  actor: Actor,
  input: Partial<Settings>,
): Promise<Settings> {
  return await change(services, actor, async ({ tx, now, emit, announce }) => {
    const before = await lockSettings(tx);
    const changes = present(input);
    await writeSettings(tx, changes, now);
    const after = { ...before, ...changes };
    announce('settings');
    await emit({
      name: 'settings.updated',
      resource: { type: 'Settings', id: settingsId },
      before,
      after,
    });
    return after;
  });
}
