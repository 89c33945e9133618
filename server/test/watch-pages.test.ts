import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { type BroadcastRoom, goLive, makeBroadcastRoom } from './broadcast-rooms.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';

let api: TestApi;
let media: FakeMediaServer;
let live: BroadcastRoom;

beforeAll(async () => {
  api = await startApi();
  media = await startFakeMediaServer(() => api.clock.nowMs());
  live = await makeBroadcastRoom(api, { media });
  await goLive(api, media, live);
});
afterAll(async () => {
  await media.close();
  await api.close();
});

async function join(token?: string) {
  const body = { name: 'Mona', ...(token === undefined ? {} : { token }) };
  return (await api.anyone.joinRoom({ params: live.params, body })).data;
}

/** The statuses of the watch page, and of the request of its player for a new playback address. */
async function statusesOf(url: string): Promise<number[]> {
  const page = await fetch(url);
  const renewal = await fetch(`${url}/playback`, { method: 'POST' });
  return [page.status, renewal.status];
}

test.each([
  ['without options', {}],
  ['with a limit of uses', { max_uses: 5 }],
  ['that begins today', { not_before: '2026-03-10' }],
  ['that expires later', { expires_at: '2026-12-31' }],
])('a room token %s opens the watch page and renews the playback address', async (_, options) => {
  for (const role of ['moderator', 'attendee', 'guest'] as const) {
    const { data: token } = await api.admin.createRoomToken({ params: live.params, body: { role, ...options } });
    expect(await statusesOf((await join(token.token)).url)).toEqual([200, 200]);
  }
});

test('a link stops working when its room token is deleted or expires', async () => {
  const { data: deleted } = await api.admin.createRoomToken({ params: live.params, body: { role: 'attendee' } });
  const { data: expiring } = await api.admin.createRoomToken({
    params: live.params,
    body: { role: 'attendee', expires_at: '2026-03-10T12:30:00Z' },
  });
  const urls = [(await join(deleted.token)).url, (await join(expiring.token)).url];
  await api.admin.deleteRoomToken({ params: { ...live.params, token_id: deleted.id } });
  api.clock.advance({ minutes: 31 });
  for (const url of urls) expect(await statusesOf(url)).toEqual([410, 403]);
});
