import { verify } from '@node-rs/argon2';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Client } from 'pg';
import { buildApi } from '../../../server/src/api.ts';
import type { App } from '../../../server/src/app.ts';
import { type BareLoginOptions, checkPath, type RecordedLogin, type RecordedPerson } from '../bare/bare-login.ts';
import { type Child, runChild } from '../child.ts';
import { withClient } from '../database.ts';
import { cpuMsBetween, databaseCpuMs, processCpuMs } from '../measure/database-cpu.ts';
import { connections, runLoad, type Scenario } from '../measure/load.ts';
import { median } from '../measure/median.ts';
import { recordQueries } from '../measure/record-statements.ts';

export interface LoginOptions {
  readonly foyer: Child;
  readonly connectionString: string;
  readonly username: string;
  readonly password: string;
  readonly rounds: number;
  readonly seconds: number;
}

interface Figures {
  readonly perSecond: number;
  /** Milliseconds per login; null if not available. */
  readonly serverMs: number;
  readonly databaseMs: number | null;
  readonly loadMs: number | null;
}

type Variant = 'alone' | 'request' | 'statements' | 'foyer';

const labels: Readonly<Record<Variant, string>> = {
  alone: 'argon2id alone, two at once',
  request: 'behind a bare request',
  statements: 'with the statements of a login',
  foyer: 'POST /oauth/proxy/login',
};

const personCount = 100;
const goal = 0.9;
const loginPath = '/oauth/proxy/login';

/**
 * Compares logins over HTTP with the password check alone, with the password check behind a bare request, and with a
 * bare server that also runs the statements of a login.
 */
