import { build } from 'esbuild';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, soldFeatures } from './factories.ts';
import { firstAdmin } from './first-admin.ts';
import type { DriftAccount, DriftTask } from './quota-drift-program.ts';
import { runJob } from '../src/modules.ts';

const seed = Number(process.env['FOYER_DRIFT_SEED'] ?? Date.now() % 1_000_000);
const operations = 10_000;

let api: TestApi;
let program: string;

beforeAll(async () => {
  api = await startApi({ now: new Date().toISOString() });
  program = await buildProgram();
});

afterAll(async () => {
  rmSync(program, { force: true });
  await api.close();
});

test(`after ${operations} changes by several processes, with some of them killed, usage has not drifted (seed ${seed})`, async () => {
  const accounts = [
    await createDriftAccount('25'),
    await createDriftAccount('60'),
    await createDriftAccount('unlimited'),
  ];
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: firstAdmin.username, password: firstAdmin.password },
  });
  const faults: string[] = [];
  const progress = { done: 0, kills: 0 };
  let startCount = 0;
  const running = new Set<ChildProcess>();
  const start = () => {
    startCount += 1;
    const task: DriftTask = {
      connectionString: api.connectionString,
      secretKeys: inject('secretKeys'),
      token,
      seed: seed + startCount,
      accounts,
    };
    const child = spawn(process.execPath, [program], {
      env: { ...process.env, DRIFT_TASK: JSON.stringify(task) },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    running.add(child);
    child.once('exit', (code) => {
      if (running.has(child)) faults.push(`A process ended with exit code ${code}.`);
    });
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('did ')) progress.done += Number(line.slice(4));
      else faults.push(line);
    });
  };
  const kill = async (child: ChildProcess | undefined) => {
    if (!child) return;
    running.delete(child);
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
  for (let count = 0; count < 3; count++) start();
  while (progress.done < operations && faults.length === 0) {
    if (progress.done >= ((progress.kills + 1) * operations) / 5) {
      await kill([...running][(seed + progress.kills) % running.size]);
      start();
      progress.kills += 1;
    }
    expect(await reconcile()).toBe(0);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await Promise.all([...running].map(kill));
  expect(faults).toEqual([]);
  await expect.poll(countActiveConnections).toBe(0);
  expect(progress.kills).toBeGreaterThanOrEqual(4);
  expect(await reconcile()).toBe(0);
  const usages = await recount();
  expect(usages.map(({ used }) => used)).toEqual(usages.map(({ counted }) => counted));
  const [small, medium, unlimited] = accounts.map(({ subscriptionId }) =>
    usages.find((row) => row.subscription_id === subscriptionId && row.tag === 'max_rooms'),
  );
  expect(small?.counted).toBeLessThanOrEqual(25);
  expect(medium?.counted).toBeLessThanOrEqual(60);
  expect(unlimited?.counted).toBeGreaterThanOrEqual(0);
}, 120_000);

async function buildProgram(): Promise<string> {
  // The folder of the server bundle, from which it finds its packages and documents.
  const outfile = fileURLToPath(new URL(`../dist/quota-drift-${process.pid}.mjs`, import.meta.url));
  await build({
    entryPoints: [fileURLToPath(new URL('quota-drift-program.ts', import.meta.url))],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    logLevel: 'error',
    plugins: [
      {
        name: 'external packages',
        setup: ({ onResolve }) => {
          onResolve({ filter: /^[^./]/ }, ({ path }) => (path.startsWith('@foyer/') ? null : { path, external: true }));
        },
      },
    ],
  });
  return outfile;
}

async function createDriftAccount(rooms: string): Promise<DriftAccount> {
  const features = { ...soldFeatures, max_rooms: rooms, max_accounts: '8' };
  const { customer, subscription, account } = await makeAccount(api, { features });
  return { customerId: customer.uuid, subscriptionId: subscription.uuid, accountId: account.uuid };
}

async function reconcile(): Promise<number | undefined> {
  return await runJob(api.app.dependencies, 'reconcile-usage');
}

/** Counts the connections of killed processes whose last statement is still running. */
async function countActiveConnections(): Promise<number> {
  const { rows } = await api.app.connection.pool.query<{ count: number }>(
    `select count(*)::int as count from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`,
  );
  return rows[0]?.count ?? 0;
}

/** Recounts the usage with a different query than the job. */
async function recount() {
  const { rows } = await api.app.connection.pool.query<{
    subscription_id: string;
    tag: string;
    used: number;
    counted: number;
  }>(
    `select feature.subscription_id, feature.tag, usage.used::int, (
       case feature.tag
         when 'max_rooms' then (select count(*) from rooms where subscription_id = feature.subscription_id)
         else (select count(*) from accounts where subscription_id = feature.subscription_id)
       end)::int as counted
     from subscription_features feature
     join subscription_usages usage on usage.subscription_feature_id = feature.id
     where feature.tag in ('max_rooms', 'max_accounts')`,
  );
  return rows;
}
