import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { ReactionSubjects } from '../../events/reaction-subjects.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withdrawMail } from '../mail/index.ts';
import { removeInvitationsOf } from './store.ts';

/** Invitations are deleted with what they invite to. */
export const deleteInvitationsOfResource = {
  'customer.deleting': (change: Change, { customerId }: ReactionSubjects['customer.deleting']) =>
    deleteInvitationsOf(change, 'customer_id', customerId),
  'account.deleting': (change: Change, { accountId }: ReactionSubjects['account.deleting']) =>
    deleteInvitationsOf(change, 'account_id', accountId),
  'room.deleting': (change: Change, { roomId }: ReactionSubjects['room.deleting']) =>
    deleteInvitationsOf(change, 'room_id', roomId),
};

async function deleteInvitationsOf(
  change: Change,
  column: 'customer_id' | 'account_id' | 'room_id',
  id: Uuid,
): Promise<void> {
  const rows = await removeInvitationsOf(change.tx, column, id);
  for (const { status, mail_id: mailId } of rows)
    if (status === 'pending' && mailId !== null) await withdrawMail(change, mailId);
  await change.emitAll(rows.map((row) => rowEvent('invitation.deleted', { before: { ...row, url: null } })));
}
