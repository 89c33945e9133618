import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeAccount, makeProvider, openSandbox, refusalOf, soldFeatures, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
/** The pool of the test. */
let pool: string;

beforeAll(async () => {
  api = await startApi();
  // Background work would disturb the counts of statements.
  await api.admin.updateSettings({ body: { provider_timeout_ms: 1500, meeting_webhooks: false } });
});

beforeEach(() => {
  pool = unique('pool');
});

afterAll(() => api.close());

interface Server {
  readonly id: string;
  readonly uuid: string;
  readonly params: { readonly service_provider_id: string };
  readonly sandbox: Sandbox;
}

async function createTestServer(body: Record<string, unknown> = {}): Promise<Server> {
  const sandbox = await openSandbox();
  onTestFinished(() => sandbox.close());
  const { id, uuid } = await makeProvider(api, sandbox);
  const params = { service_provider_id: id };
  await api.admin.updateServiceProvider({ params, body });
  return { id, uuid, params, sandbox };
}

/** A subscription with these providers; the first one is the default. */
async function createTestSubscription(provider: Server, others: readonly Server[] = []) {
  const sold = await makeAccount(api, { provider: provider.id, features: { ...soldFeatures, max_rooms: '100' } });
  for (const other of others) {
    const { data: attached } = await api.admin.createServicePackageProvider({
      params: { service_package_id: sold.servicePackage.id },
      body: { service_provider_id: other.id },
    });
    await api.admin.createSubscriptionProvider({
      params: { subscription_id: sold.subscription.id },
      body: { package_provider_id: attached.id },
    });
  }
  return sold;
}

type Sold = Awaited<ReturnType<typeof createTestSubscription>>;

async function createTestRoom({ account }: Pick<Sold, 'account'>) {
  const { data } = await api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
  return data;
}

function join(room: { id: string }, by = api) {
  return by.admin.joinRoom({ params: { room_id: room.id }, body: { name: 'Anna', role: 'moderator' } });
}

/** Starts meetings in new rooms, one after the other. */
async function start(sold: Pick<Sold, 'account'>, count = 1) {
  for (let index = 0; index < count; index++) await join(await createTestRoom(sold));
}

function meetingsOn({ sandbox }: Server): number {
  return sandbox.control.state().meetings.length;
}

async function run(name: string): Promise<void> {
  await runJob(api.app.dependencies, name);
}

async function patch({ params }: Server, body: Record<string, unknown>) {
  return (await api.admin.updateServiceProvider({ params, body })).data;
}

async function failoversOf({ uuid }: Server) {
  const rows = await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select('new_values')
    .where('resource_id', '=', uuid)
    .where('action', '=', 'service_provider.failed_over')
    .execute();
  return rows.map(({ new_values: values }) => values?.['reason']);
}

async function requireTags({ subscription }: Pick<Sold, 'subscription'>, tags: unknown) {
  const params = { subscription_id: subscription.id };
  const { data: rows } = await api.admin.listSubscriptionProviders({ params });
  const provider = rows.find((row) => row.default);
  return await api.admin.updateSubscriptionProvider({
    params: { ...params, provider_id: provider?.id ?? '' },
    body: { settings: { tags } },
  });
}

