import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { parseIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeAccount, makeProvider, openSandbox, refusalOf, soldFeatures, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
/** A new pool name for each test. */
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
async function createTestSubscription(provider: Server, otherServers: readonly Server[] = []) {
  const fixture = await makeAccount(api, { provider: provider.id, features: { ...soldFeatures, max_rooms: '100' } });
  for (const server of otherServers) {
    const { data: attached } = await api.admin.createServicePackageProvider({
      params: { service_package_id: fixture.servicePackage.id },
      body: { service_provider_id: server.id },
    });
    await api.admin.createSubscriptionProvider({
      params: { subscription_id: fixture.subscription.id },
      body: { package_provider_id: attached.id },
    });
  }
  return fixture;
}

type Fixture = Awaited<ReturnType<typeof createTestSubscription>>;

async function createTestRoom({ account }: Pick<Fixture, 'account'>) {
  const { data } = await api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
  return data;
}

function join(room: { id: string }, node = api) {
  return node.admin.joinRoom({ params: { room_id: room.id }, body: { name: 'Anna', role: 'moderator' } });
}

/** Starts meetings in new rooms, one after the other. */
async function startMeetings(fixture: Pick<Fixture, 'account'>, count = 1) {
  for (let index = 0; index < count; index++) await join(await createTestRoom(fixture));
}

function countMeetings({ sandbox }: Server): number {
  return sandbox.control.state().meetings.length;
}

async function run(name: string): Promise<void> {
  await runJob(api.app.dependencies, name);
}

async function updateProvider({ params }: Server, body: Record<string, unknown>) {
  return (await api.admin.updateServiceProvider({ params, body })).data;
}

async function readFailoverReasons({ uuid }: Server) {
  const rows = await api.app.dependencies.db
    .selectFrom('audit_entries')
    .select('new_values')
    .where('resource_id', '=', uuid)
    .where('action', '=', 'service_provider.failed_over')
    .execute();
  return rows.map(({ new_values: values }) => values?.['reason']);
}

async function requireTags({ subscription }: Pick<Fixture, 'subscription'>, tags: unknown) {
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
    const defaults = { pool: null, tags: [], weight: 100, draining: false, max_meetings: null, max_participants: null };
    expect((await api.admin.readServiceProvider({ params: server.params })).data).toMatchObject(defaults);
    const settings = {
      pool: 'europe',
      tags: ['eu', 'gpu'],
      weight: 250,
      draining: true,
      max_meetings: 80,
      max_participants: 400,
    };
    expect(await updateProvider(server, { ...settings, tags: ['eu', 'gpu', 'eu'] })).toMatchObject(settings);
    expect(await updateProvider(server, { provider_name: 'Renamed' })).toMatchObject(settings);
    expect(
      await updateProvider(server, {
        pool: null,
        tags: null,
        weight: 100,
        draining: false,
        max_meetings: null,
        max_participants: null,
      }),
    ).toMatchObject(defaults);
    const { data: matches } = await api.admin.listServiceProviders({ query: { search: 'pool:europe' } });
    expect(matches).toEqual([]);
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
  test('distributes new meetings among its members, also members that the subscription does not have', async () => {
    const [first, second] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const unrelated = await createTestServer({ pool: unique('pool') });
    await startMeetings(await createTestSubscription(first), 6);
    expect([countMeetings(first), countMeetings(second), countMeetings(unrelated)]).toEqual([3, 3, 0]);
  });

  test('distributes by weight: three times the weight gets three times the meetings', async () => {
    const [strong, weak] = [
      await createTestServer({ pool, weight: 300 }),
      await createTestServer({ pool, weight: 100 }),
    ];
    await startMeetings(await createTestSubscription(weak), 8);
    expect([countMeetings(strong), countMeetings(weak)]).toEqual([6, 2]);
  });

  test('avoids members with many participants in the last poll', async () => {
    // With the weight 0, the idle server is not chosen for the first meeting.
    const [busy, idle] = [await createTestServer({ pool }), await createTestServer({ pool, weight: 0 })];
    const fixture = await createTestSubscription(busy);
    await startMeetings(fixture);
    const [meeting] = busy.sandbox.control.state().meetings;
    for (let person = 0; person < 60; person++)
      busy.sandbox.control.joinUser({ meetingID: meeting?.meetingID ?? '', fullName: `P${person}` });
    await updateProvider(idle, { weight: 100 });
    api.clock.advance({ minutes: 1 });
    await run('sync-meetings');
    await startMeetings(fixture, 3);
    expect([countMeetings(busy), countMeetings(idle)]).toEqual([1, 3]);
  });

  test('skips members without the required tags', async () => {
    const plain = await createTestServer({ pool });
    const tagged = await createTestServer({ pool, tags: ['gpu', 'recording'] });
    const fixture = await createTestSubscription(plain);
    await requireTags(fixture, ['gpu']);
    await startMeetings(fixture, 3);
    expect([countMeetings(plain), countMeetings(tagged)]).toEqual([0, 3]);
    await requireTags(fixture, ['gpu', 'moon']);
    const refusal = await refusalOf(join(await createTestRoom(fixture)));
    expect([refusal.status, refusal.code]).toEqual([403, 'no-usable-provider']);
  });

  test('is limited by the required tags of the package in subscriptions that are created later', async () => {
    const [plain, tagged] = [await createTestServer({ pool }), await createTestServer({ pool, tags: ['gpu'] })];
    const olderFixture = await createTestSubscription(plain);
    const params = { service_package_id: olderFixture.servicePackage.id };
    const { data: rows } = await api.admin.listServicePackageProviders({ params });
    await api.admin.updateServicePackageProvider({
      params: { ...params, provider_id: rows[0]?.id ?? '' },
      body: { settings: { tags: ['gpu'] } },
    });
    await updateProvider(tagged, { weight: 0 });
    await startMeetings(olderFixture);
    expect([countMeetings(plain), countMeetings(tagged)]).toEqual([1, 0]);
    const { data: subscription } = await api.admin.createSubscription({
      body: { package_id: olderFixture.servicePackage.id, subscriber_id: olderFixture.customer.id },
    });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: unique('Account'), subscription_id: subscription.id },
    });
    await startMeetings({ account });
    expect([countMeetings(plain), countMeetings(tagged)]).toEqual([1, 1]);
  });

  test('is not used if its provider is inactive in the subscription', async () => {
    const [first, second] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const fallback = await createTestServer();
    const fixture = await createTestSubscription(fallback, [first]);
    const params = { subscription_id: fixture.subscription.id };
    const { data: rows } = await api.admin.listSubscriptionProviders({ params });
    const row = rows.find(({ service_provider_id: id }) => id === first.id);
    await api.admin.updateSubscriptionProvider({
      params: { ...params, provider_id: row?.id ?? '' },
      body: { active: false },
    });
    await updateProvider(fallback, { draining: true });
    expect((await refusalOf(join(await createTestRoom(fixture)))).code).toBe('no-usable-provider');
    expect([countMeetings(first), countMeetings(second)]).toEqual([0, 0]);
  });

  test('does not use inactive members', async () => {
    const [first, second] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const fixture = await createTestSubscription(first);
    await updateProvider(second, { active: false });
    await startMeetings(fixture, 3);
    expect([countMeetings(first), countMeetings(second)]).toEqual([3, 0]);
  });

  test('is loaded in one statement, however many members it has', async () => {
    const server = await createTestServer({ pool });
    const fixture = await createTestSubscription(server);
    const room = await createTestRoom(fixture);
    await join(room);
    const check = () => api.admin.checkRoomEntry({ params: { room_id: room.id }, body: {} });
    const statementCount = await countStatements(check);
    for (let count = 0; count < 4; count++) await makeInPool();
    expect(await countStatements(check)).toBe(statementCount);

    async function makeInPool() {
      const { id } = await makeProvider(api);
      await api.admin.updateServiceProvider({ params: { service_provider_id: id }, body: { pool } });
    }
  });
});

