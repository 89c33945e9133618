import type { HealthPeriod } from '@foyer/contract/resources/providers/service-provider-health.ts';
import type { Sandbox } from '@foyer/sandbox';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { signedUrl } from '../src/providers/bigbluebutton/request/signed-request.ts';
import { parseIdentifier } from '../src/platform/identity/identifier.ts';
import { startWorker } from '../src/worker.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeProvider, makeRoom, openSandbox, refusalOf, soldFeatures, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;

beforeEach(async () => {
  api = await startApi();
  // A short time-out for providers that hang.
  await api.admin.updateSettings({ body: { provider_timeout_ms: 1500 } });
});

afterEach(() => api.close());

async function startTestSandbox(): Promise<Sandbox> {
  const sandbox = await openSandbox();
  onTestFinished(() => sandbox.close());
  return sandbox;
}

async function createTestProvider(sandbox: Sandbox, body: Record<string, unknown> = {}) {
  const provider = await makeProvider(api, sandbox);
  const params = { service_provider_id: provider.id };
  if (Object.keys(body).length > 0) await api.admin.updateServiceProvider({ params, body });
  return { ...provider, params };
}

type Provider = Awaited<ReturnType<typeof createTestProvider>>;

async function run(name: string, node = api): Promise<number> {
  return (await runJob(node.app.dependencies, name)) ?? 0;
}

async function readHealth({ params }: Pick<Provider, 'params'>, period?: HealthPeriod) {
  const query = period === undefined ? {} : { query: { period } };
  return (await api.admin.readServiceProviderHealth({ params, ...query })).data;
}

/** Runs the job that checks providers, once a minute. */
async function runChecks(count: number) {
  for (let index = 0; index < count; index++) {
    api.clock.advance({ minutes: 1 });
    await run('check-providers');
  }
}

async function readStateEvents({ uuid }: { uuid: string }) {
  const rows = await api.app.dependencies.db
    .selectFrom('events')
    .selectAll()
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.filter(({ name }) => name.endsWith('.down') || name.endsWith('.up'));
}

/** Creates a room with a running meeting. */
async function createTestRunningMeeting(provider: Pick<Provider, 'id'>, sandbox: Sandbox) {
  const { room } = await makeRoom(api, { provider: provider.id, features: { ...soldFeatures } });
  await api.admin.joinRoom({ params: { room_id: room.id }, body: { name: 'Anna', role: 'moderator' } });
  const meetingID = parseIdentifier('room', room.id) ?? '';
  sandbox.control.joinUser({ meetingID, fullName: 'Anna', role: 'MODERATOR' });
  return { room, meetingID };
}

function takeCalls({ control }: Sandbox): string[] {
  const names = control.calls().map(({ call }) => call);
  control.clearCalls();
  return names;
}

test('a provider that was never checked has an unknown state', async () => {
  const provider = await createTestProvider(await startTestSandbox(), { max_meetings: 3 });
  expect(await readHealth(provider)).toMatchObject({
    object: 'ServiceProviderHealth',
    service_provider_id: provider.id,
    state: 'unknown',
    since: null,
    checked_at: null,
    latency_ms: null,
    running_meetings: null,
    participants: null,
    availability: { day: null, week: null },
    capacity: {
      max_meetings: 3,
      max_participants: null,
      meetings_left: 3,
      participants_left: null,
      takes_meetings: true,
    },
  });
});

test('every active provider is checked once a minute, and its version from time to time', async () => {
  const [firstSandbox, secondSandbox, inactiveSandbox] = [
    await startTestSandbox(),
    await startTestSandbox(),
    await startTestSandbox(),
  ];
  const provider = await createTestProvider(firstSandbox);
  await createTestProvider(secondSandbox);
  await createTestProvider(inactiveSandbox, { active: false });
  expect(await run('check-providers')).toBe(2);
  expect([takeCalls(firstSandbox), takeCalls(secondSandbox), takeCalls(inactiveSandbox)]).toEqual([
    ['getMeetings', 'root'],
    ['getMeetings', 'root'],
    [],
  ]);
  expect(await run('check-providers')).toBe(0);
  await runChecks(3);
  expect([takeCalls(firstSandbox), takeCalls(inactiveSandbox)]).toEqual([
    ['getMeetings', 'getMeetings', 'getMeetings'],
    [],
  ]);
  api.clock.advance({ hours: 24 });
  await run('check-providers');
  expect(takeCalls(firstSandbox)).toEqual(['getMeetings', 'root']);
  expect(await readHealth(provider)).toMatchObject({
    state: 'healthy',
    since: expect.stringContaining('2026-03-10T12:00:00'),
    api_version: '2.0',
    problem: null,
    running_meetings: 0,
    participants: 0,
  });
});