describe('the placement settings of a provider', () => {
  test.each([
    { pool: 'EU', field: 'pool' },
    { pool: 'a b', field: 'pool' },
    { pool: 'x'.repeat(51), field: 'pool' },
    { tags: ['eu', 'G P U'], field: 'tags.1' },
    { tags: Array.from({ length: 51 }, (_, index) => `t${index}`), field: 'tags' },
    { tags: 'eu', field: 'tags' },
    { weight: 1001, field: 'weight' },
    { weight: -1, field: 'weight' },
    { weight: 1.5, field: 'weight' },
    { draining: 'later', field: 'draining' },
    { max_meetings: 0, field: 'max_meetings' },
    { max_participants: -5, field: 'max_participants' },
  ])(
    'are rejected with an error on $field: $pool$tags$weight$draining$max_meetings$max_participants',
    async ({ field, ...body }) => {
      const { params } = await createTestServer();
      const refusal = await refusalOf(api.admin.updateServiceProvider({ params, body: body as never }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [field]]);
    },
  );

  test('are returned, keep their values, and are cleared by null', async () => {
    const server = await createTestServer();
    const plain = { pool: null, tags: [], weight: 100, draining: false, max_meetings: null, max_participants: null };
    expect((await api.admin.readServiceProvider({ params: server.params })).data).toMatchObject(plain);
    const set = {
      pool: 'europe',
      tags: ['eu', 'gpu'],
      weight: 250,
      draining: true,
      max_meetings: 80,
      max_participants: 400,
    };
    expect(await patch(server, { ...set, tags: ['eu', 'gpu', 'eu'] })).toMatchObject(set);
    expect(await patch(server, { provider_name: 'Renamed' })).toMatchObject(set);
    expect(
      await patch(server, {
        pool: null,
        tags: null,
        weight: 100,
        draining: false,
        max_meetings: null,
        max_participants: null,
      }),
    ).toMatchObject(plain);
    const { data: listed } = await api.admin.listServiceProviders({ query: { search: 'pool:europe' } });
    expect(listed).toEqual([]);
  });

  test('can be set when a provider is created, and can be searched by pool', async () => {
    const { data } = await api.admin.createServiceProvider({
      body: {
        provider_name: 'Pooled',
        provider_type: 'scalelite',
        properties: { host_url: 'https://meet.example.com', secret: 'a-secret' },
        pool: 'asia',
        tags: ['jp'],
        weight: 0,
        draining: true,
        max_meetings: 1,
        max_participants: 2,
      },
    });
    expect(data).toMatchObject({ pool: 'asia', tags: ['jp'], weight: 0, draining: true, max_meetings: 1 });
    expect(data.capabilities).toEqual({
      hooks: false,
      send_chat_message: false,
      text_tracks: false,
      redirect_false: false,
      recording_pagination: false,
      sha384: false,
      admin_api: true,
      recording_sizes: false,
    });
    const { data: matches } = await api.admin.listServiceProviders({ query: { search: 'pool:asia' } });
    expect(matches.map(({ id }) => id)).toEqual([data.id]);
  });
});

describe('a pool', () => {
  test('shares new meetings among its members, also those that the subscription does not have', async () => {
    const [one, other] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const stranger = await createTestServer({ pool: unique('pool') });
    await start(await createTestSubscription(one), 6);
    expect([meetingsOn(one), meetingsOn(other), meetingsOn(stranger)]).toEqual([3, 3, 0]);
  });

  test('distributes by weight: three times the weight gets three times the meetings', async () => {
    const [strong, weak] = [
      await createTestServer({ pool, weight: 300 }),
      await createTestServer({ pool, weight: 100 }),
    ];
    await start(await createTestSubscription(weak), 8);
    expect([meetingsOn(strong), meetingsOn(weak)]).toEqual([6, 2]);
  });

  test('avoids members with many participants in the last poll', async () => {
    // With the weight 0, the idle server is not chosen for the first meeting.
    const [busy, idle] = [await createTestServer({ pool }), await createTestServer({ pool, weight: 0 })];
    const sold = await createTestSubscription(busy);
    await start(sold);
    const [meeting] = busy.sandbox.control.state().meetings;
    for (let person = 0; person < 60; person++)
      busy.sandbox.control.joinUser({ meetingID: meeting?.meetingID ?? '', fullName: `P${person}` });
    await patch(idle, { weight: 100 });
    api.clock.advance({ minutes: 1 });
    await run('sync-meetings');
    await start(sold, 3);
    expect([meetingsOn(busy), meetingsOn(idle)]).toEqual([1, 3]);
  });

  test('skips members without the required tags', async () => {
    const plain = await createTestServer({ pool });
    const tagged = await createTestServer({ pool, tags: ['gpu', 'recording'] });
    const sold = await createTestSubscription(plain);
    await requireTags(sold, ['gpu']);
    await start(sold, 3);
    expect([meetingsOn(plain), meetingsOn(tagged)]).toEqual([0, 3]);
    await requireTags(sold, ['gpu', 'moon']);
    const refusal = await refusalOf(join(await createTestRoom(sold)));
    expect([refusal.status, refusal.code]).toEqual([403, 'no-usable-provider']);
  });

  test('is limited by the tags of the package in later subscriptions', async () => {
    const [plain, tagged] = [await createTestServer({ pool }), await createTestServer({ pool, tags: ['gpu'] })];
    const before = await createTestSubscription(plain);
    const params = { service_package_id: before.servicePackage.id };
    const { data: rows } = await api.admin.listServicePackageProviders({ params });
    await api.admin.updateServicePackageProvider({
      params: { ...params, provider_id: rows[0]?.id ?? '' },
      body: { settings: { tags: ['gpu'] } },
    });
    await patch(tagged, { weight: 0 });
    await start(before);
    expect([meetingsOn(plain), meetingsOn(tagged)]).toEqual([1, 0]);
    const { data: subscription } = await api.admin.createSubscription({
      body: { package_id: before.servicePackage.id, subscriber_id: before.customer.id },
    });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: unique('Account'), subscription_id: subscription.id },
    });
    await start({ account });
    expect([meetingsOn(plain), meetingsOn(tagged)]).toEqual([1, 1]);
  });

  test('is not used if its provider is inactive in the subscription', async () => {
    const [one, other] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const fallback = await createTestServer();
    const sold = await createTestSubscription(fallback, [one]);
    const params = { subscription_id: sold.subscription.id };
    const { data: rows } = await api.admin.listSubscriptionProviders({ params });
    const row = rows.find(({ service_provider_id: id }) => id === one.id);
    await api.admin.updateSubscriptionProvider({
      params: { ...params, provider_id: row?.id ?? '' },
      body: { active: false },
    });
    await patch(fallback, { draining: true });
    expect((await refusalOf(join(await createTestRoom(sold)))).code).toBe('no-usable-provider');
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([0, 0]);
  });

  test('does not use inactive members', async () => {
    const [one, other] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const sold = await createTestSubscription(one);
    await patch(other, { active: false });
    await start(sold, 3);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([3, 0]);
  });

  test('is loaded in one statement, however many members it has', async () => {
    const first = await createTestServer({ pool });
    const sold = await createTestSubscription(first);
    const room = await createTestRoom(sold);
    await join(room);
    const check = () => api.admin.checkRoomEntry({ params: { room_id: room.id }, body: {} });
    const few = await countStatements(check);
    for (let count = 0; count < 4; count++) await makeInPool();
    expect(await countStatements(check)).toBe(few);

    async function makeInPool() {
      const { id } = await makeProvider(api);
      await api.admin.updateServiceProvider({ params: { service_provider_id: id }, body: { pool } });
    }
  });
});

