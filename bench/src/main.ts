import { createClient } from '@foyer/sdk';
import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { benchAccess } from './access.ts';
import { type BareHandlerOptions, serveBare } from './bare/bare-handler.ts';
import { serveBareLogin } from './bare/bare-login.ts';
import { benchCommerce } from './commerce.ts';
import { type Child, runChild, serverProgram } from './child.ts';
import { type BenchDatabase, seed, startDatabase, withClient } from './database.ts';
import { type Options, readOptions, usage } from './options.ts';
import { explainPlans, streamAll } from './plans.ts';
import { recordStatements } from './measure/record-statements.ts';
import type { RecordedRequests } from './measure/recorded-requests.ts';
import { formatReport } from './measure/report.ts';
import { benchEvents } from './events/bench-events.ts';
import { serveReceivers } from './events/receivers.ts';
import { benchConsole } from './scenarios/console-view.ts';
import { benchJoins } from './scenarios/joins.ts';
import { benchMedia } from './media/bench-media.ts';
import { serveBarePart } from './media/origin.ts';
import { benchMeetings } from './scenarios/meetings.ts';
import { runAttacker } from './neighbour/attacker.ts';
import { serveHostileMeetings } from './neighbour/hostile-server.ts';
import { benchNeighbour } from './neighbour/report.ts';
import { benchProviders } from './providers.ts';
import { benchRoomPage } from './scenarios/room-page.ts';
import { benchReports } from './scenarios/reports.ts';
import { measureStartUp } from './start-up.ts';
import { printLine } from './measure/print-line.ts';
import { createScenarios } from './scenarios.ts';
import { compareAnswers, compare, profileAll } from './compare-servers.ts';

const publicUrl = 'http://foyer.test';

const password = randomBytes(18).toString('base64url');

const secretKey = { id: 'bench', base64: randomBytes(32).toString('base64') };

const secretKeys = `${secretKey.id}:${secretKey.base64}`;

const [command, file] = process.argv.slice(2);

if (command === 'bare-handler' && file !== undefined) await serveBare(file);
else if (command === 'bare-login' && file !== undefined) await serveBareLogin(file);
else if (command === 'hostile-server') await serveHostileMeetings();
else if (command === 'receivers') await serveReceivers();
else if (command === 'bare-part' && file !== undefined) await serveBarePart(file);
else if (command === 'attacker' && file !== undefined) await runAttacker(file, process.argv[4] ?? 'all');
else await main();

