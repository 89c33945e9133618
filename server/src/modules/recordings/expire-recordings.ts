import type { Dependencies } from '../../dependencies.ts';
import { inTransaction, system } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { deleteRecordings } from './delete-recordings.ts';
import { lockExpired, lockRoomsForKeyShare, type RecordedRoom } from './sync/lock-store.ts';
import { roomsWithRecordings, storeExpiry } from './store.ts';
import { inBatches } from '../../platform/in-batches.ts';
import { findFeature } from '@foyer/contract/resources/packages/features.ts';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import { effectiveFeatures } from '../features/index.ts';

const roomBatchSize = 500;
const recordingBatchSize = 100;

/**
 * Deletes recordings that are older than the current retention of their rooms.
 * @returns how many were deleted
 */
export async function expireRecordings(dependencies: Dependencies): Promise<number> {
  await refreshExpiry(dependencies);
  return await inBatches(recordingBatchSize, () =>
    inTransaction(dependencies, system, async (change) => {
      const rows = await lockExpired(change.tx, change.now, recordingBatchSize);
      await deleteRecordings(change, rows, 'expired');
      return rows.length;
    }),
  );
}

/** Recomputes the expiry dates: the subscription or room setting may have changed since they were stored. */
async function refreshExpiry(dependencies: Dependencies): Promise<void> {
  let afterId: Uuid | null = null;
  for (;;) {
    const lastId: Uuid | null = await inTransaction(dependencies, system, async ({ tx }) => {
      const ids = await roomsWithRecordings(tx, afterId, roomBatchSize);
      const rooms = await lockRoomsForKeyShare(tx, ids);
      await storeExpiry(tx, new Map(rooms.map((room) => [room.id, retentionDays(room)])));
      return ids.length < roomBatchSize ? null : (ids.at(-1) ?? null);
    });
    if (lastId === null) return;
    afterId = lastId;
  }
}

/** A thousand years. */
const maxDays = 365_000;

/** The number of days after which the room's recordings expire. Null if they never expire. */
export function retentionDays(room: Pick<RecordedRoom, 'room_features' | 'record_expiration'>): number | null {
  const definition = findFeature('record_expiration');
  const subscriptionValue = room.record_expiration;
  if (!definition || subscriptionValue === null) return null;
  const [feature] = effectiveFeatures([definition], new Map([[definition.code, subscriptionValue]]), {
    record_expiration: room.room_features['record_expiration'],
  });
  const days = limitOf(feature?.used ?? subscriptionValue);
  return days === null ? null : Math.min(days, maxDays);
}
