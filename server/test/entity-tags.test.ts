import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';

let api: TestApi;
let fixture: Awaited<ReturnType<typeof makeRoom>>;
let params: { room_id: string };

beforeAll(async () => {
  api = await startApi();
  fixture = await makeRoom(api);
  params = { room_id: fixture.room.id };
});
afterAll(() => api.close());

async function tagOf(query: Record<string, string> = {}): Promise<string> {
  const { headers } = await api.admin.request('readRoom', { params, query });
  return headers.get('etag') ?? '';
}

function rename(name: string, headers: Record<string, string>) {
  return api.admin.request('updateRoom', { params, headers, body: { room_name: name } });
}

test('a response with one resource has a strong entity tag, and a list has none', async () => {
  expect(await tagOf()).toMatch(/^"[\x21\x23-\x7E]+"$/);
  expect((await api.admin.request('readSettings')).headers.get('etag')).toMatch(/^"/);
  expect((await api.admin.request('readCallingAdmin')).headers.get('etag')).toMatch(/^"/);
  expect((await api.admin.request('listRooms')).headers.get('etag')).toBeNull();
});

test('a matching If-None-Match returns 304 without a body', async () => {
  const etag = await tagOf();
  const answer = await api.admin.request('readRoom', { params, headers: { 'if-none-match': `"other", ${etag}` } });
  expect(answer).toMatchObject({ status: 304, body: null });
  expect(answer.headers.get('etag')).toBe(etag);
  // A proxy that compresses answers weakens their tags.
  const weakened = await api.admin.request('readRoom', { params, headers: { 'if-none-match': `W/${etag}` } });
  expect(weakened.status).toBe(304);
});

test('the tag is independent of relative times, and depends on the requested includes and filter', async () => {
  const readAge = async () => (await api.admin.readRoom({ params })).data.readable_created_at;
  const [etag, age] = [await tagOf(), await readAge()];
  api.clock.advance({ minutes: 1 });
  expect(await readAge()).not.toBe(age);
  expect(await tagOf()).toBe(etag);
  expect(await tagOf({ include: 'account' })).not.toBe(etag);
  expect(await tagOf({ filter: 'id' })).not.toBe(etag);
});

test('a write with the current entity tag succeeds, and its answer has the next one', async () => {
  const etag = await tagOf();
  const answer = await rename('Tagged', { 'if-match': etag });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('etag')).not.toBe(etag);
  expect(answer.headers.get('etag')).toBe(await tagOf());
});

test('an entity tag that was read with includes or a filter can be used for a write', async () => {
  expect((await rename('By include', { 'if-match': await tagOf({ include: 'account' }) })).status).toBe(200);
  expect((await rename('By filter', { 'if-match': await tagOf({ filter: 'id' }) })).status).toBe(200);
});

test('a write with an outdated tag is 412 and changes nothing', async () => {
  const etag = await tagOf();
  await rename('Newer', {});
  const answer = await rename('Older', { 'if-match': etag });
  expect(answer).toMatchObject({ status: 412, body: { code: 'precondition-failed' } });
  expect((await api.admin.readRoom({ params })).data.room_name).toBe('Newer');
  const removal = await api.admin.request('deleteRoom', { params, headers: { 'if-match': etag } });
  expect(removal.status).toBe(412);
});

test('a weak tag never matches; a star matches any existing resource', async () => {
  expect((await rename('Weak', { 'if-match': `W/${await tagOf()}` })).status).toBe(412);
  expect((await rename('Star', { 'if-match': '*' })).status).toBe(200);
  expect((await rename('None', { 'if-none-match': '*' })).status).toBe(412);
});

test('only one of ten concurrent writes with the same tag succeeds, also on two processes', async () => {
  const other = await api.another();
  const etag = await tagOf();
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) =>
      (index % 2 ? other : api).admin.request('updateRoom', {
        params,
        headers: { 'if-match': etag },
        body: { room_name: `Writer ${index}` },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200,
    ...Array.from({ length: 9 }, () => 412),
  ]);
  await other.close();
});

test('If-Match of an action is compared with the tag of its resource', async () => {
  const target = { subscription_id: fixture.subscription.id };
  const { headers } = await api.admin.request('readSubscription', { params: target });
  const etag = headers.get('etag') ?? '';
  const renew = (tag: string) =>
    api.admin.request('renewSubscription', { params: target, headers: { 'if-match': tag }, body: { renew: true } });
  expect((await renew(etag)).status).toBe(200);
  expect((await renew(etag)).status).toBe(412);
});

test('creating a resource with If-Match is rejected', async () => {
  const answer = await api.admin.request('createRoom', {
    headers: { 'if-match': '*' },
    body: { room_name: 'New', account_id: fixture.account.id },
  });
  expect(answer.status).toBe(412);
});

test('If-Match also works for settings', async () => {
  const { headers } = await api.admin.request('readSettings');
  const change = () =>
    api.admin.request('updateSettings', {
      headers: { 'if-match': headers.get('etag') ?? '' },
      body: { platform_name: 'Vestibule' },
    });
  expect((await change()).status).toBe(200);
  expect((await change()).status).toBe(412);
});
