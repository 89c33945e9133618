import { printPreviews } from '../api/recordings/print-recording.ts';
import type { XmlElements } from '../api/request/xml.ts';
import { type FormatType, type Recording, minutesIn, playbackPath } from '../world/recording.ts';

/** A recording as stored by the balancer: without sizes, processing times and breakout rooms. */
export function printStoredRecording(recording: Recording, origin: string): XmlElements {
  if (recording.isBroken) return { error: { recordID: recording.recordId } };
  return {
    recordID: recording.recordId,
    meetingID: recording.meetingId,
    internalMeetingID: recording.recordId,
    name: recording.name,
    published: recording.state === 'published',
    state: recording.state,
    startTime: recording.startTime,
    endTime: recording.endTime,
    participants: recording.participants,
    metadata: Object.fromEntries(recording.metadata),
    playback: { format: recording.formats.map((format) => printFormat(recording, format, origin)) },
  };
}

function printFormat(recording: Recording, format: FormatType, origin: string): XmlElements {
  return {
    type: format,
    url: `${origin}${playbackPath(recording, format)}`,
    length: minutesIn(recording.recordedMs),
    ...(format === 'presentation' ? { preview: { images: { image: printPreviews(recording, origin) } } } : {}),
  };
}
