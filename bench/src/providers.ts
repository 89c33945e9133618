import { startSandbox } from '@foyer/sandbox';
import { type Client, createClient } from '@foyer/sdk';
import { type LoadFigures, load, type Scenario } from './measure/load.ts';
import { median } from './measure/median.ts';
import { openAccount } from './open-account.ts';
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
const roomsEach = 20;
/** Number of providers for the job; every tenth hangs. */
const checked = 100;

type Sandbox = Awaited<ReturnType<typeof startSandbox>>;

/**
 * Measures the effect of a hanging provider on the status of rooms on other providers, and on the job that checks all
 * of them. Compare ratios.
 */
export async function benchProviders(options: ProvidersOptions): Promise<string> {
  const { url, token } = options;
  const admin = createClient({ baseUrl: url, token });
  await admin.updateSettings({ body: { provider_timeout_ms: timeoutMs } });
  const [well, hung] = [await startSandbox({ port: 0 }), await startSandbox({ port: 0 })];
  try {
    const fast = await addRooms(admin, well);
    const slow = await addRooms(admin, hung);
    hung.control.injectFault({ kind: 'hang', times: null });
    const first = await firstAnswers(options, slow.scenario);
    const rounds: Round[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const hanging = await loadBoth(options, fast.scenario, slow.scenario);
      hung.control.clearFaults();
      // A successful check closes the circuit breaker.
      await admin.checkServiceProvider({ params: { service_provider_id: slow.provider } });
      const answering = await loadBoth(options, fast.scenario, slow.scenario);
      hung.control.injectFault({ kind: 'hang', times: null });
      rounds.push({ hanging, answering });
    }
    const job = await jobFigures(options, admin, { well, hung });
    const failures = rounds.flatMap((round) => Object.values(round).flatMap(({ one, other }) => [one, other]));
    return [
      `Room status, time-out ${timeoutMs} ms, ${roomsEach} rooms on each of two providers, both asked at once`,
      `  the other begins to hang: its first ${first.length} answers, all at once, take ${tell(Math.max(...first))} at most`,
      `  of the one, while the other answers: ${tellLoad(rounds.map(({ answering }) => answering.one))}`,
      `  of the one, while the other hangs:   ${tellLoad(rounds.map(({ hanging }) => hanging.one))}`,
      `  of the other, while it hangs:        ${tellLoad(rounds.map(({ hanging }) => hanging.other))}`,
      `  ratio of the 99 % of the one: ${median(rounds.map(({ hanging, answering }) => hanging.one.p99Ms / answering.one.p99Ms)).toFixed(2)}`,
      `  failures: ${failures.reduce((sum, figures) => sum + figures.failures, 0)}`,
      job,
    ].join('\n');
  } finally {
    await Promise.all([well.close(), hung.close()]);
  }
}

interface Both {
  readonly one: LoadFigures;
  readonly other: LoadFigures;
}

interface Round {
  readonly hanging: Both;
  readonly answering: Both;
}

async function loadBoth({ url, token, seconds }: ProvidersOptions, fast: Scenario, slow: Scenario): Promise<Both> {
  const [one, other] = await Promise.all([load(url, fast, token, seconds), load(url, slow, token, seconds)]);
  return { one, other };
}

/** Creates a provider on the sandbox with a customer and rooms; returns the paths of their statuses. */
async function addRooms(admin: Client, sandbox: Sandbox): Promise<{ provider: string; scenario: Scenario }> {
  const provider = await addProvider(admin, sandbox);
  const account = await openAccount(admin, provider, { max_accounts: 'unlimited', max_rooms: 'unlimited' });
  const paths: string[] = [];
  for (let index = 0; index < roomsEach; index++) {
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
async function firstAnswers({ url, token }: ProvidersOptions, { paths }: Scenario): Promise<number[]> {
  return await Promise.all(
    paths.map(async (path) => {
      const began = performance.now();
      const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${token}` } });
      const text = await answer.text();
      if (!text.includes('"status":"unknown"')) throw new Error(`an unexpected answer: ${text.slice(0, 200)}`);
      return performance.now() - began;
    }),
  );
}

async function jobFigures(
  { installation }: ProvidersOptions,
  admin: Client,
  { well, hung }: { well: Sandbox; hung: Sandbox },
): Promise<string> {
  for (let index = 2; index < checked; index++) await addProvider(admin, index % 10 === 0 ? hung : well);
  const app = await createBenchApp(installation);
  try {
    const began = performance.now();
    const asked = await runJob(app.dependencies, 'check-providers');
    return `The job check-providers asks ${asked} providers (${checked / 10} hang): ${tell(performance.now() - began)}`;
  } finally {
    await app.close();
  }
}

function tellLoad(rounds: readonly LoadFigures[]): string {
  const of = (figure: 'perSecond' | 'p50Ms' | 'p99Ms') => median(rounds.map((round) => round[figure]));
  return `${Math.round(of('perSecond'))}/s, median ${tell(of('p50Ms'))}, 99 % within ${tell(of('p99Ms'))}`;
}

function tell(ms: number): string {
  return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