test('processes that check at the same time check each provider only once', async () => {
  const sandboxes = await Promise.all(Array.from({ length: 4 }, startTestSandbox));
  for (const sandbox of sandboxes) await createTestProvider(sandbox);
  const otherProcess = await api.another();
  onTestFinished(() => otherProcess.close());
  const checkCounts = await Promise.all([
    run('check-providers'),
    run('check-providers', otherProcess),
    run('check-providers'),
  ]);
  expect(checkCounts.reduce((sum, count) => sum + count, 0)).toBe(4);
  for (const sandbox of sandboxes) expect(takeCalls(sandbox).filter((call) => call === 'getMeetings')).toHaveLength(1);
});

/** Creates a meeting as another client of the same server. */
async function createTestForeignMeeting(sandbox: Sandbox, people: number) {
  const signer = { apiUrl: sandbox.apiUrl, secret: sandbox.secret, algorithm: 'sha256' } as const;
  const meetingID = unique('foreign');
  const created = await fetch(signedUrl(signer, 'create', { meetingID, name: 'Foreign' }));
  expect(await created.text()).toContain('SUCCESS');
  for (let person = 0; person < people; person++) sandbox.control.joinUser({ meetingID, fullName: `Guest ${person}` });
}

test('polling meetings counts as a check, so no provider is requested twice', async () => {
  const [busy, idle] = [await startTestSandbox(), await startTestSandbox()];
  const provider = await createTestProvider(busy);
  await createTestProvider(idle);
  await createTestRunningMeeting(provider, busy);
  takeCalls(busy);
  for (let minute = 0; minute < 3; minute++) {
    api.clock.advance({ minutes: 1 });
    await Promise.all([run('sync-meetings'), run('check-providers')]);
    expect(takeCalls(busy).filter((call) => call === 'getMeetings')).toHaveLength(1);
    expect(takeCalls(idle).filter((call) => call === 'getMeetings')).toHaveLength(1);
  }
  expect(await readHealth(provider)).toMatchObject({ state: 'healthy', running_meetings: 1, participants: 1 });
});

test('a provider whose meetings are no longer polled is checked by the job', async () => {
  const sandbox = await startTestSandbox();
  const provider = await createTestProvider(sandbox);
  await createTestRunningMeeting(provider, sandbox);
  await run('sync-meetings');
  takeCalls(sandbox);
  await runChecks(2);
  expect(takeCalls(sandbox)).not.toContain('getMeetings');
  await runChecks(1);
  expect(takeCalls(sandbox)).toContain('getMeetings');
});

test('meetings of other clients on the same server are counted against its capacity', async () => {
  const sandbox = await startTestSandbox();
  const provider = await createTestProvider(sandbox, { max_meetings: 3, max_participants: 5 });
  await createTestRunningMeeting(provider, sandbox);
  await createTestForeignMeeting(sandbox, 2);
  await run('sync-meetings');
  expect(await readHealth(provider)).toMatchObject({
    running_meetings: 2,
    participants: 3,
    // Anna's slot is still reserved.
    capacity: { meetings_left: 1, participants_left: 1, takes_meetings: true },
  });
  await createTestForeignMeeting(sandbox, 1);
  api.clock.advance({ minutes: 1 });
  await run('sync-meetings');
  expect((await readHealth(provider)).capacity).toMatchObject({
    meetings_left: 0,
    participants_left: 1,
    takes_meetings: false,
  });
});

