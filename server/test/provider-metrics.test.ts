import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { examine } from '../src/doctor.ts';
import { readConfig } from '../src/config.ts';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, openSandbox, soldFeatures } from './factories.ts';
import { modules, runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

/** Reads the metrics of the process, or of a new process without cached values. */
async function readMetrics(node?: TestApi): Promise<Map<string, number>> {
  const process = node ?? (await api.another());
  const answer = await fetch(`${process.url}/metrics`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  if (!node) await process.close();
  return new Map(
    text
      .split('\n')
      .filter((line) => line.startsWith('foyer_provider') || line.startsWith('foyer_meetings'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

async function run(name: string) {
  await runJob(api.app.dependencies, name);
}

test('the metrics of a provider result from its checks, name it only by its id, and send no requests', async () => {
  const provider = await makeProvider(api, sandbox);
  const id = provider.id;
  const { room } = await makeRoom(api, { provider: id, features: { ...soldFeatures } });
  await api.admin.joinRoom({ params: { room_id: room.id }, body: { name: 'Anna', role: 'moderator' } });
  sandbox.control.joinUser({ meetingID: room.uuid, fullName: 'Anna', role: 'MODERATOR' });
  expect((await readMetrics()).get(`foyer_provider_state{provider="${id}",state="unknown"}`)).toBe(1);
  await run('sync-meetings');
  await api.app.connection.pool.query(
    `insert into recording_removals (id, service_provider_id, provider_recording_id, next_at, created_at)
      values (gen_random_uuid(), $1, 'gone', now(), now())`,
    [provider.uuid],
  );
  sandbox.control.clearCalls();
  const metrics = await readMetrics();
  expect(Object.fromEntries(metrics)).toMatchObject({
    foyer_providers: 1,
    foyer_meetings_open: 1,
    foyer_meetings_participants: 1,
    [`foyer_provider_state{provider="${id}",state="healthy"}`]: 1,
    [`foyer_provider_state{provider="${id}",state="down"}`]: 0,
    [`foyer_provider_checked_timestamp_seconds{provider="${id}"}`]: api.clock.nowMs() / 1000,
    [`foyer_provider_latency_seconds{provider="${id}"}`]: expect.any(Number),
    [`foyer_provider_meetings{provider="${id}"}`]: 1,
    [`foyer_provider_participants{provider="${id}"}`]: 1,
    [`foyer_provider_recordings_waiting{provider="${id}",wait="deletion"}`]: 1,
    [`foyer_provider_recordings_waiting{provider="${id}",wait="processing"}`]: 0,
    [`foyer_provider_circuit_open{provider="${id}"}`]: 0,
  });
  expect(sandbox.control.calls()).toEqual([]);
  const names = [...metrics.keys()].join('\n');
  for (const secret of [provider.provider_name, sandbox.secret, new URL(sandbox.url).host])
    expect(names).not.toContain(secret);
});

test('an open circuit breaker is reported only by its own process, and an outage by every process', async () => {
  const otherProcess = await api.another();
  onTestFinished(() => otherProcess.close());
  const failingSandbox = await openSandbox();
  onTestFinished(() => failingSandbox.close());
  const { id } = await makeProvider(api, failingSandbox);
  failingSandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
  for (let check = 0; check < 6; check++) {
    api.clock.advance({ minutes: 1 });
    await runJob(otherProcess.app.dependencies, 'check-providers');
  }
  const [ownMetrics, otherMetrics] = [await readMetrics(otherProcess), await readMetrics()];
  for (const metrics of [ownMetrics, otherMetrics])
    expect(metrics.get(`foyer_provider_state{provider="${id}",state="down"}`)).toBe(1);
  expect(ownMetrics.get(`foyer_provider_circuit_open{provider="${id}"}`)).toBe(1);
  expect(otherMetrics.get(`foyer_provider_circuit_open{provider="${id}"}`)).toBe(0);
});

test('concurrent scrapes share one database query, and when the database does not respond the other metrics are still reported', async () => {
  const otherProcess = await api.another();
  const query = vi.spyOn(otherProcess.app.connection.pool, 'connect');
  await Promise.all(
    Array.from({ length: 20 }, () => fetch(`${otherProcess.url}/metrics`).then((answer) => answer.text())),
  );
  const groups = modules.flatMap(({ gauges = [] }) => gauges);
  expect(query.mock.calls.length).toBeLessThanOrEqual(groups.length);
  await otherProcess.close();
  const processWithoutDatabase = await api.another();
  await processWithoutDatabase.app.connection.pool.end();
  const answer = await fetch(`${processWithoutDatabase.url}/metrics`);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  expect(text).toContain('process_cpu_seconds_total');
  expect(text).not.toMatch(/^foyer_provider_state\{/m);
  expect(text).not.toMatch(/^foyer_meetings_open /m);
  await processWithoutDatabase.close().catch(() => undefined);
});

test('doctor reports the health of each provider, pending recordings, and providers with the same server', async () => {
  const second = await makeProvider(api, sandbox);
  const findings = await examine(api.app, readConfig({}));
  const texts = findings
    .filter(({ subject }) => subject === 'providers' || subject === 'recordings')
    .map(({ state, text }) => `${state}: ${text}`);
  const { data } = await api.admin.listServiceProviders({ query: { orderBy: 'created_at', sortedBy: 'asc' } });
  const first = data[0]?.provider_name ?? '';
  expect(texts).toEqual(
    expect.arrayContaining([
      expect.stringMatching(new RegExp(`^ok: ${first} responds in \\d+ ms$`)),
      `warning: ${first}: same server as ${second.provider_name}: each of them checks the server and shows its load`,
      `ok: ${first}: recordings waiting: 1 for their deletion`,
      `warning: ${second.provider_name}: no worker has checked it yet, so its state is unknown`,
      expect.stringMatching(/^ok: BigBlueButton: Set `maxUserConcurrentAccesses=1` in /),
      expect.stringMatching(/^warning: .*: down \(.*503.*\), meetings not counted yet, participants not counted yet$/),
    ]),
  );
});
