import { inTransaction, type ChangeServices } from '../../events/change.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import { forbidden } from '../../platform/failures.ts';
import { withoutUndefined } from '../../platform/immutable.ts';
import type { Settings } from '../../platform/settings.ts';
import { lockSettings, writeSettings } from './store.ts';

/** In events and audit entries, all settings together are one resource with this id. */
const settingsId = '00000000-0000-7000-8000-000000000001';

/**
 * Settings that affect sign-in, sessions, mailed links, and connections of the server. Changing one could be used to
 * take over accounts or to reach the internal network.
 */
const securitySettings: readonly (keyof Settings)[] = [
  'public_url',
  'require_two_factor',
  'access_token_seconds',
  'refresh_token_seconds',
  'authorization_code_seconds',
  'personal_token_days',
  'requests_per_minute',
  'anonymous_requests_per_minute',
  'logins_per_minute',
  'webhooks_allow_private_addresses',
  'media_allow_private_addresses',
];

export type SettingsInput = Partial<Omit<Settings, 'notifications'>> & {
  readonly notifications?: Partial<Settings['notifications']>;
};

/** @throws 403 `privilege-escalation` for settings that require full access */
export async function updateSettings(
  services: ChangeServices,
  actor: Actor,
  principal: Principal | null,
  { notifications, ...input }: SettingsInput,
): Promise<Settings> {
  return await inTransaction(services, actor, async ({ tx, now, emit, invalidate, react }) => {
    const before = await lockSettings(tx);
    const changes: Partial<Settings> = {
      ...withoutUndefined(input),
      ...(notifications && { notifications: { ...before.notifications, ...notifications } }),
    };
    refuseSecurityChanges(principal, before, changes);
    await writeSettings(tx, changes, now);
    const after = { ...before, ...changes };
    invalidate('settings');
    await react('settings.updated', { before, after });
    await emit({
      name: 'settings.updated',
      resource: { type: 'Settings', id: settingsId },
      before,
      after,
    });
    return after;
  });
}

function refuseSecurityChanges(principal: Principal | null, before: Settings, changes: Partial<Settings>): void {
  if (principal?.isFullAdmin && principal.scopes.includes('*')) return;
  const changed = securitySettings.filter((name) => name in changes && changes[name] !== before[name]);
  if (changed.length === 0) return;
  throw forbidden('privilege-escalation', `Only administrators with full access can change ${changed.join(', ')}.`);
}
