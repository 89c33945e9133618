import type { Dependencies } from '../../dependencies.ts';
import { afterCommit } from '../../database/one-transaction.ts';
import { type Change, change } from '../../events/change.ts';
import type { ReactionSubjects } from '../../events/reactions.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { demandRemovals, markRoomDeleted } from './check-store.ts';
import { type LossReason, loseRecordings } from './lose-recordings.ts';
import { removeFromProvider } from './remove-from-provider.ts';
import { lockRecording, lockRecordingsOfRoom } from './lock-store.ts';
import type { RecordingRow } from './store.ts';

/** It is gone at once; the provider is asked to delete it, and again until it has. @throws 404 */
export async function deleteRecording(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<void> {
  const row = await change(dependencies, actor, async (under) => {
    const locked = await lockRecording(under.tx, id);
    await deleteRecordings(under, [locked], 'deleted');
    return locked;
  });
  await afterCommit(async () => {
    if (row.service_provider_id !== null)
      await removeFromProvider(dependencies, row.service_provider_id, row.provider_recording_id);
  });
}

/** The recordings, whose rows are locked, go here and on their providers. */
export async function deleteRecordings(
  under: Change,
  rows: readonly RecordingRow[],
  reason: LossReason,
): Promise<void> {
  const removals = rows.flatMap(({ service_provider_id: providerId, provider_recording_id: recordingId }) =>
    providerId === null ? [] : [{ providerId, recordingId }],
  );
  await demandRemovals(under.tx, removals, under.now);
  await loseRecordings(under, rows, reason);
}

export async function deleteRecordingsOfRoom(
  under: Change,
  { roomId }: ReactionSubjects['room.deleting'],
): Promise<void> {
  await deleteRecordings(under, await lockRecordingsOfRoom(under.tx, roomId), 'room-deleted');
  await markRoomDeleted(under.tx, roomId, under.now);
}