describe('a provider that fails', () => {
  test('is degraded, then down with one event, and returns as degraded before it is healthy', async () => {
    const sandbox = await startTestSandbox();
    const provider = await createTestProvider(sandbox);
    await runChecks(1);
    sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    await runChecks(1);
    expect(await readHealth(provider)).toMatchObject({ state: 'degraded', problem: expect.stringContaining('503') });
    await runChecks(3);
    expect(await readHealth(provider)).toMatchObject({
      state: 'down',
      since: expect.stringContaining('2026-03-10T12:03:00'),
    });
    sandbox.control.clearFaults();
    takeCalls(sandbox);
    await runChecks(1);
    expect(await readHealth(provider)).toMatchObject({
      state: 'degraded',
      since: expect.stringContaining('2026-03-10T12:06:00'),
      problem: null,
    });
    // The server may return with another version.
    expect(takeCalls(sandbox)).toEqual(['getMeetings', 'root']);
    await runChecks(14);
    expect(await readHealth(provider)).toMatchObject({
      state: 'healthy',
      since: expect.stringContaining('2026-03-10T12:20:00'),
    });
    const recordedEvents = await readStateEvents(provider);
    expect(recordedEvents.map(({ name, data, occurred_at: at }) => [name, data['state'], at.slice(0, 16)])).toEqual([
      ['service_provider.down', 'down', '2026-03-10 12:03'],
      ['service_provider.up', 'degraded', '2026-03-10 12:06'],
    ]);
  });

  test.each([
    ['hang', /did not respond within/],
    ['connection-reset', /closed the connection/],
    ['html-page', /web page \(HTML\)/],
    ['truncated-xml', /did not return an answer of the BigBlueButton API/],
    ['redirect', /redirects its API/],
  ] as const)('with the fault %s is detected, and does not delay other providers', async (kind, problem) => {
    const [failingSandbox, healthySandbox] = [await startTestSandbox(), await startTestSandbox()];
    const [failingProvider, healthyProvider] = [
      await createTestProvider(failingSandbox),
      await createTestProvider(healthySandbox),
    ];
    failingSandbox.control.injectFault({ kind, times: null });
    await runChecks(2);
    expect(await readHealth(failingProvider)).toMatchObject({ state: 'down', problem: expect.stringMatching(problem) });
    expect(await readHealth(healthyProvider)).toMatchObject({ state: 'healthy', problem: null });
  });

  test('that rejects the secret is down, and the secret is not revealed', async () => {
    const sandbox = await startTestSandbox();
    const provider = await createTestProvider({ ...sandbox, secret: 'loganberry-secret' });
    await runChecks(2);
    const health = await readHealth(provider);
    expect(health).toMatchObject({ state: 'down', problem: expect.any(String) });
    const recordedEvents = await readStateEvents(provider);
    expect(JSON.stringify([health, recordedEvents])).not.toContain('loganberry');
    expect(JSON.stringify([health, recordedEvents])).not.toMatch(/checksum=/);
    expect(api.log()).not.toContain('loganberry');
  });

  test('is healthy as soon as a requested check succeeds', async () => {
    const sandbox = await startTestSandbox();
    const provider = await createTestProvider({ ...sandbox, secret: 'mistyped' });
    await runChecks(2);
    await api.admin.updateServiceProvider({
      params: provider.params,
      body: { properties: { secret: sandbox.secret } },
    });
    await api.admin.checkServiceProvider({ params: provider.params });
    expect(await readHealth(provider)).toMatchObject({ state: 'healthy', api_version: '2.0', problem: null });
    expect((await readStateEvents(provider)).map(({ name }) => name)).toEqual([
      'service_provider.down',
      'service_provider.up',
    ]);
  });
});

test('results older than five minutes are not used', async () => {
  const provider = await createTestProvider(await startTestSandbox());
  await runChecks(1);
  api.clock.advance({ minutes: 4 });
  expect((await readHealth(provider)).state).toBe('healthy');
  api.clock.advance({ minutes: 2 });
  expect(await readHealth(provider)).toMatchObject({
    state: 'unknown',
    since: expect.stringContaining('2026-03-10T12:01:00'),
    checked_at: expect.stringContaining('2026-03-10T12:01:00'),
  });
});