async function main(): Promise<void> {
  let options: Options | 'help';
  try {
    options = readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exitCode = 2;
    return;
  }
  if (options === 'help') return void process.stdout.write(usage);
  const folder = await mkdtemp(join(tmpdir(), 'foyer-bench-'));
  try {
    await (options.media ? runMediaBench(options, folder) : benchWithDatabase(options, folder));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runMediaBench({ rounds, seconds }: Options, folder: string): Promise<void> {
  await benchMedia({ folder, rounds, seconds, program: fileURLToPath(import.meta.url) });
}

async function benchWithDatabase(options: Options, folder: string): Promise<void> {
  const database = await startDatabase();
  try {
    await bench(options, database, folder);
  } finally {
    await database.stop();
  }
}

async function bench(options: Options, database: BenchDatabase, folder: string): Promise<void> {
  const environment = { ...environmentOf(database), ...(options.neighbour ? { FOYER_RATE_LIMITS: 'on' } : {}) };
  const foyer = await runChild(
    serverProgram,
    [options.neighbour ? 'start' : 'api'],
    environment,
    join(folder, 'foyer.log'),
  );
  try {
    if (options.access !== null) return printLine(await runAccessBench(options, options.access, database, foyer));
    if (options.commerce !== null)
      return printLine(await runCommerceBench(options, options.commerce, database, foyer.url));
    if (options.reports !== null) return printLine(await runReportBench(options, options.reports, database, foyer.url));
    if (options.page) return printLine(await runPageBench(options, database, foyer.url));
    if (options.neighbour) return printLine(await runNeighbourBench(options, database, foyer));
    if (options.console) return printLine(await runConsoleBench(options, foyer.url));
    if (options.events !== null)
      return printLine(await runEventBench(options, options.events, { database, url: foyer.url, environment, folder }));
    if (options.joins) return await runMeetingBench(options, database, foyer);
    if (options.providers) return printLine(await runProviderBench(options, database, foyer.url));
    const token = await logIn(foyer.url);
    printLine(`Seeding ${options.rooms} rooms of ${options.customers} customers in PostgreSQL ${database.version} …`);
    const rooms = await withClient(database.connectionString, async (client) => {
      await seed(client, options.customers, options.rooms);
      const { rows } = await client.query<{ id: string }>('select id from rooms order by random() limit 200');
      return rows.map(({ id }) => id);
    });
    if (options.plans) {
      printLine(await explainPlans(database.connectionString, rooms[0] ?? ''));
      printLine(await streamAll(foyer, token));
    }
    const scenarios = createScenarios(rooms);
    const installation = { connectionString: database.connectionString, secretKeys, publicUrl };
    const recorded = await recordStatements(installation, token, scenarios);
    printStatements(recorded);
    const bareOptions: BareHandlerOptions = {
      connectionString: database.connectionString,
      publicUrl,
      token,
      secretKey,
      roomId: rooms[0] ?? '',
      recorded,
    };
    const optionsFile = join(folder, 'bare-handler.json');
    await writeFile(optionsFile, JSON.stringify(bareOptions), { mode: 0o600 });
    const program = fileURLToPath(import.meta.url);
    const bare = await runChild(program, ['bare-handler', optionsFile], {}, join(folder, 'bare-handler.log'));
    try {
      for (const scenario of Object.values(scenarios)) await compareAnswers(foyer.url, bare.url, scenario, token);
      const comparisons = await compare(options, { foyer, bare }, scenarios, token);
      const [foyerUsage, bareUsage] = await Promise.all([foyer.usage(), bare.usage()]);
      if (options.profile !== null)
        await profileAll({ folder: options.profile, seconds: options.seconds }, { foyer, bare }, scenarios, token);
      await Promise.all([foyer.stop(), bare.stop()]);
      const startUp = await measureStartUp(options.rounds);
      printLine(`\n${formatReport(comparisons, startUp, { foyer: foyerUsage.rssBytes, bare: bareUsage.rssBytes })}`);
    } finally {
      await bare.stop();
    }
  } finally {
    await foyer.stop();
  }
}

async function runAccessBench(
  { rounds, seconds }: Options,
  tokens: number,
  { connectionString }: BenchDatabase,
  foyer: Child,
): Promise<string> {
  const installation = { connectionString, secretKeys, publicUrl };
  return await benchAccess({ installation, foyer, username: 'admin', password, tokens, rounds, seconds });
}

async function runCommerceBench(
  { rounds, seconds }: Options,
  due: number,
  { connectionString }: BenchDatabase,
  url: string,
): Promise<string> {
  const installation = { connectionString, secretKeys, publicUrl };
  return await benchCommerce({ installation, token: await logIn(url), due, rounds, seconds });
}

async function runReportBench(
  { rounds, customers }: Options,
  meetings: number,
  { connectionString }: BenchDatabase,
  url: string,
): Promise<string> {
  const installation = { connectionString, secretKeys, publicUrl };
  return await benchReports({ installation, url, token: await logIn(url), meetings, customers, rounds });
}

async function runPageBench({ rounds }: Options, { connectionString }: BenchDatabase, url: string): Promise<string> {
  const installation = { connectionString, secretKeys, publicUrl };
  return await benchRoomPage({ installation, url, token: await logIn(url), rounds });
}

async function runConsoleBench({ rounds }: Options, url: string): Promise<string> {
  return await benchConsole({ url, username: 'admin', password, rounds });
}

async function runMeetingBench(
  { rounds, seconds, profile }: Options,
  { connectionString }: BenchDatabase,
  foyer: Child,
): Promise<void> {
  if (profile !== null) await mkdir(profile, { recursive: true });
  const installation = { connectionString, secretKeys, publicUrl };
  const token = await logIn(foyer.url);
  printLine(await benchJoins({ installation, foyer, token, rounds, seconds, profile }));
  printLine(`\n${await benchMeetings({ installation, url: foyer.url, token, rounds })}`);
}

async function runNeighbourBench(
  { rounds, seconds, profile }: Options,
  { connectionString }: BenchDatabase,
  foyer: Child,
): Promise<string> {
  const admin = createClient({ baseUrl: foyer.url, token: await logIn(foyer.url) });
  const program = fileURLToPath(import.meta.url);
  if (profile !== null) await mkdir(profile, { recursive: true });
  return await withClient(connectionString, (database) =>
    benchNeighbour({ admin, database, foyer, program, rounds, seconds, profile }),
  );
}

async function runEventBench(
  { rounds, seconds, customers }: Options,
  stored: number,
  {
    database: { connectionString },
    url,
    environment,
    folder,
  }: { database: BenchDatabase; url: string; environment: Record<string, string>; folder: string },
): Promise<string> {
  const installation = { connectionString, secretKeys, publicUrl };
  const token = await logIn(url);
  const admin = createClient({ baseUrl: url, token });
  await withClient(connectionString, (client) => seed(client, customers, customers * 20));
  const log = join(folder, 'worker.log');
  const startWorker = () => runChild(serverProgram, ['worker'], environment, log);
  const receivers = await runChild(fileURLToPath(import.meta.url), ['receivers'], {}, log);
  try {
    return await benchEvents({ installation, admin, token, rounds, seconds, stored, receivers, startWorker });
  } finally {
    await receivers.stop();
  }
}

async function runProviderBench(
  { rounds, seconds }: Options,
  { connectionString }: BenchDatabase,
  url: string,
): Promise<string> {
  const installation = { connectionString, secretKeys, publicUrl };
  return await benchProviders({ installation, url, token: await logIn(url), rounds, seconds });
}

function environmentOf(database: BenchDatabase): Record<string, string> {
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    DATABASE_URL: database.connectionString,
    FOYER_PUBLIC_URL: publicUrl,
    FOYER_SECRET_KEYS: secretKeys,
    FOYER_ADMIN_PASSWORD: password,
    FOYER_RATE_LIMITS: 'off',
    FOYER_SANDBOX_PORT: '0',
    FOYER_MEDIA_PORT: '0',
    NODE_ENV: 'production',
  };
}

async function logIn(baseUrl: string): Promise<string> {
  const client = createClient({ baseUrl, token: null });
  return (await client.loginAdmin({ body: { username: 'admin', password } })).access_token;
}

function printStatements(recorded: RecordedRequests): void {
  printLine('\nThe statements that Foyer and the bare handler send to PostgreSQL:');
  for (const name of ['list', 'read', 'create'] as const) {
    printLine(`  ${name}`);
    for (const { text } of recorded[name].statements) printLine(`    ${text.replaceAll(/\s+/g, ' ').trim()}`);
  }
  printLine(`  every 10 s for each token\n    ${recorded.tokenStatement.text.replaceAll(/\s+/g, ' ').trim()}`);
  printLine(`  every 2 s for each total\n    ${recorded.countStatement.text.replaceAll(/\s+/g, ' ').trim()}\n`);
}
