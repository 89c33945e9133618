import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { storeOrder } from '../orders/order-store.ts';
import { findCurrentSession } from '../sessions/session-store.ts';

/** Orders the media server to change the outputs of a running broadcast. Later broadcasts get them when they start. */
export async function updateRunningOutputs(change: Change, roomId: Uuid): Promise<void> {
  const session = await findCurrentSession(change.tx, roomId);
  if (session) await storeOrder(change, { providerId: session.service_provider_id, roomId, kind: 'set' });
}
