import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { withdrawMail } from '../mail/index.ts';
import { refuseAccepted } from './invite.ts';
import { lockInvitation, storeInvitation } from './store.ts';

/** Idempotent. @throws 404; 409 `invitation-accepted` */
export async function withdrawInvitation(
  dependencies: Dependencies,
  actor: Actor,
  customerId: Uuid,
  id: Uuid,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const { tx, now, emit } = change;
    const before = await lockInvitation(tx, customerId, id);
    refuseAccepted(before);
    if (before.status === 'withdrawn') return;
    if (before.mail_id !== null) await withdrawMail(change, before.mail_id);
    const after = await storeInvitation(tx, id, { status: 'withdrawn', token_hash: null, updated_at: now });
    await emit(rowEvent('invitation.withdrawn', { customerId, before, after }));
  });
}
