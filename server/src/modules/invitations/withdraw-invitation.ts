import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, type Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { withdrawMail } from '../mail/index.ts';
import { refuseAccepted } from './invite.ts';
import { lockInvitation, storeInvitation, removeInvitationsOf } from './store.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** Idempotent. @throws 404; 409 `invitation-accepted` */
export async function withdrawInvitation(
  dependencies: Dependencies,
  { actor, params: { customer_id: customerId, invitation_id: id } }: CallOf<'deleteInvitation'>,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const before = await lockInvitation(tx, customerId, id);
    refuseAccepted(before);
    if (before.status === 'withdrawn') return;
    if (before.mail_id !== null) await withdrawMail(change, before.mail_id);
    const after = await storeInvitation(tx, id, { status: 'withdrawn', token_hash: null, updated_at: now });
    await emit(rowEvent('invitation.withdrawn', { before, after }));
  });
}

/** Invitations are deleted with their customer, account or room. */
export async function deleteInvitationsOf(
  change: Change,
  column: 'customer_id' | 'account_id' | 'room_id',
  id: Uuid,
): Promise<void> {
  const rows = await removeInvitationsOf(change.tx, column, id);
  for (const { status, mail_id: mailId } of rows)
    if (status === 'pending' && mailId !== null) await withdrawMail(change, mailId);
  await change.emitAll(rows.map((row) => rowEvent('invitation.deleted', { before: { ...row, url: null } })));
}
