import { startSandbox } from '@foyer/sandbox';
import { type Client, createClient } from '@foyer/sdk';
import { type LoadFigures, runLoad, type Scenario } from './measure/load.ts';
import { median } from './measure/median.ts';
import { createTenantAccount } from './create-tenant.ts';
import { createBenchApp, type Installation } from './create-bench-app.ts';
import { runJob } from '../../server/src/modules.ts';

export interface ProvidersOptions {
  readonly installation: Installation;
  readonly url: string;
  readonly token: string;
  readonly rounds: number;
  readonly seconds: number;
}

const timeoutMs = 2000;
const roomsPerProvider = 20;
/** Number of providers for the job; every tenth hangs. */
const checkedProviders = 100;

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Measures the effect of a hanging provider on the status of rooms on other providers, and on the job that checks all
 * of them. Compare ratios.
 */
export async function benchProviders(options: ProvidersOptions): Promise<string> {
  const { url, token } = options;
  const admin = createClient({ baseUrl: url, token });
  await admin.updateSettings({ body: { provider_timeout_ms: timeoutMs } });
  const [healthy, hanging] = [await startSandbox({ port: 0 }), await startSandbox({ port: 0 })];
  try {
    const healthyRooms = await addRooms(admin, healthy);
    const hangingRooms = await addRooms(admin, hanging);
    hanging.control.injectFault({ kind: 'hang', times: null });
    const first = await measureFirstResponses(options, hangingRooms.scenario);
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const whileHanging = await loadRooms(options, healthyRooms.scenario, hangingRooms.scenario);
      hanging.control.clearFaults();
      // A successful check closes the circuit breaker.
      await admin.checkServiceProvider({ params: { service_provider_id: hangingRooms.provider } });
      const whileResponding = await loadRooms(options, healthyRooms.scenario, hangingRooms.scenario);
      hanging.control.injectFault({ kind: 'hang', times: null });
      rounds.push({ whileHanging, whileResponding });
    }
    const job = await measureJob(options, admin, { healthy, hanging });
    const failures = rounds.flatMap((round) =>
      Object.values(round).flatMap(({ healthy, hanging }) => [healthy, hanging]),
    );
    return [
      `Room status, time-out ${timeoutMs} ms, ${roomsPerProvider} rooms on each of two providers, requested at the same time`,
      `  one provider starts to hang: its first ${first.length} responses take at most ${printMs(Math.max(...first))}`,
      `  other provider, both respond: ${printLoad(rounds.map(({ whileResponding }) => whileResponding.healthy))}`,
      `  other provider, one hangs:    ${printLoad(rounds.map(({ whileHanging }) => whileHanging.healthy))}`,
      `  hanging provider:             ${printLoad(rounds.map(({ whileHanging }) => whileHanging.hanging))}`,
      `  ratio of the 99th percentiles of the other provider: ${median(rounds.map(({ whileHanging, whileResponding }) => whileHanging.healthy.p99Ms / whileResponding.healthy.p99Ms)).toFixed(2)}`,
      `  failures: ${failures.reduce((sum, figures) => sum + figures.failures, 0)}`,
      job,
    ].join('\n');
  } finally {
    await Promise.all([healthy.close(), hanging.close()]);
  }
}

interface RoomLoads {
  readonly healthy: LoadFigures;
  readonly hanging: LoadFigures;
}

interface Round {
  readonly whileHanging: RoomLoads;
  readonly whileResponding: RoomLoads;
}

async function loadRooms(
  { url, token, seconds }: ProvidersOptions,
  healthyRooms: Scenario,
  hangingRooms: Scenario,
): Promise<RoomLoads> {
  const [healthy, hanging] = await Promise.all([
    runLoad(url, healthyRooms, token, seconds),
    runLoad(url, hangingRooms, token, seconds),
  ]);
  return { healthy, hanging };
}

/** Creates a provider on the sandbox with a customer and rooms; returns the paths of their statuses. */
async function addRooms(admin: Client, sandbox: Sandbox): Promise<{ provider: string; scenario: Scenario }> {
  const provider = await addProvider(admin, sandbox);
  const account = await createTenantAccount(admin, provider, { max_accounts: 'unlimited', max_rooms: 'unlimited' });
  const paths: string[] = [];
  for (let index = 0; index < roomsPerProvider; index++) {
    const { data: room } = await admin.createRoom({ body: { room_name: `Room ${index}`, account_id: account } });
    paths.push(`/api/v1/rooms/${room.id}/status`);
  }
  const scenario = { name: 'GET /rooms/{id}/status', method: 'GET', paths, body: null, status: 200 } as const;
  return { provider, scenario };
}

async function addProvider(admin: Client, sandbox: Sandbox): Promise<string> {
  const { data } = await admin.createServiceProvider({
    body: {
      provider_name: `Bench ${sandbox.url}`,
      provider_type: 'bigbluebutton',
      properties: { host_url: sandbox.apiUrl, secret: sandbox.secret },
    },
  });
  return data.id;
}

/** Duration of the first responses after the provider starts to hang. */
async function measureFirstResponses({ url, token }: ProvidersOptions, { paths }: Scenario): Promise<number[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const startedMs = performance.now();
      const response = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const text = await response.text();
      if (!text.includes('"status":"unknown"')) throw new Error(`an unexpected response: ${text.slice(0, 200)}`);
      return performance.now() - startedMs;
    }),
  );
}

async function measureJob(
  { installation }: ProvidersOptions,
  admin: Client,
  { healthy, hanging }: { healthy: Sandbox; hanging: Sandbox },
): Promise<string> {
  for (let index = 2; index < checkedProviders; index++) await addProvider(admin, index % 10 === 0 ? hanging : healthy);
  const app = await createBenchApp(installation);
  try {
    const startedMs = performance.now();
    const polled = await runJob(app.dependencies, 'check-providers');
    return `The job check-providers polls ${polled} providers (${checkedProviders / 10} of them hang): ${printMs(performance.now() - startedMs)}`;
  } finally {
    await app.close();
  }
}

function printLoad(rounds: readonly LoadFigures[]): string {
  const medianOf = (figure: 'perSecond' | 'p50Ms' | 'p99Ms') => median(rounds.map((round) => round[figure]));
  return `${Math.round(medianOf('perSecond'))}/s, median ${printMs(medianOf('p50Ms'))}, 99 % within ${printMs(medianOf('p99Ms'))}`;
}

function printMs(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
