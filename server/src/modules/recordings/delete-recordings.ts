import type { Dependencies } from '../../dependencies.ts';
import { afterCommit } from '../../database/one-transaction.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { scheduleRemovals, markRoomDeleted } from './sync/check-store.ts';
import { type DeletionReason, recordDeletion } from './sync/record-deletion.ts';
import { removeFromProvider } from './sync/remove-from-provider.ts';
import { lockRecording, lockRecordingsOfRoom } from './sync/lock-store.ts';
import type { RecordingRow } from './store.ts';

/** Deletes the recording here at once. The request to the provider is repeated until it succeeds. @throws 404 */
export async function deleteRecording(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  const row = await inTransaction(dependencies, actor, async (change) => {
    const locked = await lockRecording(change.tx, id);
    await deleteRecordings(change, [locked], 'deleted');
    return locked;
  });
  await afterCommit(async () => {
    if (row.service_provider_id !== null)
      await removeFromProvider(dependencies, row.service_provider_id, row.provider_recording_id);
  });
}

/** Deletes locked recordings here and on their providers. */
export async function deleteRecordings(
  change: Change,
  rows: readonly RecordingRow[],
  reason: DeletionReason,
): Promise<void> {
  const removals = rows.flatMap(({ service_provider_id: providerId, provider_recording_id: recordingId }) =>
    providerId === null ? [] : [{ providerId, recordingId }],
  );
  await scheduleRemovals(change.tx, removals, change.now);
  await recordDeletion(change, rows, reason);
}

export async function deleteRecordingsOfRoom(change: Change, roomId: Uuid): Promise<void> {
  await deleteRecordings(change, await lockRecordingsOfRoom(change.tx, roomId), 'room-deleted');
  await markRoomDeleted(change.tx, roomId, change.now);
}
