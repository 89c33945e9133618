import { cutText, maxNameLength } from '../../../platform/text/cut-text.ts';
import { type Instant, instantOfMicroseconds } from '../../../platform/time/instant.ts';
import type { ProviderRecording, RecordingState } from '../../../providers/meet.ts';
import type { Format } from '../watch/formats.ts';

/** A listed recording, reduced to values that can be stored. */
export interface ListedRecording {
  readonly recordingId: string;
  readonly meetingId: string;
  /** The provider's id of the recorded session. */
  readonly internalId: string;
  /** Null if the provider has none. */
  readonly name: string | null;
  readonly state: RecordingState;
  readonly startedAt: Instant | null;
  readonly endedAt: Instant | null;
  readonly participants: number | null;
  /** Null if unknown. */
  readonly sizeBytes: number | null;
  readonly isSizeEstimated: boolean;
  readonly problem: ProviderRecording['problem'];
  readonly formats: readonly Format[];
  /** The address of each format. Empty for a protected recording, whose addresses expire after a moment. */
  readonly addresses: Readonly<Record<string, string>>;
  readonly isProtected: boolean;
}

/** Null for an id that cannot be sent in a request. */
export function readListedRecording(recording: ProviderRecording): ListedRecording | null {
  if (!/^[\x21-\x7e]{1,256}$/.test(recording.recordingId)) return null;
  const playback = recording.playback.filter(
    ({ type }, index, all) => /^[\w-]{1,50}$/.test(type) && all.findIndex((other) => other.type === type) === index,
  );
  const isProtected = recording.isProtected;
  return {
    recordingId: recording.recordingId,
    meetingId: recording.meetingId,
    internalId: recording.internalId,
    name: cleanName(recording.metadata['name'] ?? '') ?? cleanName(recording.name),
    state: recording.state,
    startedAt: instantOf(recording.startedAtMs),
    endedAt: instantOf(recording.endedAtMs),
    participants: recording.participantCount === null ? null : Math.min(recording.participantCount, maxInteger),
    sizeBytes: recording.sizeBytes,
    isSizeEstimated: recording.isSizeEstimated,
    problem: recording.problem,
    formats: playback.map(({ type, lengthMinutes }) => ({ type, length: Math.min(lengthMinutes, maxInteger) })),
    addresses: isProtected ? {} : Object.fromEntries(playback.map(({ type, url }) => [type, url])),
    isProtected,
  };
}

const maxInteger = 2_147_483_647;

/** Null for an invalid instant. */
function instantOf(ms: number | null): Instant | null {
  return ms === null || ms > 253_402_300_799_000 ? null : instantOfMicroseconds(ms * 1000);
}

/** One line of at most 150 characters; null if it is empty. */
function cleanName(text: string): string | null {
  const line = text
    .toWellFormed()
    // oxlint-disable-next-line no-control-regex
    .replaceAll(/[\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  const name = cutText(line, maxNameLength);
  return name === '' ? null : name;
}
