import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { conflict, notFound } from '../../platform/failures.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { lockRoomForKeyShare, requireRoom, type RoomRow } from '../rooms/index.ts';
import { mediaProvider, providersFor } from '../service-providers/index.ts';
import {
  findStream,
  insertStream,
  isIngestKnown,
  type PrintedStreamRow,
  readPrintedStream,
  storeIngest,
  storeServer,
  type StreamRow,
} from './store.ts';
import { storeOrder } from './orders/order-store.ts';
import { createStreamKey, keyAssociatedData } from './stream-key.ts';

/** How long the address for encoders of a media server is cached. */
const ingestSeconds = 300;

/** The room with its stream, which is created if there is none. @throws 404; 409 `not-a-live-room` */
export async function requireStream(
  dependencies: Dependencies,
  roomId: Uuid,
): Promise<{ room: RoomRow; stream: StreamRow }> {
  const { db, secretBox } = dependencies;
  const room = await requireRoom(db, roomId);
  if (room.room_type !== 'live' && room.room_type !== 'simulcast')
    throw conflict(
      'not-a-live-room',
      `Only live and simulcast rooms have a stream. This room has the type ${room.room_type}.`,
    );
  const existing = await findStream(db, roomId);
  if (existing) return { room, stream: existing };
  const id = newUuid();
  const sealed = await secretBox.seal(createStreamKey(roomId), keyAssociatedData(id));
  await inTransaction(dependencies, system, async ({ tx, now, emit }) => {
    await lockRoomForKeyShare(tx, roomId);
    const after = await insertStream(tx, { id, room_id: roomId, key_sealed: sealed, created_at: now, updated_at: now });
    if (after) await emit(rowEvent('stream.created', { customerId: room.customer_id, after }));
  });
  const stream = await findStream(db, roomId);
  if (!stream) throw notFound('The room was not found.');
  return { room, stream };
}

/** The stream with the address for encoders, which is read from the media server if it was not read recently. */
export async function readStream(dependencies: Dependencies, roomId: Uuid): Promise<PrintedStreamRow> {
  const { room, stream } = await requireStream(dependencies, roomId);
  await assignMediaServer(dependencies, room, stream);
  return await requirePrintedStream(dependencies.db, roomId);
}

/** @throws 404 */
export async function requirePrintedStream(db: Parameters<typeof readPrintedStream>[0], roomId: Uuid) {
  const row = await readPrintedStream(db, roomId);
  if (!row) throw notFound('The stream was not found.');
  return row;
}

/**
 * Assigns a media server. The assigned server only changes if it cannot be used, because encoders are set up once.
 */
export async function assignMediaServer(dependencies: Dependencies, room: RoomRow, stream: StreamRow): Promise<void> {
  const { db, clock, logger } = dependencies;
  const usable = (await providersFor(db, room.subscription_id, clock.now())).filter(
    ({ obstacle }) => obstacle === null,
  );
  const server = usable.find(({ id }) => id === stream.service_provider_id) ?? usable[0];
  if (!server) return;
  if (server.id !== stream.service_provider_id) {
    // The media server must know the stream before an encoder connects.
    await inTransaction(dependencies, system, async (change) => {
      await storeServer(change.tx, stream.id, server.id);
      await storeOrder(change, { providerId: server.id, roomId: room.id, kind: 'set' });
    });
  }
  if (await isIngestKnown(db, server.id, clock.after(-ingestSeconds))) return;
  try {
    const ingest = await (await mediaProvider(dependencies, server)).streams.ingest();
    await storeIngest(db, server.id, ingest, clock.now());
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.warn({ provider: server.id, kind: error.kind }, 'provider did not return its address for encoders');
  }
}
