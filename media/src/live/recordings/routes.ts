import { dirname } from 'node:path';
import type { Archive } from '../../storage/archive.ts';
import { invalid, notFound, Refusal, sendEmpty, sendJson } from '../../http/answer.ts';
import { requireUuid } from '../../http/json-members.ts';
import { type Call, type Route, signedRoute } from '../../http/route.ts';
import { playerRoute } from '../../playback/player-route.ts';
import { sendFile } from '../../playback/send-file.ts';
import { readToken } from '../../playback/token.ts';
import { printRecording, type RecordingRecord, type Recordings } from './recording.ts';

const maxLabels = 100;
const maxLabelLength = 1000;

export function recordingRoutes(secret: string, recordings: Recordings, archive: Archive): Route[] {
  const requireRecording = ({ params }: Call): RecordingRecord => {
    const record = recordings.find(requireUuid(params['recording_id'], 'recording_id'));
    if (!record) throw notFound('The recording');
    return record;
  };
  return [
    signedRoute('GET', '/v1/recordings', ({ response, query }) => {
      const [ids, rooms] = [readSet(query.get('ids')), readSet(query.get('room_ids'))];
      const matches = recordings
        .all()
        .filter(({ recordingId, roomId }) => (ids?.has(recordingId) ?? true) && (rooms?.has(roomId) ?? true));
      sendJson(response, 200, { recordings: matches.map(printRecording) });
    }),
    signedRoute('GET', '/v1/recordings/:recording_id', (call) =>
      sendJson(call.response, 200, printRecording(requireRecording(call))),
    ),
    signedRoute('PUT', '/v1/recordings/:recording_id', async (call) => {
      const record = requireRecording(call);
      const { published, labels } = call.json();
      await recordings.update(record, {
        ...(typeof published === 'boolean' && { published }),
        ...(labels !== undefined && { labels: changedLabels(record.labels, labels) }),
      });
      sendJson(call.response, 200, printRecording(record));
    }),
    signedRoute('DELETE', '/v1/recordings/:recording_id', async ({ params, response }) => {
      const recordingId = requireUuid(params['recording_id'], 'recording_id');
      const { state } = recordings.find(recordingId) ?? {};
      if (state === 'recording') throw new Refusal(409, 'recording', 'The session is still being recorded.');
      // Only finished recordings are in the object storage.
      if (state === 'ready') await archive.removeMedia(dirname(recordings.fileOf(recordingId)));
      await recordings.remove(recordingId);
      sendEmpty(response);
    }),
    playerRoute('GET', '/play/:token/recordings/:recording_id/recording.mp4', async (call) => {
      const token = readToken(secret, call.params['token'] ?? '', Date.now());
      const record = requireRecording(call);
      const { recordingId, roomId, state, published } = record;
      const isTokenForRecording = token.recordingId === recordingId && token.roomId === roomId;
      if (!isTokenForRecording || state !== 'ready' || !(published || token.actions.has('copy')))
        throw notFound('The recording');
      await sendFile(call, recordings.fileOf(recordingId), { name: 'recording.mp4', cacheSeconds: 0, archive });
    }),
  ];
}

function readSet(list: string | null): ReadonlySet<string> | null {
  return list === null ? null : new Set(list.split(','));
}

/** An empty text removes a label. @throws Refusal 422 */
function changedLabels(labels: Readonly<Record<string, string>>, changes: unknown): Record<string, string> {
  const changed = new Map(Object.entries(labels));
  for (const [name, value] of Object.entries(changes ?? {})) {
    if (typeof value !== 'string' || value.length > maxLabelLength)
      throw invalid(`A label must be a text of at most ${maxLabelLength} characters.`);
    if (value === '') changed.delete(name);
    else changed.set(name, value);
  }
  if (changed.size > maxLabels) throw invalid(`A recording can have at most ${maxLabels} labels.`);
  return Object.fromEntries(changed);
}
