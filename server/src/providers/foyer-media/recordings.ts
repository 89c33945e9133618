import { recordingProblems } from '@foyer/contract/resources/meetings/recording.ts';
import type { ProviderRecording, RecordingStore } from '../meet.ts';
import { requestMedia, type Json, type MediaConnection } from './connection.ts';
import { listIn, numberOf, objectOf, textOf, wholeOf, wordOf } from './members.ts';
import { playbackSeconds, signToken } from './playback-token.ts';

/** Recordings of broadcasts have no text tracks, and their callbacks are read by `readCall`. */
type BroadcastRecordings = Omit<RecordingStore, 'textTracks' | 'readRecordingReady'>;

export function recordingsOf(connection: MediaConnection): BroadcastRecordings {
  const list = async (query: string) => {
    const answer = await requestMedia(connection, { method: 'GET', path: `/v1/recordings?${query}` });
    return listIn(answer, 'recordings').flatMap((recording) => readRecording(connection, recording) ?? []);
  };
  const change = async (recordingId: string, json: Json) => {
    await requestMedia(connection, { method: 'PUT', path: pathOf(recordingId), json });
  };
  return {
    async recordings({ meetingIds, recordingIds, states }) {
      if (meetingIds?.length === 0 || recordingIds?.length === 0) return [];
      const recordings = await list(
        [
          ...(meetingIds ? [`room_ids=${meetingIds.join(',')}`] : []),
          ...(recordingIds ? [`ids=${recordingIds.join(',')}`] : []),
        ].join('&'),
      );
      return states ? recordings.filter(({ state }) => states.includes(state)) : recordings;
    },
    async findRecordings(recordingIds) {
      return {
        recordings: recordingIds.length === 0 ? [] : await list(`ids=${recordingIds.join(',')}`),
        brokenIds: [],
      };
    },
    publishRecording: (recordingId, published) => change(recordingId, { published }),
    updateRecording: (recordingId, labels) => change(recordingId, { labels }),
    async deleteRecording(recordingId) {
      await requestMedia(connection, { method: 'DELETE', path: pathOf(recordingId) });
    },
  };
}

function pathOf(recordingId: string): string {
  return `/v1/recordings/${encodeURIComponent(recordingId)}`;
}

const states = ['recording', 'processing', 'ready', 'failed'] as const;

/** Null if it is not a recording. */
function readRecording(connection: MediaConnection, json: Json): ProviderRecording | null {
  const [recordingId, roomId] = [textOf(json, 'recording_id'), textOf(json, 'room_id')];
  if (recordingId === null || roomId === null) return null;
  const state = wordOf(json, 'state', states, 'processing');
  const published = json['published'] !== false;
  const seconds = numberOf(json, 'duration_seconds') ?? 0;
  const labels = Object.entries(objectOf(json, 'labels') ?? {});
  return {
    recordingId,
    meetingId: roomId,
    internalId: textOf(json, 'session_id') ?? '',
    name: '',
    // A failed recording cannot be watched, but can be deleted.
    state:
      state === 'ready' ? (published ? 'published' : 'unpublished') : state === 'failed' ? 'processed' : 'processing',
    published,
    startedAtMs: numberOf(json, 'started_at_ms'),
    endedAtMs: numberOf(json, 'ended_at_ms'),
    participantCount: null,
    sizeBytes: wholeOf(json, 'size_bytes'),
    isSizeEstimated: false,
    problem: recordingProblems.find((problem) => problem === json['problem']) ?? null,
    metadata: Object.fromEntries(labels.filter((label): label is [string, string] => typeof label[1] === 'string')),
    isProtected: true,
    playback:
      state === 'ready'
        ? [
            {
              type: 'video',
              url: watchAddress(connection, { roomId, recordingId, seconds }),
              lengthMinutes: Math.round(seconds / 60),
            },
          ]
        : [],
  };
}

/**
 * Browsers read the file in parts while it plays, so the address is valid for the length of the recording and ten more
 * minutes.
 */
function watchAddress(
  connection: MediaConnection,
  { seconds, ...recording }: { readonly roomId: string; readonly recordingId: string; readonly seconds: number },
): string {
  const expiresAtMs = Date.now() + (playbackSeconds + seconds) * 1000;
  return fileAddress(connection, recording, { expiresAtMs, use: 'recording' });
}

type RecordingKey = { readonly roomId: string; readonly recordingId: string };

/** The address from which a recording is copied, which need not be published. */
export function copyAddress(connection: MediaConnection, recording: RecordingKey, expiresAtMs: number): string {
  return fileAddress(connection, recording, { expiresAtMs, use: 'copy' });
}

function fileAddress(
  { publicUrl, secret }: MediaConnection,
  { roomId, recordingId }: RecordingKey,
  { expiresAtMs, use }: { readonly expiresAtMs: number; readonly use: 'recording' | 'copy' },
): string {
  const expires = Math.ceil(expiresAtMs / 1000);
  const token = signToken(secret, { r: roomId, s: null, v: null, c: recordingId, x: expires, k: [use] });
  return `${publicUrl}/play/${token}/recordings/${recordingId}/recording.mp4`;
}
