import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { type BroadcastRoom, goLive, makeBroadcastRoom, report } from './broadcast-rooms.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';
import { pageVisitor } from './page-visitor.ts';

let api: TestApi;
let media: FakeMediaServer;

beforeAll(async () => {
  api = await startApi();
  media = await startFakeMediaServer(() => api.clock.nowMs());
});
beforeEach(() => {
  media.offerRejection = null;
  media.fail = null;
});
afterAll(async () => {
  await media.close();
  await api.close();
});

async function createWatchUrl({ params }: BroadcastRoom, role: 'moderator' | 'attendee' | 'guest' = 'moderator') {
  return (await api.admin.joinRoom({ params, body: { name: 'Mona', role } })).data.url;
}

async function sendOffer(url: string, body: object = { offer: 'v=0 offer' }) {
  const response = await fetch(`${url}/broadcast`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

test.each(['live', 'simulcast'] as const)(
  'the offer of a moderator in a %s room reaches the media server with the key',
  async (type) => {
    const fixture = await makeBroadcastRoom(api, { media, type });
    const url = await createWatchUrl(fixture);
    const answered = await sendOffer(url);
    expect(answered).toEqual({ status: 201, body: { id: expect.any(String), answer: 'v=0 answer' } });
    const { data: stream } = await api.admin.revealStreamKey({ params: fixture.params });
    expect(media.offers.at(-1)).toEqual({ key: stream.ingest.stream_key, offer: 'v=0 offer' });
    expect(media.streams.get(fixture.room.uuid)?.body).toMatchObject({ service_type: type });
    expect(JSON.stringify(answered.body)).not.toContain(stream.ingest.stream_key);
  },
);

test('the page can use camera and microphone, cannot be framed, and does not contain the stream key', async () => {
  const fixture = await makeBroadcastRoom(api, { media, features: { max_bitrate: '1200', max_resolution: '480' } });
  const response = await fetch(`${await createWatchUrl(fixture)}/broadcast`);
  expect(response.status).toBe(200);
  expect(response.headers.get('permissions-policy')).toContain('camera=(self), microphone=(self)');
  expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  const html = await response.text();
  expect(html).toContain('data-max-kbps="1200" data-max-height="480"');
  const { data: stream } = await api.admin.revealStreamKey({ params: fixture.params });
  expect(html).not.toContain(stream.ingest.stream_key);
});

test('the page of a live room calls viewers neither guests nor participants, and tells moderators their role', async () => {
  const { params, room } = await makeBroadcastRoom(api, { media });
  await api.admin.updateRoom({ params, body: { is_public: true } });
  const linkOf = async (role: 'attendee' | 'moderator') =>
    (await api.admin.createRoomToken({ params, body: { role } })).data.url;
  const pageOf = async (url: string) => await (await fetch(url)).text();
  for (const url of [room.url, await linkOf('attendee')]) {
    const html = await pageOf(url);
    expect(html).toContain('invites you to');
    expect(html).not.toContain('You are joining');
  }
  expect(await pageOf(await linkOf('moderator'))).toContain('You are joining as a moderator');
});

test.each([
  ['a room by invitation', false],
  ['a public room', true],
])(
  'the way back to %s keeps the role of the link in this browser only, and no page contains its token',
  async (_, is_public) => {
    const fixture = await makeBroadcastRoom(api, { media });
    const { params, room } = fixture;
    await api.admin.updateRoom({ params, body: { is_public } });
    const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
    const moderator = pageVisitor();
    const entered = await moderator.send(token.url, { name: 'Mona' });
    const remembered = entered.cookies.find((line) => line.includes(token.token ?? '')) ?? '';
    expect(remembered).toContain(`Path=/rooms/${room.id};`);
    expect(remembered).toContain('HttpOnly');
    expect(remembered).not.toMatch(/Max-Age|Expires/);
    const watchUrl = entered.location ?? '';
    for (const url of [watchUrl, `${watchUrl}/broadcast`]) {
      const { status, html } = await moderator.open(url);
      expect(status).toBe(200);
      expect(html).toContain(`data-room-href="${new URL(room.url).pathname}"`);
      expect(html).not.toContain(token.token);
    }
    const back = await moderator.open(room.url);
    expect(back.html).toContain('You are joining as a moderator');
    expect(back.html).not.toContain(token.token);
    expect((await moderator.send(room.url, { name: 'Mona' })).location).toContain('/watch/');
    expect((await pageVisitor().open(room.url)).html).not.toContain('You are joining as a moderator');
    await api.admin.deleteRoomToken({ params: { ...params, token_id: token.id } });
    expect((await moderator.open(room.url)).html).not.toContain('You are joining as a moderator');
  },
);

test('only moderators can join a simulcast room without viewers, and are redirected to the page to go live', async () => {
  const fixture = await makeBroadcastRoom(api, { media, type: 'simulcast', features: { max_viewers: '0' } });
  const join = async (role: 'moderator' | 'attendee') =>
    (await api.admin.joinRoom({ params: fixture.params, body: { name: 'Mona', role } })).data;
  await expect(join('attendee')).rejects.toMatchObject({ status: 403, code: 'limit-is-zero' });
  const { url, playback } = await join('moderator');
  expect(playback).toBe(null);
  const response = await fetch(url, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([302, `${new URL(url).pathname}/broadcast`]);
  expect(await (await fetch(url)).text()).not.toContain('class="back"');
  expect((await sendOffer(url)).status).toBe(201);
});

test('the page says that the room fetches a source, and why fetching fails', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  await api.admin.readStream({ params: fixture.params });
  await api.admin.updateStream({ params: fixture.params, body: { source: { url: 'rtmp://192.0.1.1/live/one' } } });
  await runJob(api.app.dependencies, 'sync-streams');
  const source_error = 'The source refuses connections.';
  await report(api, fixture, media.changeStream(fixture.room.uuid, { source_error }));
  const url = await createWatchUrl(fixture);
  expect(await (await fetch(`${url}/broadcast`)).text()).toContain(source_error);
  expect(await (await fetch(url)).text()).not.toContain(source_error);
  await api.admin.updateStream({ params: fixture.params, body: { source: null } });
  expect(await (await fetch(`${url}/broadcast`)).text()).not.toContain('<p class="alert">This room');
});

test.each(['attendee', 'guest'] as const)(
  'participants with the role %s do not see the button, and cannot open the page or send an offer',
  async (role) => {
    const fixture = await makeBroadcastRoom(api, { media });
    const url = await createWatchUrl(fixture, role);
    expect(await (await fetch(url)).text()).not.toContain('/broadcast');
    expect(await (await fetch(await createWatchUrl(fixture))).text()).toContain('/broadcast');
    expect((await fetch(`${url}/broadcast`)).status).toBe(403);
    const before = media.offers.length;
    expect(await sendOffer(url)).toEqual({ status: 403, body: { refusal: 'not-moderator' } });
    const requests = media.requests.length;
    expect((await fetch(`${url}/broadcast/${crypto.randomUUID()}`, { method: 'DELETE' })).status).toBe(403);
    expect(media.offers.length).toBe(before);
    expect(media.requests.length).toBe(requests);
  },
);

test.each(['stream-busy', 'source-set', 'stream-minutes-used-up', 'participant-minutes-used-up', 'limit-is-zero'])(
  'the page receives the code %s with which the media server rejected the offer',
  async (code) => {
    const fixture = await makeBroadcastRoom(api, { media });
    const url = await createWatchUrl(fixture);
    media.offerRejection = code;
    expect(await sendOffer(url)).toEqual({ status: 409, body: { refusal: code } });
  },
);

test('a media server that does not respond causes a different error than a rejected offer', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const url = await createWatchUrl(fixture);
  media.fail = 'drop';
  expect(await sendOffer(url)).toEqual({ status: 503, body: { refusal: 'media-server-unavailable' } });
});

test.each([
  ['is missing', {}],
  ['is a number', { offer: 1 }],
  ['is too long', { offer: 'v'.repeat(70_000) }],
])('an offer that %s is rejected without a request to the media server', async (_fault, body) => {
  const url = await createWatchUrl(await makeBroadcastRoom(api, { media }));
  const before = media.offers.length;
  expect((await sendOffer(url, body)).status).toBe(422);
  expect(media.offers.length).toBe(before);
});

test('a link of another room and a changed link are rejected', async () => {
  const one = await createWatchUrl(await makeBroadcastRoom(api, { media }));
  const other = await createWatchUrl(await makeBroadcastRoom(api, { media }));
  const link = one.split('/').at(-1) ?? '';
  const linkInOtherRoom = `${other.slice(0, other.lastIndexOf('/'))}/${link}`;
  expect((await sendOffer(linkInOtherRoom)).status).toBe(404);
  expect((await sendOffer(`${one}x`)).status).toBe(404);
});

test('an inactive room rejects the offer', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const url = await createWatchUrl(fixture);
  await api.admin.updateRoom({ params: fixture.params, body: { status: 'inactive' } });
  expect(await sendOffer(url)).toEqual({ status: 403, body: { refusal: 'closed' } });
});

