import { Command } from 'commander';
import pino from 'pino';
import { version } from './platform/version.ts';
import { type Config, ConfigError, adminFaults, readConfig } from './config.ts';
import { EmbeddedPostgresError } from './database/embedded/embedded.ts';
import { MigrationError } from './database/migrate.ts';
import { AuditKeyMissing, parseHead, verifyAudit } from './modules/audit/index.ts';
import { createFullAdmin } from './modules/admins/index.ts';
import { createFirstPartyClient, resetAdminPassword } from './modules/auth/index.ts';
import { resetTwoFactorByName } from './modules/two-factor/index.ts';
import { examine } from './doctor.ts';
import { Failure } from './platform/failures.ts';
import { printIdentifier } from './platform/identity/identifier.ts';
import { passwordFaults } from './platform/crypto/password.ts';
import { rotateKeys } from './rotate-keys.ts';
import { SecretUnreadable } from './platform/crypto/secret-box.ts';
import { databaseName, StartFailure } from './runtime/open-database.ts';
import {
  shutDownAndExit,
  type ShutdownHooks,
  createShutdownHooks,
  type OpenOptions,
  openApp,
  type EnabledServices,
  start,
} from './start.ts';
import { jobs } from './modules.ts';
import type { App } from './app.ts';

const program = new Command('foyer')
  .description('Multi-tenant platform to resell web meetings, live streams and video.')
  .version(version);

program
  .command('start', { isDefault: true })
  .description('Run the API and the worker (the default command).')
  // An unknown command arrives here as an argument.
  .allowExcessArguments()
  .action((_options, { args: [unknown] }: Command) => {
    if (unknown !== undefined) program.error(`Unknown command: ${unknown}. Run foyer --help for a list.`);
    return serve({ api: true, worker: true, sandbox: true });
  });
program
  .command('api')
  .description('Run only the API, with console and room pages.')
  .action(() => serve({ api: true, worker: false, sandbox: false }));
program
  .command('worker')
  .description('Run only the worker.')
  .action(() => serve({ api: false, worker: true, sandbox: false }));
program
  .command('migrate')
  .description('Migrate the database to this version.')
  .action(() => runOnce(async () => print('The database is up to date.'), { canCreateDatabase: true }));

const admin = program.command('admin').description('Create administrators and restore their access.');
admin
  .command('create')
  .description('Create the first administrator. With both options, create this administrator even if there are others.')
  .option('--username <name>', 'user name of the administrator')
  .option('--email <address>', 'email address of the administrator')
  .action((options: { username?: string; email?: string }) =>
    runOnce(async ({ dependencies }, config) => {
      const names = { ...config.firstAdmin, ...options };
      const faults = adminFaults(names, { username: '--username', email: '--email' });
      if (faults.length > 0) throw new StartFailure(faults.join(' '));
      const isNamed = options.username !== undefined && options.email !== undefined;
      const { system_locale: locale } = dependencies.settings();
      const created = await createFullAdmin(dependencies, names, locale, { onlyIfNone: !isNamed });
      print(
        created
          ? `Created the administrator ${created.username} with the password ${created.password}`
          : 'An administrator already exists. To create another one, give --username and --email.',
      );
    }),
  );
admin
  .command('reset-password <name>')
  .description('Set a new password for an administrator, by user name or email.')
  .action((name: string) =>
    runOnce(async ({ dependencies }) => {
      const environmentPassword = process.env['FOYER_ADMIN_PASSWORD'] ?? null;
      const faults = environmentPassword === null ? [] : await passwordFaults(environmentPassword);
      if (faults.length > 0) throw new StartFailure(faults.join(' '));
      const password = await resetAdminPassword(dependencies, name, environmentPassword);
      print(
        environmentPassword === null
          ? `The new password of ${name} is ${password}`
          : `The password of ${name} was changed.`,
      );
    }),
  );
admin
  .command('reset-two-factor <name>')
  .description('Remove the second factor of an administrator, by user name or email.')
  .action((name: string) =>
    runOnce(async ({ dependencies }) => {
      await resetTwoFactorByName(dependencies, name);
      print(`The second factor of ${name} was removed.`);
    }),
  );

program
  .command('client')
  .description('Create OAuth clients.')
  .command('create <name>')
  .description('Create a first-party client for POST /oauth/token. Its secret is shown only once.')
  .option('--population <population>', 'who signs in through it: admins or users', 'admins')
  .action((name: string, options: { population: string }) =>
    runOnce(async ({ dependencies }) => {
      if (options.population !== 'admins' && options.population !== 'users')
        throw new StartFailure('The option --population must be admins or users.');
      const client = await createFirstPartyClient(dependencies, name, options.population);
      print(`client_id      ${printIdentifier('client', client.id)}\nclient_secret  ${client.secret}`);
    }),
  );

const audit = program.command('audit').description('Verify the audit log.');
audit
  .command('begin-anew')
  .description('Create a new key after the old one was lost. Earlier entries can then no longer be verified.')
  .action(() => runOnce(async () => print('The audit log has a key.'), { canCreateAuditKey: true }));