export async function measureLogins(app: App, options: LoginOptions): Promise<string[]> {
  const { connectionString, username, password, foyer, rounds, seconds } = options;
  await withClient(connectionString, async (client) => {
    await client.query(peopleStatement, [username]);
    await client.query('vacuum analyze admins');
  });
  const recorded = await recordLogin(app, 'bench-1', password);
  const hash = recorded.person.password_hash;
  const folder = await mkdtemp(join(tmpdir(), 'foyer-bench-'));
  const optionsFile = join(folder, 'bare-login.json');
  const bareOptions: BareLoginOptions = { connectionString, hash, recorded };
  await writeFile(optionsFile, JSON.stringify(bareOptions), { mode: 0o600 });
  const program = fileURLToPath(import.meta.url);
  const bare = await runChild(program, ['bare-login', optionsFile], {}, join(folder, 'bare-login.log'));
  try {
    return await withClient(connectionString, async (client) => {
      const overHttp = (server: Child, path: string) => async () =>
        await measure(client, server, scenarioOf(path, password), seconds);
      const variants: Readonly<Record<Variant, () => Promise<Figures>>> = {
        alone: () => checkAlone(hash, password, seconds),
        request: overHttp(bare, checkPath),
        statements: overHttp(bare, loginPath),
        foyer: overHttp(foyer, loginPath),
      };
      return printFigures(await measureAlternately(variants, rounds));
    });
  } finally {
    await bare.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the variants in each round, in alternating order. The first round is a warm-up and is not counted. */
async function measureAlternately(
  variants: Readonly<Record<Variant, () => Promise<Figures>>>,
  rounds: number,
): Promise<Record<Variant, Figures[]>> {
  const figures: Record<Variant, Figures[]> = { alone: [], request: [], statements: [], foyer: [] };
  const order = Object.keys(variants) as Variant[];
  for (let round = 0; round <= rounds; round++) {
    for (const variant of round % 2 ? order : order.toReversed()) {
      const measured = await variants[variant]();
      if (round > 0) figures[variant].push(measured);
    }
  }
  return figures;
}

function printFigures(figures: Readonly<Record<Variant, readonly Figures[]>>): string[] {
  const medianOf = (variant: Variant, digits: number, read: (one: Figures) => number | null) => {
    const values = figures[variant].map(read).filter((value) => value !== null);
    return values.length === 0 ? '-' : median(values).toFixed(digits);
  };
  const medianOfRounds = (variant: Variant, read: (one: Figures, alone: Figures) => number) =>
    median(figures[variant].map((one, round) => read(one, figures.alone[round] ?? one)));
  const ratio = medianOfRounds('foyer', (one, alone) => one.perSecond / alone.perSecond);
  const line = (...cells: string[]) =>
    `  ${cells[0]?.padEnd(34)}${cells
      .slice(1)
      .map((cell) => cell.padStart(11))
      .join('')}`;
  return [
    '',
    `Logging in (${connections} at once, ${personCount} administrators; CPU in milliseconds per login, and the share of argon2id)`,
    line('', 'per second', 'server', 'database', 'load', 'argon2id'),
    ...(Object.keys(labels) as Variant[]).map((variant) =>
      line(
        labels[variant],
        medianOf(variant, 0, ({ perSecond }) => perSecond),
        medianOf(variant, 2, ({ serverMs }) => serverMs),
        medianOf(variant, 2, ({ databaseMs }) => databaseMs),
        medianOf(variant, 2, ({ loadMs }) => loadMs),
        medianOfRounds(variant, (one, alone) => cpuMs(alone) / cpuMs(one)).toFixed(2),
      ),
    ),
    `  ${ratio >= goal ? 'reached     ' : 'not reached '} ratio of at least ${goal} to argon2id alone (${ratio.toFixed(2)})`,
  ];
}

function cpuMs({ serverMs, databaseMs, loadMs }: Figures): number {
  return serverMs + (databaseMs ?? 0) + (loadMs ?? 0);
}

function scenarioOf(path: string, password: string): Scenario {
  const bodies = Array.from({ length: personCount }, (_, index) =>
    JSON.stringify({ username: `bench-${index + 1}`, password }),
  );
  return { name: `POST ${path}`, method: 'POST', paths: [path], body: bodies[0] ?? null, bodies, status: 200 };
}

/** Inserts administrators with the same password. */
const peopleStatement = `insert into admins (id, username, email, first_name, last_name, locale, timezone, password_hash,
    created_at, updated_at)
  select uuidv7(), 'bench-' || number, 'bench-' || number || '@example.com', 'Ada', 'Number ' || number, locale,
    timezone, password_hash, now(), now()
  from admins, generate_series(1, ${personCount}) number where username = $1`;

async function measure(client: Client, server: Child, scenario: Scenario, seconds: number): Promise<Figures> {
  const readUsage = async () => ({
    serverMs: (await server.usage()).cpuMs,
    database: await databaseCpuMs(client),
    loadMs: processCpuMs(),
  });
  const before = await readUsage();
  const { perSecond, failures, requests } = await runLoad(server.url, scenario, 'none', seconds);
  const after = await readUsage();
  if (failures > 0) throw new Error(`${failures} requests ${scenario.name} failed.`);
  const databaseMs = cpuMsBetween(before.database, after.database);
  return {
    perSecond,
    serverMs: (after.serverMs - before.serverMs) / requests,
    databaseMs: databaseMs && databaseMs / requests,
    loadMs: (after.loadMs - before.loadMs) / requests,
  };
}

async function checkAlone(hash: string, password: string, seconds: number): Promise<Figures> {
  const before = processCpuMs();
  const startedMs = performance.now();
  const until = startedMs + seconds * 1000;
  let checks = 0;
  const checkRepeatedly = async () => {
    while (performance.now() < until) {
      await verify(hash, password);
      checks += 1;
    }
  };
  await Promise.all([checkRepeatedly(), checkRepeatedly()]);
  const perSecond = checks / ((performance.now() - startedMs) / 1000);
  return { perSecond, serverMs: (processCpuMs() - before) / checks, databaseMs: null, loadMs: null };
}

/** Records three logins in this process and compares the last two. */
async function recordLogin(app: App, username: string, password: string): Promise<RecordedLogin> {
  const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
  const recorder = recordQueries();
  try {
    const logIn = async () => {
      const { statusCode, body } = await server.inject({
        method: 'POST',
        url: loginPath,
        headers: { 'content-type': 'application/json' },
        payload: JSON.stringify({ username, password }),
      });
      if (statusCode !== 200) throw new Error(`Unexpected status ${statusCode}: ${body}`);
      const [findPerson, insertSession, ...more] = recorder.take();
      if (!findPerson || !insertSession || more.length > 0) throw new Error('A login is no longer two statements.');
      return { findPerson, insertSession, answer: body };
    };
    await logIn().catch(() => null);
    const before = await logIn();
    const { findPerson, insertSession, answer } = await logIn();
    const varyingIndexes = insertSession.values.flatMap((value, index) =>
      JSON.stringify(value) === JSON.stringify(before.insertSession.values[index]) ? [] : [index],
    );
    const { rows } = await app.connection.pool.query<RecordedPerson>(findPerson.text, [...findPerson.values]);
    const [person] = rows;
    if (!person) throw new Error(`The administrator ${username} does not exist.`);
    return { findPerson, insertSession, varyingIndexes, person, answer };
  } finally {
    recorder.end();
    await server.close();
  }
}
