import type { Uuid } from '../../platform/identifier.ts';
import { epochMs, type Instant } from '../../platform/instant.ts';
import type { LossReason } from './lose-recordings.ts';
import type { SeenRecording } from './seen-recording.ts';
import type { RecordingRow, RoomOfRecordings } from './store.ts';

/** What is to be done about what a provider lists. */
export interface SortedListing {
  readonly known: readonly { readonly row: RecordingRow; readonly seen: SeenRecording }[];
  readonly fresh: readonly { readonly room: RoomOfRecordings; readonly seen: SeenRecording }[];
  /** Deleted on the provider. */
  readonly deleted: readonly RecordingRow[];
  /** Of the rooms, and not listed. */
  readonly absent: readonly RecordingRow[];
  /** The provider's ids of what was deleted here: still there, or restored, or of a room that is gone. */
  readonly unwanted: readonly string[];
}

/** What was stored after the provider was asked is left alone. */
export function sortListing(
  listing: {
    readonly seen: readonly SeenRecording[];
    readonly brokenIds: readonly string[];
    readonly askedAt: Instant;
  },
  stored: readonly RecordingRow[],
  rooms: ReadonlyMap<Uuid, RoomOfRecordings>,
): SortedListing {
  const { seen, askedAt } = listing;
  const rows = new Map(stored.map((row) => [row.provider_recording_id, row]));
  const listed = new Set([...seen.map(({ recordingId }) => recordingId), ...listing.brokenIds]);
  const isCurrent = ({ synced_at: since }: RecordingRow) => since === null || epochMs(since) <= epochMs(askedAt);
  const found = seen.flatMap((each) => {
    const row = rows.get(each.recordingId);
    return row && isWanted(row) && isCurrent(row) && row.room_id === each.meetingId ? [{ row, seen: each }] : [];
  });
  const isThere = ({ state }: SeenRecording) => state !== 'deleted';
  return {
    known: found.filter((pair) => isThere(pair.seen)),
    deleted: found.filter(({ row, seen: each }) => !isThere(each) && row.deleted_at === null).map(({ row }) => row),
    fresh: seen.filter(isThere).flatMap((each) => {
      const room = rooms.get(each.meetingId);
      return room && !rows.has(each.recordingId) ? [{ room, seen: each }] : [];
    }),
    absent: stored.filter((row) => row.deleted_at === null && isCurrent(row) && !listed.has(row.provider_recording_id)),
    unwanted: seen.flatMap((each) => {
      const row = rows.get(each.recordingId);
      return isThere(each) && !(row ? isWanted(row) : rooms.has(each.meetingId)) ? [each.recordingId] : [];
    }),
  };
}

/** What went from the provider by itself may come back; what somebody deleted may not. */
function isWanted({ deleted_at: deletedAt, deletion_reason: reason }: RecordingRow): boolean {
  return deletedAt === null || reason === ('gone-from-provider' satisfies LossReason);
}