audit
  .command('verify')
  .description('Check for entries that were altered, removed, reordered or forged. Exits with 1 if there are any.')
  .option('--since <head>', 'a head (sequence:hash) that an earlier run printed and that must still be in the chain')
  .action(({ since }: { since?: string }) =>
    runOnce(async ({ dependencies }) => {
      const knownHead = since === undefined ? null : parseHead(since);
      if (since !== undefined && knownHead === null)
        throw new StartFailure('The option --since must have the form sequence:hash.');
      const { entries, findings, head } = await verifyAudit(
        dependencies,
        ({ subject, tampering, text }) => print(`${subject}: ${tampering}: ${text}`),
        knownHead,
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
  .description('Manage the keys that encrypt stored secrets.')
  .command('rotate')
  .description(
    'Encrypt all stored secrets with the newest key. If the keys are in the data directory, create a new key first.',
  )
  .action(() =>
    runOnce(async (app, config) => {
      const { newestKeyId, isNewKey, reencrypted, unreadable } = await rotateKeys(app, config);
      for (const [column, count] of Object.entries(reencrypted)) print(`${column.padEnd(30)} ${count} encrypted again`);
      for (const sentence of unreadable) print(sentence);
      if (unreadable.length > 0) process.exitCode = 1;
      const opening = isNewKey ? `Created the key ${newestKeyId}. ` : '';
      print(
        unreadable.length > 0
          ? `${opening}${unreadable.length} ${unreadable.length === 1 ? 'secret' : 'secrets'} could not be read and ${unreadable.length === 1 ? 'was' : 'were'} not changed.`
          : `${opening}All secrets are encrypted with ${newestKeyId}. Keep the older keys for older backups.`,
      );
    }),
  );

program
  .command('doctor')
  .description('Check the database, worker, secrets, providers, mail and addresses. Exits with 1 if there is a fault.')
  .action(() =>
    runOnce(async (app, config) => {
      const findings = await examine(app, config);
      for (const { subject, state, text } of findings) print(`${state.padEnd(8)} ${subject.padEnd(15)} ${text}`);
      const faults = findings.filter(({ state }) => state === 'fault').length;
      if (faults > 0) process.exitCode = 1;
      print(faults > 0 ? `${faults} ${faults === 1 ? 'fault' : 'faults'}` : 'No faults found.');
    }),
  );

const jobCommand = program.command('jobs').description('List and run the jobs of the worker.');
jobCommand
  .command('list')
  .description('List the jobs with their schedules.')
  .action(() => {
    const nameWidth = Math.max(...Object.keys(jobs).map((name) => name.length));
    const scheduleWidth = Math.max(...Object.values(jobs).map(({ schedule }) => schedule.length));
    for (const [name, { schedule, description }] of Object.entries(jobs))
      print(`${name.padEnd(nameWidth)}  ${schedule.padEnd(scheduleWidth)}  ${description}`);
  });
jobCommand
  .command('run <name>')
  .description('Run a job now.')
  .action((name: string) =>
    runOnce(async ({ dependencies }) => {
      const job = jobs[name];
      if (!job) throw new StartFailure(`There is no job ${name}. The jobs are: ${Object.keys(jobs).join(', ')}.`);
      print(`${name} is done; ${job.counted}: ${await job.run(dependencies)}`);
    }),
  );

await program.parseAsync();

/** Runs until SIGINT or SIGTERM. */
async function serve(services: EnabledServices): Promise<void> {
  await runGuarded(async (config, logger, shutdownHooks) => {
    const stopped = waitForSignal();
    for (const line of await start(config, services, logger, shutdownHooks)) print(line);
    await stopped;
    logger.info('stopping');
    await shutDownAndExit(shutdownHooks, 0);
  });
}

/** Opens the application for one command and closes it again. */
async function runOnce(act: (app: App, config: Config) => Promise<void>, options: OpenOptions = {}): Promise<void> {
  await runGuarded(async (config, logger, shutdownHooks) => {
    // Prints the database to stderr, so that the operator notices a wrong one.
    process.stderr.write(`On ${databaseName(config)}\n`);
    const app = await openApp(config, logger, shutdownHooks, options);
    // A command may take longer than a request.
    const { jobDependencies, pools } = app;
    await act({ ...app, dependencies: jobDependencies, connection: pools.jobs }, config);
    await shutdownHooks.closeAll();
  });
}

async function runGuarded(
  act: (config: Config, logger: pino.Logger, shutdownHooks: ShutdownHooks) => Promise<void>,
): Promise<void> {
  let shutdownHooks: ShutdownHooks | null = null;
  try {
    const config = readConfig(process.env);
    // Lines are written together, because a system call costs as much as everything else that is done for a line.
    const destination = pino.destination({ dest: 2, sync: false, minLength: 8192, periodicFlush: 100 });
    const logger = pino({ level: config.logLevel, base: null }, destination);
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
      `The configuration has ${error.faults.length === 1 ? 'an error' : `${error.faults.length} errors`}:\n`,
    );
    for (const fault of error.faults) process.stderr.write(`  ${fault}\n`);
    return 2;
  }
  const isExpected =
    error instanceof StartFailure ||
    error instanceof SecretUnreadable ||
    error instanceof AuditKeyMissing ||
    error instanceof EmbeddedPostgresError ||
    error instanceof MigrationError ||
    error instanceof Failure;
  const hint = error instanceof SecretUnreadable ? ' Add the key to FOYER_SECRET_KEYS or to the file secret-keys.' : '';
  process.stderr.write(
    `${isExpected ? error.message + hint : error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  return 1;
}

function waitForSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
