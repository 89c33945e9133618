import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { withoutUndefined } from '../../platform/immutable.ts';
import { lockRoomForKeyShare } from '../rooms/index.ts';
import { emitStreamEvent } from './emit-stream-event.ts';
import { findAddressFault, maskAddress, sourceProtocols } from './media-address.ts';
import { storeOrder } from './orders/order-store.ts';
import { requirePrintedStream, requireStream } from './require-stream.ts';
import { lockStream, type PrintedStreamRow, storeStream, type StreamRow } from './store.ts';
import { sourceAssociatedData } from './stream-key.ts';

type UpdateCall = CallOf<'updateStream'>;

/** @throws 404; 409 `not-a-live-room`; 422 naming `source.url` */
export async function updateStream(
  dependencies: Dependencies,
  { actor, params: { room_id: roomId }, body: { source, ...input } }: UpdateCall,
): Promise<PrintedStreamRow> {
  const { room, stream } = await requireStream(dependencies, roomId);
  const sourceColumns = await readSourceChange(dependencies, stream, source);
  return await inTransaction(dependencies, actor, async (change) => {
    await lockRoomForKeyShare(change.tx, roomId);
    await lockStream(change.tx, roomId);
    const before = await requirePrintedStream(change.tx, roomId);
    await storeStream(change.tx, stream.id, { ...withoutUndefined(input), ...sourceColumns, updated_at: change.now });
    if (sourceColumns) await orderSourceChange(change, before);
    return await emitStreamEvent(change, room, {
      name: 'stream.updated',
      before,
      details: sourceColumns ? { secrets_changed: ['source'] } : {},
    });
  });
}

const noError = { source_error: null, source_error_code: null } as const;

/** The columns of a new source; null if the source does not change, also if the masked value is written back. */
async function readSourceChange(
  { secretBox, settings }: Dependencies,
  { id, source_url: stored }: StreamRow,
  source: UpdateCall['body']['source'],
) {
  if (source === undefined) return null;
  if (source === null) return stored === null ? null : { source_url: null, source_url_sealed: null, ...noError };
  if (source.url === stored) return null;
  const fault = await findAddressFault(source.url, {
    protocols: sourceProtocols,
    allowsCredentials: true,
    isPrivateAllowed: settings().media_allow_private_addresses,
  });
  if (fault !== null) throw invalidInput({ 'source.url': [fault] });
  const sealed = await secretBox.seal(source.url, sourceAssociatedData(id));
  return { source_url: maskAddress(source.url), source_url_sealed: sealed, ...noError };
}

async function orderSourceChange(change: Change, before: PrintedStreamRow): Promise<void> {
  await storeOrder(change, { providerId: before.service_provider_id, roomId: before.room_id, kind: 'set' });
}
