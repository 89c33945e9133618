import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { findAndLockAdmin, storeAdmin } from '../../admins/index.ts';
import { findAndLockUser, storeUser } from '../../users/index.ts';
import type { Unsubscription } from './unsubscribe-link.ts';

/** Switches this kind of mail off. Idempotent; does nothing if the account was deleted. */
export async function unsubscribe(
  dependencies: Dependencies,
  actor: Actor,
  { kind, population, id }: Unsubscription,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    if (population === 'users') await switchOffForUser(change, id, kind);
    else if (population === 'admins') await switchOffForAdmin(change, id, kind);
    else await addUnsubscribedAddress(change, id, kind);
  });
}

async function switchOffForUser({ tx, now, emit }: Change, id: string, kind: string): Promise<void> {
  const before = await findAndLockUser(tx, id);
  const settings = before && withMailsSwitchedOff(before.user_settings, kind);
  if (!settings) return;
  const after = await storeUser(tx, id, { user_settings: JSON.stringify(settings), updated_at: now });
  await emit(rowEvent('user.updated', { before, after }));
}

async function switchOffForAdmin({ tx, now, emit }: Change, id: string, kind: string): Promise<void> {
  const before = await findAndLockAdmin(tx, id);
  const settings = before && withMailsSwitchedOff(before.admin_settings, kind);
  if (!settings) return;
  const after = await storeAdmin(tx, id, { admin_settings: JSON.stringify(settings), updated_at: now });
  await emit(rowEvent('admin.updated', { before, after }));
}

/** The settings with this kind of mail switched off; null if it is off already. */
function withMailsSwitchedOff(
  settings: Readonly<Record<string, unknown>>,
  kind: string,
): Record<string, unknown> | null {
  const stored = settings['notifications'];
  const notifications = typeof stored === 'object' && stored !== null ? (stored as Record<string, unknown>) : {};
  return notifications[kind] === false ? null : { ...settings, notifications: { ...notifications, [kind]: false } };
}

async function addUnsubscribedAddress({ tx, now }: Change, hash: string, kind: string): Promise<void> {
  if (kind !== 'room_invitation') return;
  await tx
    .insertInto('unsubscribed_addresses')
    .values({ address_hash: Buffer.from(hash, 'base64url'), kind, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