describe('a provider that is draining', () => {
  test('takes no new meetings, but running ones can be joined', async () => {
    const [one, other] = [await createTestServer(), await createTestServer()];
    const sold = await createTestSubscription(one, [other]);
    const room = await createTestRoom(sold);
    await join(room);
    await patch(one, { draining: true });
    await join(room);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([1, 0]);
    await start(sold, 2);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([1, 2]);
    await patch(one, { draining: false });
    await start(sold);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([2, 2]);
  });

  test('rejects new meetings with a reason if it is the only one, but running ones can be joined', async () => {
    const server = await createTestServer();
    const sold = await createTestSubscription(server);
    const [running, closed] = [await createTestRoom(sold), await createTestRoom(sold)];
    await join(running);
    await patch(server, { draining: true });
    const { data: entry } = await join(running);
    expect(entry.url).toContain(server.sandbox.url);
    const refusal = await refusalOf(join(closed));
    expect([refusal.status, refusal.code]).toEqual([403, 'no-usable-provider']);
    const { data: check } = await api.admin.checkRoomEntry({ params: { room_id: closed.id }, body: {} });
    expect(check.reasons.map(({ code }) => code)).toContain('no-usable-provider');
  });

  test('can be deleted only after its last meeting has ended', async () => {
    const [named, drained] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const sold = await createTestSubscription(named);
    await patch(named, { draining: true });
    const room = await createTestRoom(sold);
    await join(room);
    expect(meetingsOn(drained)).toBe(1);
    const refusal = await refusalOf(api.admin.deleteServiceProvider({ params: drained.params }));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-in-use']);
    drained.sandbox.control.endMeeting(parseIdentifier('room', room.id) ?? '');
    api.clock.advance({ minutes: 3 });
    await run('sync-meetings');
    await api.admin.deleteServiceProvider({ params: drained.params });
  });
});

