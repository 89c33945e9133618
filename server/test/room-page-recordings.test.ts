import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { startTestSandbox, type RecordedRoom, recordedRooms, type RecordedRooms } from './recorded-rooms.ts';

let api: TestApi;
let sandbox: Sandbox;
let rooms: RecordedRooms;

beforeAll(async () => {
  api = await startApi();
  sandbox = await startTestSandbox(api, { recordingFormats: ['presentation', 'video'] });
  rooms = await recordedRooms(api, sandbox);
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

/** A room with one recording, and its page for each role. */
async function recordingsFor(audience: string | undefined) {
  const room = await rooms.createTestRoom();
  const body = {
    room_name: 'Harbour view',
    ...(audience === undefined ? {} : { room_settings: { recordings_for: audience } }),
  };
  const { data } = await api.admin.updateRoom({ params: room.params, body });
  sandbox.control.plantRecording({ meetingID: room.uuid });
  await rooms.syncNow(room);
  const pages: Record<string, string> = {};
  for (const role of ['moderator', 'attendee', 'guest'] as const) pages[role] = await pageFor(room, role);
  return { room, url: data.url, pages };
}

async function tokenUrl({ params }: RecordedRoom, role: 'moderator' | 'attendee' | 'guest') {
  return (await api.admin.createRoomToken({ params, body: { role } })).data.url;
}

async function pageFor(room: RecordedRoom, role: 'moderator' | 'attendee' | 'guest') {
  return await (await fetch(await tokenUrl(room, role), { headers: { 'accept-language': 'en' } })).text();
}

const links = (html: string) =>
  [...html.matchAll(/href="([^"]+\/playback\/[^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));

test.each([
  [undefined, ['moderator']],
  ['nobody', []],
  ['moderators', ['moderator']],
  ['participants', ['moderator', 'attendee', 'guest']],
  ['everyone', ['moderator', 'attendee', 'guest']],
])('with recordings for %s, the join page shows them to %j', async (audience, roles) => {
  const { pages } = await recordingsFor(audience);
  expect(Object.keys(pages).filter((role) => links(pages[role] ?? '').length > 0)).toEqual(roles);
});

test('the join page links each format of a recording to the provider', async () => {
  const { pages } = await recordingsFor('participants');
  const formatLinks = links(pages['attendee'] ?? '');
  expect(formatLinks).toHaveLength(2);
  for (const link of formatLinks) {
    const answer = await fetch(link, { redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')?.startsWith(sandbox.url)]).toEqual([302, true]);
  }
});

test('recordings are hidden until a required access code is entered', async () => {
  const { room } = await recordingsFor('participants');
  await api.admin.createRoomAccessCode({ params: room.params, body: { role: 'attendee', code: 'open-sesame' } });
  expect(links(await pageFor(room, 'attendee'))).toEqual([]);
  expect(links(await pageFor(room, 'guest'))).toHaveLength(2);
});

test('with recordings for everyone, the address of a private room is enough to watch them, but not to join', async () => {
  const { url } = await recordingsFor('everyone');
  const answer = await fetch(url);
  expect(answer.status).toBe(403);
  expect(links(await answer.text())).toHaveLength(2);
  const participants = await recordingsFor('participants');
  expect(links(await (await fetch(participants.url)).text())).toEqual([]);
});

test('a visitor with an expired token sees no more recordings than one without a token', async () => {
  const { room } = await recordingsFor('participants');
  const { data } = await api.admin.createRoomToken({
    params: room.params,
    body: { role: 'moderator', expires_at: '2020-01-01' },
  });
  expect(links(await (await fetch(data.url)).text())).toEqual([]);
});
