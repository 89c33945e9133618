import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { startTestSandbox, type RecordedRoom, createRecordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { recordingFormats: ['presentation', 'video'] });
  rooms = await createRecordedRooms(api, sandbox);
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

/** Creates a room with one recording, and reads its page for each role. */
async function createRecordedRoom(audience: string | undefined) {
  const room = await rooms.createTestRoom();
  const body = {
    room_name: 'Harbour view',
    ...(audience === undefined ? {} : { room_settings: { recordings_for: audience } }),
  };
  const { data } = await api.admin.updateRoom({ params: room.params, body });
  sandbox.control.plantRecording({ meetingID: room.uuid });
  await rooms.syncNow(room);
  const pages: Record<string, string> = {};
  for (const role of ['moderator', 'attendee', 'guest'] as const) pages[role] = await readPage(room, role);
  return { room, url: data.url, pages };
}

async function createTokenUrl({ params }: RecordedRoom, role: 'moderator' | 'attendee' | 'guest') {
  return (await api.admin.createRoomToken({ params, body: { role } })).data.url;
}

async function readPage(room: RecordedRoom, role: 'moderator' | 'attendee' | 'guest') {
  return await (await fetch(await createTokenUrl(room, role), { headers: { 'accept-language': 'en' } })).text();
}

const playbackLinks = (html: string) =>
  [...html.matchAll(/href="([^"]+\/playback\/[^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

test.each([
  [undefined, ['moderator']],
  ['nobody', []],
  ['moderators', ['moderator']],
  ['participants', ['moderator', 'attendee', 'guest']],
  ['everyone', ['moderator', 'attendee', 'guest']],
])('with recordings for %s, the join page shows them to %j', async (audience, roles) => {
  const { pages } = await createRecordedRoom(audience);
  expect(Object.keys(pages).filter((role) => playbackLinks(pages[role] ?? '').length > 0)).toEqual(roles);
});

test('the join page links each format of a recording to the provider', async () => {
  const { pages } = await createRecordedRoom('participants');
  const formatLinks = playbackLinks(pages['attendee'] ?? '');
  expect(formatLinks).toHaveLength(2);
  for (const link of formatLinks) {
    const answer = await fetch(link, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')?.startsWith(sandbox.url)]).toEqual([302, true]);
  }
});

test('recordings are hidden until a required access code is entered', async () => {
  const { room } = await createRecordedRoom('participants');
  await api.admin.createRoomAccessCode({ params: room.params, body: { role: 'attendee', code: 'open-sesame' } });
  expect(playbackLinks(await readPage(room, 'attendee'))).toEqual([]);
  expect(playbackLinks(await readPage(room, 'guest'))).toHaveLength(2);
});

test('with recordings for everyone, the address of a private room is enough to watch them, but not to join', async () => {
  const { url } = await createRecordedRoom('everyone');
  const answer = await fetch(url);
  expect(answer.status).toBe(403);
  expect(playbackLinks(await answer.text())).toHaveLength(2);
  const participants = await createRecordedRoom('participants');
  expect(playbackLinks(await (await fetch(participants.url)).text())).toEqual([]);
});

test('a visitor with an expired token sees no more recordings than one without a token', async () => {
  const { room } = await createRecordedRoom('participants');
  const { data } = await api.admin.createRoomToken({
    params: room.params,
    body: { role: 'moderator', expires_at: '2020-01-01' },
  });
  expect(playbackLinks(await (await fetch(data.url)).text())).toEqual([]);
});
