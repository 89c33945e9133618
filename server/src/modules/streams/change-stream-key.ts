import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { lockRoomForKeyShare } from '../rooms/index.ts';
import { emitStreamEvent } from './emit-stream-event.ts';
import { storeOrder } from './orders/order-store.ts';
import { assignMediaServer, requirePrintedStream, requireStream } from './require-stream.ts';
import { findCurrentSession } from './sessions/session-store.ts';
import { lockStream, type PrintedStreamRow, storeStream } from './store.ts';
import { createStreamKey, keyAssociatedData } from './stream-key.ts';

/** @throws 404; 409 `not-a-live-room` */
export async function revealStreamKey(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
): Promise<PrintedStreamRow> {
  const { room, stream } = await requireStream(dependencies, roomId);
  await assignMediaServer(dependencies, room, stream);
  return await inTransaction(dependencies, actor, async (change) => {
    const before = await requirePrintedStream(change.tx, roomId);
    await emitStreamEvent(change, room, { name: 'stream.key_revealed', before });
    return { ...before, key: await dependencies.secretBox.open(before.key_sealed, keyAssociatedData(before.id)) };
  });
}

/** An encoder with the old key is disconnected. @throws 404; 409 `not-a-live-room` */
export async function rotateStreamKey(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
): Promise<PrintedStreamRow> {
  const { room, stream } = await requireStream(dependencies, roomId);
  await assignMediaServer(dependencies, room, stream);
  const key = createStreamKey(roomId);
  const sealed = await dependencies.secretBox.seal(key, keyAssociatedData(stream.id));
  return await inTransaction(dependencies, actor, async (change) => {
    const { tx, now } = change;
    await lockRoomForKeyShare(tx, roomId);
    const row = await lockStream(tx, roomId);
    const before = await requirePrintedStream(tx, roomId);
    await storeStream(tx, stream.id, { key_sealed: sealed, updated_at: now });
    const hasEncoder = row?.source_url === null && (await findCurrentSession(tx, roomId)) !== undefined;
    if (hasEncoder)
      await storeOrder(change, { providerId: row.service_provider_id, roomId, kind: 'end', reason: 'key-rotated' });
    const after = await emitStreamEvent(change, room, {
      name: 'stream.key_rotated',
      before,
      details: { secrets_changed: ['stream_key'] },
    });
    return { ...after, key };
  });
}