describe('a provider that is draining', () => {
  test('takes no new meetings, but its running meetings can be joined', async () => {
    const [first, second] = [await createTestServer(), await createTestServer()];
    const fixture = await createTestSubscription(first, [second]);
    const room = await createTestRoom(fixture);
    await join(room);
    await updateProvider(first, { draining: true });
    await join(room);
    expect([countMeetings(first), countMeetings(second)]).toEqual([1, 0]);
    await startMeetings(fixture, 2);
    expect([countMeetings(first), countMeetings(second)]).toEqual([1, 2]);
    await updateProvider(first, { draining: false });
    await startMeetings(fixture);
    expect([countMeetings(first), countMeetings(second)]).toEqual([2, 2]);
  });

  test('rejects new meetings with a reason if it is the only provider, but its running meetings can be joined', async () => {
    const server = await createTestServer();
    const fixture = await createTestSubscription(server);
    const [runningRoom, otherRoom] = [await createTestRoom(fixture), await createTestRoom(fixture)];
    await join(runningRoom);
    await updateProvider(server, { draining: true });
    const { data: entry } = await join(runningRoom);
    expect(entry.url).toContain(server.sandbox.url);
    const refusal = await refusalOf(join(otherRoom));
    expect([refusal.status, refusal.code]).toEqual([403, 'no-usable-provider']);
    const { data: check } = await api.admin.checkRoomEntry({ params: { room_id: otherRoom.id }, body: {} });
    expect(check.reasons.map(({ code }) => code)).toContain('no-usable-provider');
  });

  test('can be deleted only after its last meeting has ended', async () => {
    const [drainingServer, otherMember] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const fixture = await createTestSubscription(drainingServer);
    await updateProvider(drainingServer, { draining: true });
    const room = await createTestRoom(fixture);
    await join(room);
    expect(countMeetings(otherMember)).toBe(1);
    const refusal = await refusalOf(api.admin.deleteServiceProvider({ params: otherMember.params }));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-in-use']);
    otherMember.sandbox.control.endMeeting(parseIdentifier('room', room.id) ?? '');
    api.clock.advance({ minutes: 3 });
    await run('sync-meetings');
    await api.admin.deleteServiceProvider({ params: otherMember.params });
  });
});

