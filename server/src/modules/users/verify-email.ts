import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockUser, storeUser, type UserRow } from './store.ts';

/** Marks the email as verified, after a mailed link was used. @throws 404 */
export async function verifyEmail({ tx, now, emit }: Change, id: Uuid): Promise<UserRow> {
  const before = await lockUser(tx, id);
  if (before.email_verified_at !== null) return before;
  const after = (await storeUser(tx, id, { email_verified_at: now, vouched: true, updated_at: now })) ?? before;
  await emit(rowEvent('user.updated', { before, after }));
  return after;
}
