import type { Dependencies } from '../../../dependencies.ts';
import { system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { BrowserBroadcast, MediaProvider } from '../../../providers/media.ts';
import { endStream } from '../end-stream.ts';
import { setStream } from '../orders/execute-orders.ts';
import { requireStream } from '../require-stream.ts';
import { storeServer } from '../store.ts';
import { keyAssociatedData } from '../stream-key.ts';

/** The room, and the media server of its current session. */
export interface BroadcastRoom {
  readonly roomId: Uuid;
  readonly providerId: Uuid;
  readonly adapter: MediaProvider;
}

/**
 * Passes the offer of a browser to the media server, which asks for admission as for every encoder. The browser
 * never gets the stream key.
 * @throws ProviderFailure `refused` with the reason
 */
export async function startBroadcast(
  dependencies: Dependencies,
  { roomId, providerId, adapter }: BroadcastRoom,
  offer: string,
): Promise<BrowserBroadcast> {
  const { db, secretBox } = dependencies;
  const { stream } = await requireStream(dependencies, roomId);
  if (stream.state === 'idle') {
    // The media server must know the stream before it can ask about an encoder.
    await storeServer(db, stream.id, providerId);
    await setStream(dependencies, adapter, { room_id: roomId, service_provider_id: providerId });
  }
  const key = await secretBox.open(stream.key_sealed, keyAssociatedData(stream.id));
  return await adapter.streams.receive(roomId, key, offer);
}

/** Disconnects the browser. Its session ends after the grace period, unless an encoder connects. */
export async function disconnectBroadcast({ roomId, adapter }: BroadcastRoom, broadcastId: string): Promise<void> {
  await adapter.streams.disconnect(roomId, broadcastId);
}

/** Disconnects the browser and ends the session, unless another encoder is live. */
export async function endBroadcast(
  dependencies: Dependencies,
  { roomId, adapter }: BroadcastRoom,
  broadcastId: string,
): Promise<void> {
  await adapter.streams.disconnect(roomId, broadcastId);
  const report = await adapter.streams.state(roomId);
  if (report?.state === 'reconnecting') await endStream(dependencies, system, roomId);
}
