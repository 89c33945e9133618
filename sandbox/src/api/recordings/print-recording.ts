import { type FormatType, type Recording, minutesIn, playbackPath } from '../../world/recording.ts';
import type { World } from '../../world/world.ts';
import type { XmlElements } from '../request/xml.ts';

/** A recording as getRecordings shows it. A broken recording only has an id. */
export function printRecording(world: World, recording: Recording, origin: string): XmlElements {
  if (recording.isBroken) return { error: { recordID: recording.recordId } };
  return {
    recordID: recording.recordId,
    meetingID: recording.meetingId,
    internalMeetingID: recording.recordId,
    name: recording.name,
    isBreakout: recording.isBreakout,
    published: recording.state === 'published',
    state: recording.state,
    startTime: recording.startTime,
    endTime: recording.endTime,
    participants: recording.participants,
    ...printBreakout(world, recording),
    rawSize: recording.sizeBytes * 3,
    size: recording.sizeBytes,
    metadata: {
      isBreakout: recording.isBreakout,
      meetingId: recording.meetingId,
      meetingName: recording.name,
      ...Object.fromEntries(recording.metadata),
    },
    playback: hasPlayback(recording)
      ? { format: recording.formats.map((format) => printFormat(recording, format, origin)) }
      : '',
  };
}

function printBreakout(world: World, { recordId, breakout }: Recording): XmlElements {
  if (breakout) {
    const { parentId, sequence, freeJoin } = breakout;
    return { breakout: { parentId, sequence, freeJoin } };
  }
  const rooms = world.recordings.filter((recording) => recording.breakout?.parentId === recordId);
  return rooms.length === 0 ? {} : { breakoutRooms: { breakoutRoom: rooms.map((room) => room.recordId) } };
}

/** In the state `processed`, the playback is not published yet. */
function hasPlayback({ state }: Recording): boolean {
  return state !== 'processing' && state !== 'processed';
}

function printFormat(recording: Recording, format: FormatType, origin: string): XmlElements {
  return {
    type: format,
    url: `${origin}${playbackPath(recording, format)}`,
    processingTime: recording.readyAt - recording.endTime,
    length: minutesIn(recording.recordedMs),
    size: recording.sizeBytes,
    ...(format === 'presentation' ? { preview: { images: { image: printPreviews(recording, origin) } } } : {}),
  };
}

export function printPreviews({ recordId }: Recording, origin: string): XmlElements[] {
  return [1, 2, 3].map((slide) => ({
    '@alt': `Slide ${slide}`,
    '@width': 176,
    '@height': 136,
    '#text': `${origin}/presentation/${recordId}/thumbnails/thumb-${slide}.svg`,
  }));
}