test('ending a broadcast ends its stream session, unless the request has session=keep', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const url = await createWatchUrl(fixture);
  await goLive(api, media, fixture);
  const { body } = await sendOffer(url);
  const address = `${url}/broadcast/${String(body['id'])}`;
  expect((await fetch(`${address}?session=keep`, { method: 'DELETE' })).status).toBe(204);
  expect(await eventNames(fixture)).not.toContain('stream.end_requested');
  expect((await fetch(address, { method: 'DELETE' })).status).toBe(204);
  expect(await eventNames(fixture)).toContain('stream.end_requested');
});

async function eventNames({ params }: BroadcastRoom): Promise<string[]> {
  const { data: stream } = await api.admin.readStream({ params });
  const { data } = await api.admin.listEvents({ query: { search: `resource_id:${stream.id}`, limit: 100 } });
  return data.map(({ name }) => name);
}

test('the page of a live room says "Watch", and does not ask for microphone and camera', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const { data: room } = await api.admin.updateRoom({ params: fixture.params, body: { is_public: true } });
  for (const [language, label] of [
    ['en', 'Watch'],
    ['de', 'Ansehen'],
    ['fr', 'Regarder'],
  ] as const) {
    const html = await (await fetch(room.url, { headers: { 'accept-language': language } })).text();
    expect(html).toContain(`<button type="submit">${label}</button>`);
    expect(html).not.toMatch(/meeting|data-devices/i);
  }
});

test('if a limit ends the broadcast, the moderator sees which one, and viewers do not', async () => {
  const fixture = await makeBroadcastRoom(api, { media });
  const [moderator, viewer] = [await createWatchUrl(fixture), await createWatchUrl(fixture, 'attendee')];
  await goLive(api, media, fixture);
  const { uuid } = fixture.room;
  await report(
    api,
    fixture,
    media.changeStream(uuid, {
      state: 'idle',
      session_id: null,
      end_reason: 'max-bitrate',
      ended_at_ms: api.clock.nowMs(),
    }),
  );
  media.closeSession(uuid);
  await runJob(api.app.dependencies, 'sync-meetings');
  const playback = async (url: string) => (await fetch(`${url}/playback`, { method: 'POST' })).json();
  expect(await playback(moderator)).toEqual({ refusal: 'ended', end_reason: 'max-bitrate' });
  expect(await playback(viewer)).toEqual({ refusal: 'ended', end_reason: null });
});