describe('the history', () => {
  test('has an entry for each interval of the period, with the results of its checks', async () => {
    const sandbox = await startTestSandbox();
    const provider = await createTestProvider(sandbox);
    await runChecks(7);
    sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    await runChecks(3);
    const hour = await readHealth(provider, 'hour');
    expect(hour.history).toHaveLength(12);
    expect(hour.history.at(-1)).toMatchObject({
      starts_at: '2026-03-10T12:10:00.000000Z',
      ends_at: '2026-03-10T12:15:00.000000Z',
      checks: 1,
      failures: 1,
      availability: 0,
      latency_ms: null,
    });
    expect(hour.history.at(-2)).toMatchObject({ checks: 5, failures: 2, availability: 60 });
    expect(hour.history.at(-2)?.latency_ms).toEqual(expect.any(Number));
    expect(hour.history.at(-3)).toMatchObject({ checks: 4, failures: 0, availability: 100, running_meetings: 0 });
    expect(hour.history[0]).toMatchObject({ checks: 0, availability: null, latency_ms: null, running_meetings: null });
    for (const [period, count, startsAt] of [
      ['day', 48, '2026-03-10T12:00:00.000000Z'],
      ['week', 84, '2026-03-10T12:00:00.000000Z'],
      ['month', 30, '2026-03-10T00:00:00.000000Z'],
    ] as const) {
      const { history } = await readHealth(provider, period);
      expect(history).toHaveLength(count);
      expect(history.at(-1)).toMatchObject({ starts_at: startsAt, checks: 10, failures: 3 });
      const ends = history.slice(0, -1).map(({ ends_at: end }) => end);
      expect(history.slice(1).map(({ starts_at: start }) => start)).toEqual(ends);
    }
    expect((await readHealth(provider)).period).toBe('day');
    expect(await readHealth(provider)).toMatchObject({ availability: { day: 70, week: 70 } });
  });

  test('gives the availability of a day and a week, and is deleted after a month', async () => {
    const sandbox = await startTestSandbox();
    const provider = await createTestProvider(sandbox);
    sandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
    await runChecks(1);
    sandbox.control.clearFaults();
    api.clock.advance({ hours: 25 });
    await runChecks(2);
    expect((await readHealth(provider)).availability).toEqual({ day: 100, week: 66.66 });
    api.clock.advance({ days: 8 });
    expect((await readHealth(provider)).availability).toEqual({ day: null, week: null });
    expect((await readHealth(provider, 'month')).history.reduce((sum, entry) => sum + entry.checks, 0)).toBe(3);
    api.clock.advance({ days: 40 });
    await runChecks(1);
    const { db } = api.app.dependencies;
    const rows = await db.selectFrom('service_provider_checks').select('checks').execute();
    expect(rows).toEqual([{ checks: 1 }]);
  });

  test.each(['year', 'DAY', '7'])('of the period %s is rejected', async (period) => {
    const { params } = await createTestProvider(await startTestSandbox());
    const query = { period: period as HealthPeriod };
    const refusal = await refusalOf(api.admin.readServiceProviderHealth({ params, query }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['period']]);
  });
});

test('the health of all providers is listed by name, in one statement for any number of providers', async () => {
  const sandbox = await startTestSandbox();
  const [beta, alpha] = [
    await createTestProvider(sandbox, { provider_name: 'beta', pool: 'europe', draining: true }),
    await createTestProvider(sandbox, { provider_name: 'Alpha' }),
  ];
  await runChecks(1);
  const readList = () => api.admin.listServiceProviderHealth();
  const { data } = await readList();
  expect(data.object).toBe('ServiceProvidersHealth');
  expect(data.providers).toMatchObject([
    { service_provider_id: alpha.id, provider_name: 'Alpha', pool: null, state: 'healthy' },
    {
      service_provider_id: beta.id,
      provider_name: 'beta',
      pool: 'europe',
      draining: true,
      capacity: { takes_meetings: false },
    },
  ]);
  const statementCount = await countStatements(readList);
  for (let count = 0; count < 5; count++) await createTestProvider(sandbox);
  expect(await countStatements(readList)).toBe(statementCount);
});