describe('a provider with a limit', () => {
  test('gets no meetings above the limit; the next provider gets them', async () => {
    const [first, second] = [await createTestServer({ max_meetings: 2 }), await createTestServer()];
    await startMeetings(await createTestSubscription(first, [second]), 4);
    expect([countMeetings(first), countMeetings(second)]).toEqual([2, 2]);
  });

  test('never exceeds its limit when several processes open rooms concurrently', async () => {
    const [first, second] = [await createTestServer({ max_meetings: 3 }), await createTestServer()];
    const fixture = await createTestSubscription(first, [second]);
    const rooms = await Promise.all(Array.from({ length: 8 }, () => createTestRoom(fixture)));
    const otherProcess = await api.another();
    onTestFinished(() => otherProcess.close());
    await Promise.all(rooms.map((room, index) => join(room, index % 2 === 0 ? api : otherProcess)));
    expect([countMeetings(first), countMeetings(second)]).toEqual([3, 5]);
    const { data: health } = await api.admin.readServiceProviderHealth({ params: first.params });
    expect(health.capacity).toMatchObject({ max_meetings: 3, meetings_left: 0, takes_meetings: false });
  });

  test('has capacity again when a meeting is over', async () => {
    const server = await createTestServer({ max_meetings: 1 });
    const fixture = await createTestSubscription(server);
    const [firstRoom, secondRoom] = [await createTestRoom(fixture), await createTestRoom(fixture)];
    await join(firstRoom);
    expect((await refusalOf(join(secondRoom))).code).toBe('no-usable-provider');
    server.sandbox.control.endMeeting(parseIdentifier('room', firstRoom.id) ?? '');
    api.clock.advance({ minutes: 3 });
    await run('sync-meetings');
    await join(secondRoom);
  });

  test('counts participants, including those who are joining', async () => {
    const [first, second] = [await createTestServer({ max_participants: 2 }), await createTestServer()];
    const fixture = await createTestSubscription(first, [second]);
    const room = await createTestRoom(fixture);
    await join(room);
    await join(room);
    await startMeetings(fixture);
    expect([countMeetings(first), countMeetings(second)]).toEqual([1, 1]);
    // Running meetings can still be joined: the limit only applies to new meetings.
    await join(room);
    expect(countMeetings(first)).toBe(1);
  });

  test('reserves no capacity for a meeting that did not open', async () => {
    const server = await createTestServer({ max_meetings: 1 });
    const fixture = await createTestSubscription(server);
    server.sandbox.control.injectFault({ kind: 'http-error', status: 503, call: 'create', times: 2 });
    expect((await refusalOf(join(await createTestRoom(fixture)))).status).toBe(503);
    await startMeetings(fixture);
    expect(countMeetings(server)).toBe(1);
  });
});

