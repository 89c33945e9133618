import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sign } from '../../media/src/http/signature.ts';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { goLive, makeBroadcastRoom } from './broadcast-rooms.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';

let api: TestApi;
let media: FakeMediaServer;

beforeAll(async () => {
  api = await startApi();
  media = await startFakeMediaServer(() => api.clock.nowMs());
});
afterAll(async () => {
  await media.close();
  await api.close();
});

test('a recording that ended before its broadcast has a problem, and the next recording of the broadcast has none', async () => {
  const fixture = await makeBroadcastRoom(api, {
    media,
    features: { recording: 'true', max_recordings: '10', max_storage: '1' },
  });
  await api.admin.updateStream({ params: fixture.params, body: { record: true } });
  await goLive(api, media, fixture);
  await runJob(api.app.dependencies, 'sync-streams');
  const makeRecording = (members: object) => ({
    recording_id: randomUUID(),
    room_id: fixture.room.uuid,
    session_id: media.sessions.get(fixture.room.uuid)?.['session_id'],
    state: 'ready',
    started_at_ms: api.clock.nowMs(),
    ended_at_ms: api.clock.nowMs(),
    duration_seconds: 60,
    size_bytes: 1_000_000,
    published: true,
    labels: {},
    problem: null,
    ...members,
  });
  const [stopped, next, unknown] = [{ problem: 'disk-full' }, {}, { problem: 'no-such-problem' }].map(makeRecording);
  media.recordings.push(...[stopped, next, unknown].filter((recording) => recording !== undefined));
  const { callback_url: callback } = media.streams.get(fixture.room.uuid)?.body ?? {};
  const path = new URL(String(callback)).pathname;
  const body = Buffer.from(JSON.stringify({ type: 'recording.changed', recording: stopped }));
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = sign(media.secret, { timestamp, method: 'POST', path, body });
  const headers = {
    'content-type': 'application/json',
    'x-foyer-timestamp': timestamp,
    'x-foyer-signature': signature,
  };
  expect((await fetch(`${api.url}${path}`, { method: 'POST', headers, body })).status).toBe(200);
  const { data } = await api.admin.listRoomRecordings({ params: fixture.params });
  const problems = new Map(data.map((row) => [row.provider_recording_id, row.problem]));
  expect(problems.get(stopped?.recording_id ?? '')).toBe('disk-full');
  expect(problems.get(next?.recording_id ?? '')).toBeNull();
  expect(problems.get(unknown?.recording_id ?? '')).toBeNull();
  const { data: recordings } = await api.admin.listRecordings({ query: { search: 'problem:disk-full' } });
  expect(recordings.map(({ provider_recording_id: id }) => id)).toEqual([stopped?.recording_id]);
});