test('degraded, down and draining members of a pool get no share, and the other members share the rest', async () => {
  const sandboxes = await Promise.all([startTestSandbox(), startTestSandbox(), startTestSandbox()]);
  const [first, second, third] = await Promise.all(
    sandboxes.map((sandbox) => createTestProvider(sandbox, { pool: 'europe', max_meetings: 5 })),
  );
  if (!first || !second || !third) throw new Error('There must be three providers.');
  await api.admin.updateServiceProvider({ params: second.params, body: { weight: 300 } });
  const readShares = async () => {
    const { data } = await api.admin.listServiceProviderHealth();
    const healths = await Promise.all([first, second, third].map((provider) => readHealth(provider)));
    // The single endpoint returns the same as the list.
    for (const { service_provider_id: id, capacity, state } of healths)
      expect(data.providers.find((summary) => summary.service_provider_id === id)).toMatchObject({ capacity, state });
    return healths.map(({ state, capacity }) => [state, capacity.takes_meetings, capacity.share]);
  };
  await runChecks(1);
  expect(await readShares()).toEqual([
    ['healthy', true, 20],
    ['healthy', true, 60],
    ['healthy', true, 20],
  ]);
  sandboxes[1]?.control.injectFault({ kind: 'http-error', status: 503, times: null });
  await runChecks(1);
  expect(await readShares()).toEqual([
    ['healthy', true, 50],
    ['degraded', true, 0],
    ['healthy', true, 50],
  ]);
  await runChecks(1);
  await api.admin.updateServiceProvider({ params: third.params, body: { draining: true } });
  expect(await readShares()).toEqual([
    ['healthy', true, 100],
    ['down', false, 0],
    ['healthy', false, 0],
  ]);
  expect(await readHealth(second)).toMatchObject({
    running_meetings: 0,
    counted_at: expect.stringContaining('2026-03-10T12:01:00'),
    checked_at: expect.stringContaining('2026-03-10T12:03:00'),
  });
  sandboxes[0]?.control.injectFault({ kind: 'http-error', status: 503, times: null });
  await runChecks(2);
  expect(await readShares()).toEqual([
    ['down', false, 0],
    ['down', false, 0],
    ['healthy', false, 0],
  ]);
});

test('the health of a deleted provider is a 404, and its history is deleted', async () => {
  const provider = await createTestProvider(await startTestSandbox());
  await runChecks(1);
  await api.admin.deleteServiceProvider({ params: provider.params });
  expect((await refusalOf(api.admin.readServiceProviderHealth({ params: provider.params }))).status).toBe(404);
  await runChecks(1);
  const { db } = api.app.dependencies;
  expect(await db.selectFrom('service_provider_health').selectAll().execute()).toEqual([]);
  expect(await db.selectFrom('service_provider_checks').selectAll().execute()).toEqual([]);
});

test('a check reports the clock difference of the provider', async () => {
  const provider = await createTestProvider(await startTestSandbox());
  api.clock.set(new Date(Date.now() - 3_600_000).toISOString());
  const { data } = await api.admin.checkServiceProvider({ params: provider.params });
  expect(Math.abs((data.clock_offset_seconds ?? 0) - 3600)).toBeLessThan(60);
});

test('with a rejected secret a provider is down at once, and with a corrected secret healthy at once', async () => {
  const sandbox = await startTestSandbox();
  const provider = await createTestProvider(sandbox);
  const { params } = provider;
  const setSecret = async (secret: string) => {
    await api.admin.updateServiceProvider({ params, body: { properties: { secret } } });
    await run('check-providers');
  };
  await run('check-providers');
  await setSecret('mistyped');
  expect(await readHealth(provider)).toMatchObject({ state: 'down', capacity: { takes_meetings: false } });
  await setSecret('mistyped again');
  expect(await readHealth(provider)).toMatchObject({ state: 'down' });
  await setSecret(sandbox.secret);
  expect(await readHealth(provider)).toMatchObject({
    state: 'healthy',
    problem: null,
    capacity: { takes_meetings: true },
  });
  expect((await readStateEvents(provider)).map(({ name }) => name)).toEqual([
    'service_provider.down',
    'service_provider.up',
  ]);
  await api.admin.updateServiceProvider({ params, body: { properties: { secret: '********' }, weight: 7 } });
  expect(await readHealth(provider)).toMatchObject({ state: 'healthy' });
});

test('a worker checks a provider as soon as it is added or its properties are changed', async () => {
  const sandbox = await startTestSandbox();
  const worker = await startWorker(api.app);
  try {
    const provider = await makeProvider(api, { apiUrl: sandbox.apiUrl, secret: 'mistyped' });
    const params = { service_provider_id: provider.id };
    const state = async () => (await readHealth({ params })).state;
    await expect.poll(state).toBe('down');
    await api.admin.updateServiceProvider({ params, body: { properties: { secret: sandbox.secret } } });
    await expect.poll(state).toBe('healthy');
  } finally {
    await worker.stop();
  }
});
