import type { Dependencies } from '../../dependencies.ts';
import { isMediaProvider, type MediaProvider, type Playback } from '../../providers/media.ts';
import type { MeetingProvider, OpenMeeting, Participant } from '../../providers/meet.ts';
import type { LoadedAccess } from '../room-access/index.ts';
import { listPlayableVideos } from '../videos/index.ts';
import { watchAddress } from './watch-link.ts';

interface OpenedMeeting {
  readonly adapter: MeetingProvider;
  readonly meeting: OpenMeeting;
}

/** The address at which a participant joins: on the meeting server, or the watch page of the platform. */
export async function addressOfEntry(
  dependencies: Dependencies,
  { room, rules, features }: LoadedAccess,
  { adapter, meeting }: OpenedMeeting,
  participant: Pick<Participant, 'userId' | 'fullName' | 'role'>,
): Promise<{ url: string; playback: Playback | null }> {
  if (!isMediaProvider(adapter)) {
    const mayShareWebcam = features.get('webcams') === 'true';
    return { url: adapter.joinUrlFor(meeting, { ...participant, mayShareWebcam }), playback: null };
  }
  const mayDownload = features.get('download') === 'true';
  const viewer = { ...participant, sessionId: meeting.internalId, createdAtMs: meeting.createdAtMs, mayDownload };
  const [first] = room.room_type === 'video' ? await listPlayableVideos(dependencies.db, room.id) : [];
  return {
    url: await watchAddress(dependencies, room, viewer),
    playback: rules.hasViewers
      ? playbackOf(adapter, meeting, { ...viewer, ...(first && { videoId: first.id }) }, room.room_type)
      : null,
  };
}

function playbackOf(
  adapter: MediaProvider,
  meeting: OpenMeeting,
  viewer: Parameters<MediaProvider['playbackFor']>[1],
  roomType: string,
): Playback | null {
  return roomType === 'video' && viewer.videoId === undefined ? null : adapter.playbackFor(meeting, viewer);
}

/** For a video room, leaves only the media server that stores its videos. */
export async function limitToVideoServer({ db }: Dependencies, loaded: LoadedAccess): Promise<LoadedAccess> {
  const [first] = loaded.room.room_type === 'video' ? await listPlayableVideos(db, loaded.room.id) : [];
  if (!first) return loaded;
  return { ...loaded, providers: loaded.providers.filter(({ id }) => id === first.service_provider_id) };
}
