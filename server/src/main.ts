import { Command } from 'commander';
import pino from 'pino';
import { version } from './platform/version.ts';
import { type Config, ConfigError, nameFaults, readConfig } from './config.ts';
import { EmbeddedPostgresError } from './database/embedded/embedded.ts';
import { MigrationError } from './database/migrate.ts';
import { AuditKeyMissing, parseHead, verifyAudit } from './modules/audit/index.ts';
import { createFirstAdmin, createFurtherAdmin } from './modules/admins/index.ts';
import { createFirstPartyClient, resetAdminPassword } from './modules/auth/index.ts';
import { resetTwoFactorByName } from './modules/two-factor/index.ts';
import { examine } from './doctor.ts';
import { Failure } from './platform/failures.ts';
import { printIdentifier } from './platform/identity/identifier.ts';
import { passwordFaults } from './platform/crypto/password.ts';
import { rotateKeys } from './rotate-keys.ts';
import { SecretUnreadable } from './platform/crypto/secret-box.ts';
import { placeOf, StartFailure } from './open-database.ts';
import {
  shutDownAndExit,
  type ShutdownHooks,
  createShutdownHooks,
  type OpenOptions,
  openApp,
  type Roles,
  start,
} from './start.ts';
import { jobs } from './modules.ts';
import type { App } from './app.ts';

const program = new Command('foyer')
  .description('Resell web meetings: API, console, room pages and worker.')
  .version(version);

program
  .command('start', { isDefault: true })
  .description('Run API and worker; without a command, too.')
  // The default command.
  .allowExcessArguments()
  .action((_options, { args: [unknown] }: Command) => {
    if (unknown !== undefined) program.error(`There is no command ${unknown}. See foyer --help.`);
    return serve({ api: true, worker: true, sandbox: true });
  });
program
  .command('api')
  .description('Run the API alone.')
  .action(() => serve({ api: true, worker: false, sandbox: false }));
program
  .command('worker')
  .description('Run the worker alone.')
  .action(() => serve({ api: false, worker: true, sandbox: false }));
program
  .command('migrate')
  .description('Bring the database up to this version.')
  .action(() => once(async () => print('The database is up to date.'), { canCreateDatabase: true }));

const admin = program.command('admin').description('Administrators.');
admin
  .command('create')
  .description('Make the first administrator, if there is none; with both names, make this one in any case.')
  .option('--username <name>')
  .option('--email <address>')
  .action((options: { username?: string; email?: string }) =>
    once(async ({ dependencies }, config) => {
      const first = { ...config.firstAdmin, ...options };
      const faults = nameFaults(first, { username: '--username', email: '--email' });
      if (faults.length > 0) throw new StartFailure(faults.join(' '));
      const isNamed = options.username !== undefined && options.email !== undefined;
      const create = isNamed ? createFurtherAdmin : createFirstAdmin;
      const made = await create(dependencies, first, dependencies.settings().system_locale);
      print(
        made
          ? `Made the administrator ${made.username} with the password ${made.password}`
          : 'There is an administrator already.',
      );
    }),
  );
admin
  .command('reset-password <name>')
  .description('Give an administrator a new password, by user name or email.')
  .action((name: string) =>
    once(async ({ dependencies }) => {
      const given = process.env['FOYER_ADMIN_PASSWORD'] ?? null;
      const faults = given === null ? [] : await passwordFaults(given);
      if (faults.length > 0) throw new StartFailure(faults.join(' '));
      const password = await resetAdminPassword(dependencies, name, given);
      print(given === null ? `The new password of ${name} is ${password}` : `The password of ${name} was changed.`);
    }),
  );
admin
  .command('reset-two-factor <name>')
  .description('Remove the second factor of an administrator who lost it, by user name or email.')
  .action((name: string) =>
    once(async ({ dependencies }) => {
      await resetTwoFactorByName(dependencies, name);
      print(`The second factor of ${name} was removed.`);
    }),
  );

program
  .command('client')
  .description('OAuth clients.')
  .command('create <name>')
  .description('Make a first-party client for POST /oauth/token; its secret is shown once.')
  .option('--population <population>', 'admins or users', 'admins')
  .action((name: string, options: { population: string }) =>
    once(async ({ dependencies }) => {
      if (options.population !== 'admins' && options.population !== 'users')
        throw new StartFailure('The population is admins or users.');
      const client = await createFirstPartyClient(dependencies, name, options.population);
      print(`client_id      ${printIdentifier('client', client.id)}\nclient_secret  ${client.secret}`);
    }),
  );

const audit = program.command('audit').description('The audit log.');
audit
  .command('begin-anew')
  .description('Make a new key where the old one is lost. What was entered before cannot be verified any more.')
  .action(() => once(async () => print('The audit log has a key.'), { canCreateAuditKey: true }));
audit
  .command('verify')
  .description('Find every entry that was altered, removed, reordered or forged; fails when there is one.')
  .option('--since <head>', 'a head that was printed before, sequence:hash, which must still be in the chain')
  .action(({ since }: { since?: string }) =>
    once(async ({ dependencies }) => {
      const noted = since === undefined ? null : parseHead(since);
      if (since !== undefined && noted === null) throw new StartFailure('A head is written sequence:hash.');
      const { entries, findings, head } = await verifyAudit(
        dependencies,
        ({ subject, tampering, text }) => print(`${subject}: ${tampering}: ${text}`),
        noted,
      );
      if (findings > 0) process.exitCode = 1;
      print(
        findings > 0
          ? `The audit log was tampered with: ${findings} ${findings === 1 ? 'finding' : 'findings'} in ${entries} entries, head ${head}`
          : `The audit log is intact: ${entries} entries, head ${head}`,
      );
    }),
  );

