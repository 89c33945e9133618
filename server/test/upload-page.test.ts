import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { unique } from './factories.ts';
import { type FakeMediaServer, startFakeMediaServer } from './fake-media-server.ts';
import { pageVisitor } from './page-visitor.ts';
import { makeVideoRoom, sendVideoState, type VideoRoom } from './video-rooms.ts';

const password = 'difference engine no. 2';
let api: TestApi;
let media: FakeMediaServer;

beforeAll(async () => {
  api = await startApi();
  media = await startFakeMediaServer();
});
afterAll(async () => {
  await media.close();
  await api.close();
});

/** Creates a user with these rights in the room, who signs in on the room page. */
async function signInUser({ room, customer, params }: VideoRoom, ...permissions: ('read-room' | 'manage-videos')[]) {
  const { data: user } = await api.admin.createUser({
    body: { email: `${unique('grace')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password },
  });
  await api.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { user_id: user.id, permissions: ['read-customer'] },
  });
  await api.admin.createRoomUser({ params, body: { user_id: user.id, permissions } });
  const { jar, send } = pageVisitor();
  await send(`${room.url}/sign-in`, { email: user.email, password });
  const cookie = [...jar].map(([name, { value }]) => `${name}=${value}`).join('; ');
  return { cookie, user };
}

async function request(method: string, url: string, cookie: string, body?: object, headers: object = {}) {
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: { cookie, ...(body ? { 'content-type': 'application/json' } : {}), ...headers },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text };
}

async function idsOf({ params }: VideoRoom): Promise<string[]> {
  return (await api.admin.listRoomVideos({ params })).data.map(({ id }) => id);
}

const file = { name: 'Lesson', size_bytes: 1000, content_type: 'video/mp4' };

test('a user with the right creates a video on the page, in their own name, and discards it while it is incomplete', async () => {
  const fixture = await makeVideoRoom(api, media);
  const { cookie, user } = await signInUser(fixture, 'read-room', 'manage-videos');
  const url = `${fixture.room.url}/uploads`;
  const page = await request('GET', url, cookie);
  expect(page.status).toBe(200);
  expect(page.headers.get('content-security-policy')).toContain(new URL(media.url).origin);
  expect((await request('GET', fixture.room.url, cookie)).text).toContain('/uploads"');
  const created = await request('POST', url, cookie, file);
  expect(created.status).toBe(201);
  const target = JSON.parse(created.text) as { video_id: string; url: string };
  expect(target.url).toContain(media.url);
  expect(await idsOf(fixture)).toEqual([target.video_id]);
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${target.video_id}` } });
  expect(events[0]?.actor).toMatchObject({ type: 'user', id: user.id });
  expect((await request('DELETE', `${url}/${target.video_id}`, cookie)).status).toBe(204);
  expect(await idsOf(fixture)).toEqual([]);
});

test('without the right, without a sign-in and from another site, nothing is created or deleted', async () => {
  const fixture = await makeVideoRoom(api, media);
  const url = `${fixture.room.url}/uploads`;
  const { cookie: reader } = await signInUser(fixture, 'read-room');
  const { cookie: manager } = await signInUser(fixture, 'read-room', 'manage-videos');
  expect((await request('GET', url, reader)).status).toBe(403);
  expect((await request('GET', fixture.room.url, reader)).text).not.toContain('/uploads"');
  expect((await request('GET', url, '')).headers.get('location')).toMatch(/\/sign-in$/);
  expect((await request('POST', url, reader, file)).status).toBe(403);
  expect((await request('POST', url, '', file)).status).toBe(401);
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }])
    expect((await request('POST', url, manager, file, headers)).status).toBe(403);
  expect(await idsOf(fixture)).toEqual([]);
  const { data: video } = await api.admin.createVideo({ params: fixture.params, body: { name: 'A', size_bytes: 10 } });
  expect((await request('DELETE', `${url}/${video.id}`, reader)).status).toBe(403);
  expect(await idsOf(fixture)).toEqual([video.id]);
});

test('a complete video, and a video of another room, cannot be discarded on the page', async () => {
  const fixture = await makeVideoRoom(api, media);
  const other = await makeVideoRoom(api, media, { customer: fixture.customer });
  const { cookie } = await signInUser(fixture, 'read-room', 'manage-videos');
  const url = `${fixture.room.url}/uploads`;
  const body = { name: 'A', size_bytes: 10 };
  const { data: foreign } = await api.admin.createVideo({ params: other.params, body });
  expect((await request('DELETE', `${url}/${foreign.id}`, cookie)).status).toBe(404);
  const { data: video } = await api.admin.createVideo({ params: fixture.params, body });
  await sendVideoState(api, fixture.provider, media.changeVideo(video.uuid, { state: 'queued' }));
  expect((await request('DELETE', `${url}/${video.id}`, cookie)).status).toBe(409);
  expect([await idsOf(fixture), await idsOf(other)]).toEqual([[video.id], [foreign.id]]);
});

test('a limit, a wrong file type and an invalid body are rejected with a code', async () => {
  const fixture = await makeVideoRoom(api, media, { features: { max_videos: '0' } });
  const { cookie } = await signInUser(fixture, 'read-room', 'manage-videos');
  const url = `${fixture.room.url}/uploads`;
  const sendCreation = async (body: object) => {
    const { status, text } = await request('POST', url, cookie, body);
    return { status, ...(JSON.parse(text) as { code: string; limit: string | null }) };
  };
  expect(await sendCreation(file)).toEqual({ status: 422, code: 'feature-limit-reached', limit: 'max_videos' });
  expect(await sendCreation({ ...file, content_type: 'text/html' })).toMatchObject({ status: 422, limit: null });
  expect(await sendCreation({ name: '', size_bytes: -1 })).toMatchObject({ status: 422, code: 'validation-failed' });
});
