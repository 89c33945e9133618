import {
  recordingAudiences,
  type RecordingAudience,
  roomSettingDefaults,
} from '@foyer/contract/resources/rooms/room-settings.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';
import type { RoomRow } from '../../rooms/index.ts';
import { formatsOf } from './formats.ts';
import { signPlaybackLink } from './sign-playback-link.ts';
import { visitorPath } from './playback-path.ts';
import { publishedRecordings } from '../store.ts';

export interface WatchableRecording {
  readonly name: string;
  readonly startedAt: Instant | null;
  /** At least one link. A link needs no other credential, expires, and is valid only while such visitors may watch. */
  readonly playback: readonly { readonly type: string; readonly length: number; readonly url: string }[];
}

/** The room page shows at most this many recordings, the newest first. */
const maxRecordings = 50;

/**
 * The recordings of a room that a visitor of its page may watch.
 * @param role the role in which the visitor may join, with the code if one is needed; null for visitors without a
 * role
 */
export async function recordingsToWatch(
  dependencies: Dependencies,
  room: Pick<RoomRow, 'id' | 'room_settings'>,
  role: RoomRole | null,
): Promise<readonly WatchableRecording[]> {
  if (!mayWatch(audienceOf(room), role)) return [];
  const rows = await publishedRecordings(dependencies.db, room.id, dependencies.clock.now(), maxRecordings);
  return rows.map((row) => ({
    name: row.name,
    startedAt: row.started_at === null ? null : printInstant(row.started_at),
    playback: formatsOf(row).map(({ type, length }) => ({
      type,
      length,
      url: signPlaybackLink(dependencies, visitorPath(row.id, type, role ?? 'anybody')).url,
    })),
  }));
}

export function mayWatch(audience: RecordingAudience, role: RoomRole | null): boolean {
  switch (audience) {
    case 'nobody':
      return false;
    case 'moderators':
      return role === 'moderator';
    case 'participants':
      return role !== null;
    case 'everyone':
      return true;
  }
}

export function audienceOf({ room_settings: settings }: Pick<RoomRow, 'room_settings'>): RecordingAudience {
  return (
    recordingAudiences.find((audience) => audience === settings['recordings_for']) ?? roomSettingDefaults.recordings_for
  );
}