program
  .command('keys')
  .description('The keys that seal secrets at rest.')
  .command('rotate')
  .description('Seal every stored secret with the newest key; keys of the data directory get a new one first.')
  .action(() =>
    once(async (app, config) => {
      const { newestKeyId, isNewKey, resealed, unreadable } = await rotateKeys(app, config);
      for (const [place, count] of Object.entries(resealed)) print(`${place.padEnd(30)} ${count} sealed anew`);
      for (const sentence of unreadable) print(sentence);
      if (unreadable.length > 0) process.exitCode = 1;
      const opening = isNewKey ? `Made the key ${newestKeyId}; ` : '';
      print(
        unreadable.length > 0
          ? `${opening}${unreadable.length} could not be read and were left as they are.`
          : `${opening}everything is sealed with ${newestKeyId}. Keep the older keys for backups that were made before.`,
      );
    }),
  );

program
  .command('doctor')
  .description('Look after everything that Foyer needs; fails when something is wrong.')
  .action(() =>
    once(async (app, config) => {
      const findings = await examine(app, config);
      for (const { subject, state, text } of findings) print(`${state.padEnd(8)} ${subject.padEnd(15)} ${text}`);
      const faults = findings.filter(({ state }) => state === 'fault').length;
      if (faults > 0) process.exitCode = 1;
      print(faults > 0 ? `${faults} ${faults === 1 ? 'fault' : 'faults'}` : 'Everything that Foyer needs is there.');
    }),
  );

const job = program.command('jobs').description('What the worker does.');
job
  .command('list')
  .description('Name the jobs, when they run by themselves, and what they do.')
  .action(() => {
    const nameWidth = Math.max(...Object.keys(jobs).map((name) => name.length));
    const scheduleWidth = Math.max(...Object.values(jobs).map(({ schedule }) => schedule.length));
    for (const [name, { schedule, description }] of Object.entries(jobs))
      print(`${name.padEnd(nameWidth)}  ${schedule.padEnd(scheduleWidth)}  ${description}`);
  });
job
  .command('run <name>')
  .description('Run a job once, now.')
  .action((name: string) =>
    once(async ({ dependencies }) => {
      const found = jobs[name];
      if (!found) throw new StartFailure(`There is no job ${name}. There are: ${Object.keys(jobs).join(', ')}.`);
      print(`${name} is done; ${found.counted}: ${await found.run(dependencies)}`);
    }),
  );

await program.parseAsync();

/** Runs until SIGINT or SIGTERM. */
async function serve(roles: Roles): Promise<void> {
  await guarded(async (config, logger, shutdownHooks) => {
    const stopped = signals();
    for (const line of await start(config, roles, logger, shutdownHooks)) print(line);
    await stopped;
    logger.info('stopping');
    await shutDownAndExit(shutdownHooks, 0);
  });
}

/** Opens the application for one command and closes it again. */
async function once(act: (app: App, config: Config) => Promise<void>, options: OpenOptions = {}): Promise<void> {
  await guarded(async (config, logger, shutdownHooks) => {
    // Names the database on stderr, so that no command runs on the wrong one unnoticed.
    process.stderr.write(`On ${placeOf(config)}\n`);
    const app = await openApp(config, logger, shutdownHooks, options);
    // A command may take longer than a request.
    const { jobDependencies, pools } = app;
    await act({ ...app, dependencies: jobDependencies, connection: pools.jobs }, config);
    await shutdownHooks.closeAll();
  });
}

async function guarded(
  act: (config: Config, logger: pino.Logger, shutdownHooks: ShutdownHooks) => Promise<void>,
): Promise<void> {
  let shutdownHooks: ShutdownHooks | null = null;
  try {
    const config = readConfig(process.env);
    const logger = pino({ level: config.logLevel, base: null }, pino.destination({ dest: 2, sync: false }));
    shutdownHooks = createShutdownHooks(logger);
    await act(config, logger, shutdownHooks);
  } catch (error) {
    await shutdownHooks?.closeAll();
    process.exitCode = report(error);
  }
  process.exit();
}

/** One sentence for errors that the operator can correct, the stack for all others. */
function report(error: unknown): number {
  if (error instanceof ConfigError) {
    process.stderr.write(
      `The configuration has ${error.faults.length === 1 ? 'a fault' : `${error.faults.length} faults`}:\n`,
    );
    for (const fault of error.faults) process.stderr.write(`  ${fault}\n`);
    return 2;
  }
  const isPlain =
    error instanceof StartFailure ||
    error instanceof SecretUnreadable ||
    error instanceof AuditKeyMissing ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationError ||
    error instanceof Failure;
  const hint = error instanceof SecretUnreadable ? ' FOYER_SECRET_KEYS, or the file secret-keys, needs every key.' : '';
  process.stderr.write(
    `${isPlain ? error.message + hint : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}

function signals(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