describe('a provider with a limit', () => {
  test('gets no more meetings; the next provider gets them', async () => {
    const [one, other] = [await createTestServer({ max_meetings: 2 }), await createTestServer()];
    await start(await createTestSubscription(one, [other]), 4);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([2, 2]);
  });

  test('never exceeds its limit when several processes open rooms concurrently', async () => {
    const [one, other] = [await createTestServer({ max_meetings: 3 }), await createTestServer()];
    const sold = await createTestSubscription(one, [other]);
    const rooms = await Promise.all(Array.from({ length: 8 }, () => createTestRoom(sold)));
    const second = await api.another();
    onTestFinished(() => second.close());
    await Promise.all(rooms.map((room, index) => join(room, index % 2 === 0 ? api : second)));
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([3, 5]);
    const { data: health } = await api.admin.readServiceProviderHealth({ params: one.params });
    expect(health.capacity).toMatchObject({ max_meetings: 3, meetings_left: 0, takes_meetings: false });
  });

  test('has capacity again when a meeting is over', async () => {
    const server = await createTestServer({ max_meetings: 1 });
    const sold = await createTestSubscription(server);
    const [one, other] = [await createTestRoom(sold), await createTestRoom(sold)];
    await join(one);
    expect((await refusalOf(join(other))).code).toBe('no-usable-provider');
    server.sandbox.control.endMeeting(parseIdentifier('room', one.id) ?? '');
    api.clock.advance({ minutes: 3 });
    await run('sync-meetings');
    await join(other);
  });

  test('counts participants, including those who are joining', async () => {
    const [one, other] = [await createTestServer({ max_participants: 2 }), await createTestServer()];
    const sold = await createTestSubscription(one, [other]);
    const room = await createTestRoom(sold);
    await join(room);
    await join(room);
    await start(sold);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([1, 1]);
    // Running meetings can still be joined: the limit only applies to new ones.
    await join(room);
    expect(meetingsOn(one)).toBe(1);
  });

  test('reserves no capacity for a meeting that did not open', async () => {
    const server = await createTestServer({ max_meetings: 1 });
    const sold = await createTestSubscription(server);
    server.sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'create', times: 2 });
    expect((await refusalOf(join(await createTestRoom(sold)))).status).toBe(503);
    await start(sold);
    expect(meetingsOn(server)).toBe(1);
  });
});