describe('when providers fail', () => {
  test('the next member of the pool is tried, then the other providers, and each step is audited', async () => {
    const [first, second] = [await createTestServer({ pool }), await createTestServer({ pool, weight: 10 })];
    const last = await createTestServer();
    const fixture = await createTestSubscription(first, [last]);
    first.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null, call: 'create' });
    await startMeetings(fixture);
    expect([countMeetings(first), countMeetings(second), countMeetings(last)]).toEqual([0, 1, 0]);
    second.sandbox.control.injectFault({ kind: 'html-page', times: null, call: 'create' });
    await startMeetings(fixture);
    expect([countMeetings(second), countMeetings(last)]).toEqual([1, 1]);
    expect(await readFailoverReasons(first)).toContain('failed');
    expect(await readFailoverReasons(second)).toEqual(['failed']);
    expect(await readFailoverReasons(last)).toEqual([]);
  });

  test('a server that is down is skipped, which is audited, and is tried only if no other server remains', async () => {
    const [first, second] = [await createTestServer(), await createTestServer()];
    const fixture = await createTestSubscription(first, [second]);
    first.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    for (let minute = 0; minute < 2; minute++) {
      api.clock.advance({ minutes: 1 });
      await run('check-providers');
    }
    first.sandbox.control.clearFaults();
    first.sandbox.control.clearCalls();
    await startMeetings(fixture);
    expect([countMeetings(first), countMeetings(second)]).toEqual([0, 1]);
    expect(first.sandbox.control.calls()).toEqual([]);
    expect(await readFailoverReasons(first)).toEqual(['down']);
    await updateProvider(second, { draining: true });
    await startMeetings(fixture);
    expect(countMeetings(first)).toBe(1);
  });

  test('while one provider hangs, the status of its rooms is unknown, and the status of other rooms is returned', async () => {
    const [hangingServer, healthyServer] = [await createTestServer(), await createTestServer()];
    const [hangingRoom, healthyRoom] = [
      await createTestRoom(await createTestSubscription(hangingServer)),
      await createTestRoom(await createTestSubscription(healthyServer)),
    ];
    hangingServer.sandbox.control.injectFault({ kind: 'hang', times: null });
    await api.admin.updateSettings({ body: { provider_timeout_ms: 60_000 } });
    onTestFinished(async () => void (await api.admin.updateSettings({ body: { provider_timeout_ms: 1500 } })));
    const statuses: string[] = [];
    const statusOf = async (room: { id: string }) => {
      const { data } = await api.admin.readRoomStatus({ params: { room_id: room.id } });
      statuses.push(data.status);
    };
    const pendingStatuses = Promise.all(Array.from({ length: 20 }, () => statusOf(hangingRoom)));
    await Promise.all(Array.from({ length: 20 }, () => statusOf(healthyRoom)));
    expect(statuses).toEqual(Array.from({ length: 20 }, () => 'inactive'));
    // Ends the pending calls.
    await hangingServer.sandbox.close();
    await pendingStatuses;
    expect(statuses.slice(20)).toEqual(Array.from({ length: 20 }, () => 'unknown'));
  });

  test('concurrent status requests of a room share one request to its server', async () => {
    const server = await createTestServer();
    const params = { room_id: (await createTestRoom(await createTestSubscription(server))).id };
    server.sandbox.control.clearCalls();
    server.sandbox.control.injectFault({ kind: 'delay', milliseconds: 300, times: 1 });
    const responses = await Promise.all(Array.from({ length: 20 }, () => api.admin.readRoomStatus({ params })));
    expect(responses.map(({ data }) => data.status)).toEqual(responses.map(() => 'inactive'));
    expect(server.sandbox.control.calls()).toHaveLength(1);
  });

  test('a status that must be fresh is read after the request, and a deleted room has none, while an older reading runs', async () => {
    const server = await createTestServer();
    const params = { room_id: (await createTestRoom(await createTestSubscription(server))).id };
    server.sandbox.control.injectFault({ kind: 'delay', milliseconds: 500, times: 1 });
    server.sandbox.control.clearCalls();
    const olderStatus = api.admin.readRoomStatus({ params });
    await expect.poll(() => server.sandbox.control.calls().length).toBe(1);
    const freshStatus = api.admin.request('readRoomStatus', { params, query: { skipCache: 'true' } });
    await olderStatus;
    expect((await freshStatus).status).toBe(200);
    expect(server.sandbox.control.calls()).toHaveLength(2);
    server.sandbox.control.injectFault({ kind: 'delay', milliseconds: 500, times: 1 });
    const statusBeforeDeletion = api.admin.readRoomStatus({ params });
    await expect.poll(() => server.sandbox.control.calls().length).toBe(3);
    await api.admin.deleteRoom({ params });
    expect(await refusalOf(api.admin.readRoomStatus({ params }))).toMatchObject({ status: 404 });
    await statusBeforeDeletion;
  });

  test('a room whose default provider is draining is inactive if any of its providers reports this', async () => {
    const [first, second] = [await createTestServer(), await createTestServer()];
    const fixture = await createTestSubscription(first, [second]);
    const params = { room_id: (await createTestRoom(fixture)).id };
    await updateProvider(first, { draining: true });
    second.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    const idle = { status: 'inactive', running: false, provider: { id: first.id } };
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject(idle);
    for (let minute = 0; minute < 2; minute++) {
      api.clock.advance({ minutes: 1 });
      await run('check-providers');
    }
    second.sandbox.control.clearCalls();
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject(idle);
    expect(second.sandbox.control.calls()).toEqual([]);
    first.sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject({ status: 'unknown', running: null });
  });

  test('the status of a room that may be on either of two providers comes from the provider that responds', async () => {
    const [first, second] = [await createTestServer(), await createTestServer()];
    const fixture = await createTestSubscription(first, [second]);
    const params = { room_id: (await createTestRoom(fixture)).id };
    first.sandbox.control.injectFault({ kind: 'hang', times: null });
    second.sandbox.control.clearCalls();
    const { data: settingsBefore } = await api.admin.readSettings();
    await api.admin.updateSettings({ body: { provider_timeout_ms: 60_000 } });
    const pendingStatus = api.admin.readRoomStatus({ params });
    await expect.poll(() => second.sandbox.control.calls().length).toBe(1);
    await api.admin.updateSettings({ body: { provider_timeout_ms: settingsBefore.provider_timeout_ms } });
    // Ends the call to the first server.
    await first.sandbox.close();
    expect((await pendingStatus).data).toMatchObject({ status: 'inactive', provider: { id: second.id } });
    second.sandbox.control.injectFault({ kind: 'hang', times: null });
    expect((await api.admin.readRoomStatus({ params })).data).toMatchObject({
      status: 'unknown',
      provider: { id: first.id },
    });
  });

  test('changed credentials are used by every process at the next join of a running meeting', async () => {
    const server = await createTestServer();
    const fixture = await createTestSubscription(server);
    const room = await createTestRoom(fixture);
    const otherProcess = await api.another();
    onTestFinished(() => otherProcess.close());
    await join(room, otherProcess);
    await updateProvider(server, { properties: { secret: 'mistyped' } });
    for (const node of [api, otherProcess]) expect((await refusalOf(join(room, node))).status).toBe(503);
    await updateProvider(server, { properties: { secret: server.sandbox.secret } });
    for (const node of [api, otherProcess]) expect((await join(room, node)).data.url).toContain(server.sandbox.url);
  });

  test('a running meeting is joined on its server, regardless of later changes', async () => {
    const [first, second] = [await createTestServer({ pool }), await createTestServer({ pool })];
    const fixture = await createTestSubscription(first);
    await updateProvider(second, { draining: true });
    const room = await createTestRoom(fixture);
    await join(room);
    await updateProvider(second, { draining: false });
    await updateProvider(first, { draining: true, pool: null, tags: ['moved'], max_meetings: 1 });
    const { data: entry } = await join(room);
    expect(entry.url).toContain(first.sandbox.url);
    expect([countMeetings(first), countMeetings(second)]).toEqual([1, 0]);
    const { data: status } = await api.admin.readRoomStatus({ params: { room_id: room.id } });
    expect(status.provider?.id).toBe(first.id);
  });

  test('when a server restarts during a meeting, the next join opens the room again', async () => {
    const server = await createTestServer();
    const fixture = await createTestSubscription(server);
    const room = await createTestRoom(fixture);
    await join(room);
    server.sandbox.control.restart();
    const { data: entry } = await join(room);
    expect(entry.meeting_started).toBe(true);
    expect(countMeetings(server)).toBe(1);
  });
});

test.each([['eu'], [['eu', 7]], [['E U']], [{ eu: true }]])(
  'the tags setting %j is rejected, on packages and subscriptions',
  async (tags) => {
    const server = await createTestServer();
    const fixture = await createTestSubscription(server);
    const refusal = await refusalOf(requireTags(fixture, tags));
    expect(refusal.status).toBe(422);
    expect(Object.keys(refusal.errors).every((name) => name.startsWith('settings.tags'))).toBe(true);
    const attachment = api.admin.createServicePackageProvider({
      params: { service_package_id: fixture.servicePackage.id },
      body: { service_provider_id: (await createTestServer()).id, settings: { tags } },
    });
    expect((await refusalOf(attachment)).status).toBe(422);
  },
);
