import type { adminEndpoints } from '@foyer/contract/resources/admin.ts';
import type { BodyOf } from '@foyer/contract/conventions/endpoint.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { invalidInput, conflict } from '../../platform/failures.ts';
import type { Actor, Principal } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withoutUndefined, refuseChanged } from '../../platform/immutable.ts';
import { hashPassword } from '../../platform/crypto/password.ts';
import { newPasswordFaults } from './create-admin.ts';
import { refuseLastFullAdmin } from './full-admins.ts';
import { type AdminRow, lockAdmin, storeAdmin } from './store.ts';
import { refuseStrongerAdmin } from './stronger-admin.ts';

type Input = BodyOf<(typeof adminEndpoints)['updateAdmin']>;

/**
 * A new password, and the status `inactive`, end every session, except the caller's own.
 * @throws 403 when either is asked for somebody who holds more than the caller; 409 when the last full administrator,
 * or the caller, would be switched off; 422 for a weak password or an immutable member.
 */
export async function updateAdmin(
  dependencies: Dependencies,
  actor: Actor,
  principal: Principal,
  id: Uuid,
  { password, ...input }: Input,
  immutable: Readonly<Record<string, unknown>>,
): Promise<AdminRow> {
  const faults = await newPasswordFaults(password);
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const passwordHash = password === undefined ? undefined : await hashPassword(password);
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now } = change;
    const row = await lockAdmin(tx, id);
    refuseChanged(immutable, { ...row });
    const isSwitched = input.status !== undefined && input.status !== row.status;
    if (passwordHash !== undefined || isSwitched) await refuseStrongerAdmin(tx, principal, id);
    if (isSwitched && input.status === 'inactive') await refuseSwitchingOff(change, principal, id);
    const updated = await storeAdmin(tx, id, {
      ...columnsOf(input),
      ...(passwordHash === undefined ? {} : { password_hash: passwordHash }),
      updated_at: now,
    });
    if (passwordHash !== undefined || isSwitched) {
      const keptFamilyId = principal.id === id ? principal.familyId : null;
      await change.react('admin.sessions-ending', { adminId: id, keptFamilyId });
    }
    // What is remembered of a principal: name, locale, time zone, and that it is active.
    change.invalidate('access');
    await change.emit({ name: 'admin.updated', resource: { type: 'Admin', id }, before: row, after: updated });
    return updated;
  });
}

async function refuseSwitchingOff({ tx }: Change, principal: Principal, id: Uuid): Promise<void> {
  await refuseLastFullAdmin(tx, id);
  if (principal.id === id) throw conflict('own-account', 'Administrators do not switch themselves off.');
}

function columnsOf({ admin_settings: settings, admin_metadata: metadata, ...plain }: Omit<Input, 'password'>) {
  return {
    ...withoutUndefined(plain),
    ...(settings === undefined ? {} : { admin_settings: JSON.stringify(settings ?? {}) }),
    ...(metadata === undefined ? {} : { admin_metadata: JSON.stringify(metadata ?? {}) }),
  };
}
