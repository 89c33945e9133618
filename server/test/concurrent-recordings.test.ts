import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { startTestSandbox, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api);
  rooms = await createRecordedRooms(api, sandbox);
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

test('if several meetings start at the same time, only as many are recorded as the limit allows', async () => {
  const first = await rooms.createTestRoom({ features: { recording: 'true', max_recordings: '1', max_rooms: '3' } });
  const others = [await rooms.another(first), await rooms.another(first)];
  const all = [first, ...others];
  await Promise.all(all.map(({ params }) => api.admin.joinRoom({ params, body: { role: 'moderator', name: 'Mo' } })));
  const recordParameters = all.map(({ uuid }) => {
    const call = sandbox.control
      .calls()
      .findLast(({ call: name, parameters }) => name === 'create' && parameters['meetingID'] === uuid);
    return call?.parameters['record'];
  });
  expect(recordParameters.map(String).toSorted((one, other) => one.localeCompare(other))).toEqual([
    'false',
    'false',
    'true',
  ]);
});
