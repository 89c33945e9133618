import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { emitStreamEvent } from './emit-stream-event.ts';
import { storeOrder } from './orders/order-store.ts';
import { requirePrintedStream, requireStream } from './require-stream.ts';
import { findCurrentSession } from './sessions/session-store.ts';
import type { PrintedStreamRow } from './store.ts';

/** Changes nothing if the room is not live. @throws 404; 409 `not-a-live-room` */
export async function endStream(dependencies: Dependencies, actor: Actor, roomId: Uuid): Promise<PrintedStreamRow> {
  const { room } = await requireStream(dependencies, roomId);
  return await inTransaction(dependencies, actor, async (change) => {
    const before = await requirePrintedStream(change.tx, roomId);
    if (!(await findCurrentSession(change.tx, roomId))) return before;
    const { service_provider_id: providerId } = before;
    await storeOrder(change, { providerId, roomId, kind: 'end', reason: 'ended-by-request' });
    // Sent after the end. The media server then fetches the source again.
    if (before.source_url !== null) await storeOrder(change, { providerId, roomId, kind: 'set' });
    return await emitStreamEvent(change, room, { name: 'stream.end_requested', before });
  });
}
