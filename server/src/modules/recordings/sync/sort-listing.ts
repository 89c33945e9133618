import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs, type Instant } from '../../../platform/time/instant.ts';
import type { RecordedRoom, StoredRecording } from './lock-store.ts';
import type { DeletionReason } from './record-deletion.ts';
import type { ListedRecording } from './listed-recording.ts';
import type { RecordingRow } from '../store.ts';

/** The listed recordings, grouped by the required action. */
export interface SortedListing {
  readonly existing: readonly { readonly row: RecordingRow; readonly listed: ListedRecording }[];
  readonly added: readonly { readonly room: RecordedRoom; readonly listed: ListedRecording }[];
  /** Deleted on the provider. */
  readonly deleted: readonly RecordingRow[];
  /** Stored recordings of the rooms that are not listed. */
  readonly absent: readonly RecordingRow[];
  /** The provider's ids of recordings that still exist there, but were deleted here or belong to deleted rooms. */
  readonly unwanted: readonly string[];
}

/** Leaves out recordings that were stored after the request was sent, since the list may be older than they are. */
export function sortListing(
  listing: {
    readonly recordings: readonly ListedRecording[];
    readonly brokenIds: readonly string[];
    readonly requestedAt: Instant;
    readonly providerId: Uuid;
  },
  stored: readonly StoredRecording[],
  rooms: ReadonlyMap<Uuid, RecordedRoom>,
): SortedListing {
  const { recordings, requestedAt, providerId } = listing;
  const storedOfProvider = stored.filter((row) => row.service_provider_id === providerId);
  const byId = new Map(storedOfProvider.map((row) => [row.provider_recording_id, row]));
  const byRoomAndId = new Map(stored.map((row) => [`${row.room_id} ${row.provider_recording_id}`, row]));
  // A recording that another provider lists is the same one if it belongs to the same room.
  const rowOf = ({ recordingId, meetingId }: ListedRecording) =>
    byId.get(recordingId) ?? byRoomAndId.get(`${meetingId} ${recordingId}`);
  const listedIds = new Set([...recordings.map(({ recordingId }) => recordingId), ...listing.brokenIds]);
  const isCurrent = ({ synced_at: since }: RecordingRow) => since === null || epochMs(since) <= epochMs(requestedAt);
  const pairs = recordings.flatMap((listed) => {
    const row = rowOf(listed);
    const isFromThisProvider = row !== undefined && (row.service_provider_id === providerId || canBeTakenOver(row));
    return isFromThisProvider && isWanted(row) && isCurrent(row) && row.room_id === listed.meetingId
      ? [{ row, listed }]
      : [];
  });
  const exists = ({ state }: ListedRecording) => state !== 'deleted';
  return {
    existing: pairs.filter((pair) => exists(pair.listed)),
    deleted: pairs
      .filter(({ row, listed }) => !exists(listed) && row.deleted_at === null)
      .filter(({ row }) => row.service_provider_id === providerId)
      .map(({ row }) => row),
    added: recordings.filter(exists).flatMap((listed) => {
      const room = rooms.get(listed.meetingId);
      return room && !rowOf(listed) ? [{ room, listed }] : [];
    }),
    absent: storedOfProvider.filter(
      (row) => row.deleted_at === null && isCurrent(row) && !listedIds.has(row.provider_recording_id),
    ),
    unwanted: recordings.flatMap((listed) => {
      const row = rowOf(listed);
      return exists(listed) && !(row ? isWanted(row) : rooms.has(listed.meetingId)) ? [listed.recordingId] : [];
    }),
  };
}

/** Whether the listing provider can take the recording over from the provider that is stored with it. */
function canBeTakenOver(row: StoredRecording): boolean {
  return row.is_unreachable || row.missing_since !== null || row.deleted_at !== null;
}

/** Whether the recording may exist: it was not deleted, or only because the provider stopped listing it. */
function isWanted({ deleted_at: deletedAt, deletion_reason: reason }: RecordingRow): boolean {
  return deletedAt === null || reason === ('gone-from-provider' satisfies DeletionReason);
}
