import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeRoom, refusalOf } from './factories.ts';
import { askToPublish, makeBroadcastRoom } from './broadcast-rooms.ts';
import { startFakeMediaServer } from './fake-media-server.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** Returns the limits in the events of the subscription, oldest first. */
async function readReportedLimits({ id }: { readonly id: string }): Promise<unknown[]> {
  const { data } = await api.admin.listEvents({
    query: { search: `resource_id:${id}`, orderBy: 'sequence', sortedBy: 'asc', limit: 0 },
  });
  return data.flatMap(({ name, data: { feature } }) => (name === 'subscription.limit_reached' ? [feature] : []));
}

test('an event reports a reached limit at most once an hour for each feature, and only after it caused a rejection', async () => {
  const { account, subscription } = await makeAccount(api, { features: { max_accounts: '1', max_rooms: '1' } });
  const createRoom = () => api.admin.createRoom({ body: { room_name: 'Room', account_id: account.id } });
  const createAccount = () =>
    api.admin.createAccount({ body: { account_name: 'Account', subscription_id: subscription.id } });
  await createRoom();
  expect(await readReportedLimits(subscription)).toEqual([]);
  const rooms = { tag: 'max_rooms', limit: '1', used: 1 };
  const accounts = { tag: 'max_accounts', limit: '1', used: 1 };
  expect(await refusalOf(createRoom())).toMatchObject({ code: 'feature-limit-reached' });
  expect(await readReportedLimits(subscription)).toEqual([rooms]);
  await Promise.all(Array.from({ length: 10 }, () => refusalOf(createRoom())));
  await refusalOf(createAccount());
  expect(await readReportedLimits(subscription)).toEqual([rooms, accounts]);
  api.clock.advance({ minutes: 59 });
  await refusalOf(createRoom());
  expect(await readReportedLimits(subscription)).toEqual([rooms, accounts]);
  api.clock.advance({ minutes: 1 });
  await Promise.all(Array.from({ length: 10 }, () => refusalOf(createRoom())));
  expect(await readReportedLimits(subscription)).toEqual([rooms, accounts, rooms]);
});

test('an event also reports a limit that rejected a request with an Idempotency-Key', async () => {
  const { subscription } = await makeAccount(api, { features: { max_accounts: '1' } });
  const { status } = await api.admin.request('createAccount', {
    body: { account_name: 'Account', subscription_id: subscription.id },
    headers: { 'idempotency-key': 'told' },
  });
  expect(status).toBe(422);
  expect(await readReportedLimits(subscription)).toEqual([{ tag: 'max_accounts', limit: '1', used: 1 }]);
});

test('an event reports a limit that rejected a participant, with that participant as the actor', async () => {
  const { room, subscription } = await makeRoom(api, {
    features: { max_accounts: '1', max_rooms: '1', max_participants: '0' },
  });
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
  const refused = await refusalOf(api.anyone.joinRoom({ params, body: { token: token.token, name: 'Anna' } }));
  expect(refused).toMatchObject({ code: 'limit-is-zero' });
  expect(await readReportedLimits(subscription)).toEqual([{ tag: 'max_participants', limit: '0', used: 0 }]);
  const { data } = await api.admin.listEvents({ query: { search: 'name:subscription.limit_reached', limit: 1 } });
  expect(data[0]?.actor).toMatchObject({ type: 'visitor' });
});

test('an event reports a limit that rejected an encoder', async () => {
  const media = await startFakeMediaServer(() => api.clock.nowMs());
  onTestFinished(() => media.close());
  const fixture = await makeBroadcastRoom(api, { media, features: { stream_minutes: '0' } });
  const { data: stream } = await api.admin.revealStreamKey({ params: fixture.params });
  expect(await askToPublish(api, fixture, stream.ingest.stream_key)).toMatchObject({ allow: false });
  expect(await readReportedLimits(fixture.subscription)).toEqual([{ tag: 'stream_minutes', limit: '0', used: 0 }]);
});

test('if the event of a reached limit cannot be stored, the request is still rejected, and the failure is logged', async () => {
  const { subscription } = await makeAccount(api, { features: { max_accounts: '1' } });
  const { pool } = api.app.connection;
  await pool.query('alter table refused_limits rename to refused_limits_away');
  onTestFinished(
    async () => void (await pool.query('alter table if exists refused_limits_away rename to refused_limits')),
  );
  const createAccount = () =>
    api.admin.createAccount({ body: { account_name: 'Account', subscription_id: subscription.id } });
  expect(await refusalOf(createAccount())).toMatchObject({ code: 'feature-limit-reached' });
  expect(await readReportedLimits(subscription)).toEqual([]);
  const entries = api
    .log()
    .split('\n')
    .filter((line) => line.includes('the event of a refused limit could not be stored'));
  expect(entries.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    {
      level: 50,
      subscriptionId: subscription.uuid,
      tag: 'max_accounts',
      err: { message: expect.stringContaining('refused_limits') },
    },
  ]);
});
