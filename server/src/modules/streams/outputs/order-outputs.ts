import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { order } from '../orders/order-store.ts';
import { findCurrentSession } from '../sessions/session-store.ts';

/** A running stream takes over the outputs; a later one is told of them when it begins. */
export async function orderOutputs(change: Change, roomId: Uuid): Promise<void> {
  const session = await findCurrentSession(change.tx, roomId);
  if (session) await order(change, { providerId: session.service_provider_id, roomId, kind: 'set' });
}