describe('when providers fail', () => {
  test('the next member of the pool is tried, then the other providers, and each step is audited', async () => {
    const [one, two] = [await createTestServer({ pool }), await createTestServer({ pool, weight: 10 })];
    const last = await createTestServer();
    const sold = await createTestSubscription(one, [last]);
    one.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null, call: 'create' });
    await start(sold);
    expect([meetingsOn(one), meetingsOn(two), meetingsOn(last)]).toEqual([0, 1, 0]);
    two.sandbox.control.injectFault({ kind: 'html-page', times: null, call: 'create' });
    await start(sold);
    expect([meetingsOn(two), meetingsOn(last)]).toEqual([1, 1]);
    expect(await failoversOf(one)).toContain('failed');
    expect(await failoversOf(two)).toEqual(['failed']);
    expect(await failoversOf(last)).toEqual([]);
  });

  test('a server that is down is skipped, which is audited; when no other server remains it is tried', async () => {
    const [one, other] = [await createTestServer(), await createTestServer()];
    const sold = await createTestSubscription(one, [other]);
    one.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    for (let minute = 0; minute < 2; minute++) {
      api.clock.advance({ minutes: 1 });
      await run('check-providers');
    }
    one.sandbox.control.clearFaults();
    one.sandbox.control.clearCalls();
    await start(sold);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([0, 1]);
    expect(one.sandbox.control.calls()).toEqual([]);
    expect(await failoversOf(one)).toEqual(['down']);
    await patch(other, { draining: true });
    await start(sold);
    expect(meetingsOn(one)).toBe(1);
  });

  test('while one provider hangs, the status of its rooms is unknown, and that of other rooms is returned', async () => {
    const [hung, well] = [await createTestServer(), await createTestServer()];
    const [waiting, open] = [
      await createTestRoom(await createTestSubscription(hung)),
      await createTestRoom(await createTestSubscription(well)),
    ];
    hung.sandbox.control.injectFault({ kind: 'hang', times: null });
    await api.admin.updateSettings({ body: { provider_timeout_ms: 60_000 } });
    onTestFinished(async () => void (await api.admin.updateSettings({ body: { provider_timeout_ms: 1500 } })));
    const statuses: string[] = [];
    const statusOf = async (room: { id: string }) => {
      const { data } = await api.admin.readRoomStatus({ params: { room_id: room.id } });
      statuses.push(data.status);
    };
    const all = Promise.all(Array.from({ length: 20 }, () => statusOf(waiting)));
    await Promise.all(Array.from({ length: 20 }, () => statusOf(open)));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 'inactive'));
    // Ends the wait.
    await hung.sandbox.close();
    await all;
    expect(statuses.slice(20)).toEqual(Array.from({ length: 20 }, () => 'unknown'));
  });

  test('a room whose default is drained is idle if any of its providers reports it', async () => {
    const [one, other] = [await createTestServer(), await createTestServer()];
    const sold = await createTestSubscription(one, [other]);
    const params = { room_id: (await createTestRoom(sold)).id };
    await patch(one, { draining: true });
    other.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    const idle = { status: 'inactive', running: false, provider: { id: one.id } };
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject(idle);
    for (let minute = 0; minute < 2; minute++) {
      api.clock.advance({ minutes: 1 });
      await run('check-providers');
    }
    other.sandbox.control.clearCalls();
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject(idle);
    expect(other.sandbox.control.calls()).toEqual([]);
    one.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject({ status: 'unknown', running: null });
  });

  test('the status of a room that may be on either of two providers comes from the one that answers', async () => {
    const [one, other] = [await createTestServer(), await createTestServer()];
    const sold = await createTestSubscription(one, [other]);
    const params = { room_id: (await createTestRoom(sold)).id };
    one.sandbox.control.injectFault({ kind: 'hang', times: null });
    other.sandbox.control.clearCalls();
    const { data: before } = await api.admin.readSettings();
    await api.admin.updateSettings({ body: { provider_timeout_ms: 60_000 } });
    const pendingStatus = api.admin.readRoomStatus({ params });
    await expect.poll(() => other.sandbox.control.calls().length).toBe(1);
    await api.admin.updateSettings({ body: { provider_timeout_ms: before.provider_timeout_ms } });
    // Ends the call to the first one.
    await one.sandbox.close();
    expect((await pendingStatus).data).toMatchObject({ status: 'inactive', provider: { id: other.id } });
    other.sandbox.control.injectFault({ kind: 'hang', times: null });
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject({
      status: 'unknown',
      provider: { id: one.id },
    });
  });

  test('changed credentials are used by every process at the next entry into a meeting that runs', async () => {
    const server = await createTestServer();
    const sold = await createTestSubscription(server);
    const room = await createTestRoom(sold);
    const second = await api.another();
    onTestFinished(() => second.close());
    await join(room, second);
    await patch(server, { properties: { secret: 'mistyped' } });
    for (const by of [api, second]) expect((await refusalOf(join(room, by))).status).toBe(503);
    await patch(server, { properties: { secret: server.sandbox.secret } });
    for (const by of [api, second]) expect((await join(room, by)).data.url).toContain(server.sandbox.url);
  });

  test('a running meeting is joined on its server, regardless of later changes', async () => {
    const [one, other] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const sold = await createTestSubscription(one);
    await patch(other, { draining: true });
    const room = await createTestRoom(sold);
    await join(room);
    await patch(other, { draining: false });
    await patch(one, { draining: true, pool: null, tags: ['moved'], max_meetings: 1 });
    const { data: entry } = await join(room);
    expect(entry.url).toContain(one.sandbox.url);
    expect([meetingsOn(one), meetingsOn(other)]).toEqual([1, 0]);
    const { data: status } = await api.admin.readRoomStatus({ params: { room_id: room.id } });
    expect(status.provider?.id).toBe(one.id);
  });

  test('when a server restarts during a meeting, the next join opens the room again', async () => {
    const server = await createTestServer();
    const sold = await createTestSubscription(server);
    const room = await createTestRoom(sold);
    await join(room);
    server.sandbox.control.restart();
    const { data: entry } = await join(room);
    expect(entry.meeting_started).toBe(true);
    expect(meetingsOn(server)).toBe(1);
  });
});

test.each([['eu'], [['eu', 7]], [['E U']], [{ eu: true }]])(
  'the tags setting %j is rejected, on packages and subscriptions',
  async (tags) => {
    const server = await createTestServer();
    const sold = await createTestSubscription(server);
    const refusal = await refusalOf(requireTags(sold, tags));
    expect(refusal.status).toBe(422);
    expect(Object.keys(refusal.errors).every((name) => name.startsWith('settings.tags'))).toBe(true);
    const onPackage = api.admin.createServicePackageProvider({
      params: { service_package_id: sold.servicePackage.id },
      body: { service_provider_id: (await createTestServer()).id, settings: { tags } },
    });
    expect((await refusalOf(onPackage)).status).toBe(422);
  },
);
