import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { type OsAccount, canUse, findUnprivilegedAccount } from './embedded-account.ts';
import { locateBinaries, usableBinaries } from './embedded-binaries.ts';
import { fastShutdownMs, prepareCluster, readPassword, sendSignal, socketName, superuser } from './embedded-cluster.ts';
import { EmbeddedPostgresError } from './embedded-failure.ts';
import { type Holder, holderOf, lockDirectory } from './embedded-lock.ts';
import { type Postmaster, startPostmaster } from './embedded-postmaster.ts';

export { EmbeddedPostgresError, locateBinaries };

export interface EmbeddedPostgres {
  /** For any PostgreSQL client on this machine. Contains the password. */
  readonly connectionString: string;
  /** Such as `18.4`. */
  readonly version: string;
  /** Shuts PostgreSQL down and closes open connections. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  readonly logger: EmbeddedPostgresLogger;
  /** The npm package with the binaries, by default the one for this platform. */
  readonly packageName?: string;
  /** Settings of PostgreSQL that override the defaults of Foyer. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The part of a pino logger that is used. */
export interface EmbeddedPostgresLogger {
  debug(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/**
 * Runs the PostgreSQL of the data directory, which is created at the first start. PostgreSQL ends with this process, and is
 * restarted if it exits unexpectedly.
 * @throws EmbeddedPostgresError if the directory is in use or was created by another PostgreSQL version, or if the platform is not supported
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const started = await startUnlessInUse(options);
  if (!('holder' in started)) return started;
  throw new EmbeddedPostgresError(
    `The data directory ${resolve(options.dataDir)} is in use by another Foyer (pid ${started.holder.pid}).`,
  );
}

/**
 * Connects to the PostgreSQL that another process runs on the data directory, or else starts it. `stop` does nothing if
 * another process runs it.
 */
export async function attachOrStartEmbeddedPostgres(
  options: EmbeddedPostgresOptions,
): Promise<EmbeddedPostgres & { readonly isAttached: boolean }> {
  for (;;) {
    const started = await startUnlessInUse(options);
    if (!('holder' in started)) return { ...started, isAttached: false };
    const { connectionString, version } = await waitForConnection(started.holder, resolve(options.dataDir));
    if (connectionString !== null && version !== null) {
      return { connectionString, version, stop: async () => undefined, isAttached: true };
    }
  }
}

/** An empty PostgreSQL for tests: fast, not durable, removed when it stops. */
export async function startThrowawayPostgres(
  options: { readonly packageName?: string; readonly settings?: Readonly<Record<string, string>> } = {},
): Promise<EmbeddedPostgres> {
  const dataDir = makeTemporaryFolder('foyer-throwaway-', findUnprivilegedAccount());
  try {
    const started = await run(
      {
        ...options,
        dataDir,
        logger: { debug: () => undefined, warn: () => undefined, error: (message) => console.error(message) },
        settings: { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', ...options.settings },
      },
      { isDurable: false, onReady: () => undefined },
    );
    return {
      ...started,
      async stop() {
        await started.stop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
}

async function startUnlessInUse(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres | { holder: Holder }> {
  const dataDir = resolve(options.dataDir);
  const claim = takeDirectory(dataDir);
  if ('holder' in claim) return claim;
  try {
    const started = await run({ ...options, dataDir }, { isDurable: true, onReady: claim.lock.publishConnection });
    return {
      ...started,
      async stop() {
        await started.stop();
        claim.lock.release();
      },
    };
  } catch (error) {
    claim.lock.release();
    throw error;
  }
}

function takeDirectory(dataDir: string): ReturnType<typeof lockDirectory> {
  try {
    // The account of PostgreSQL may enter the directory, but not list it.
    if (!existsSync(dataDir)) mkdirSync(dataDir, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 });
    return lockDirectory(dataDir);
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The data directory ${dataDir} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
    );
  }
}

interface Run {
  readonly isDurable: boolean;
  readonly onReady: (connection: { connectionString: string; version: string }) => void;
}

async function run(options: EmbeddedPostgresOptions, { isDurable, onReady }: Run): Promise<EmbeddedPostgres> {
  const { dataDir, logger } = options;
  const account = findUnprivilegedAccount();
  const located = locateBinaries(options.packageName);
  const cluster = await prepareCluster(dataDir, usableBinaries(located, account), account, isDurable);
  const postmaster: Postmaster = {
    cluster,
    binaries: usableBinaries(located, cluster.account),
    settings: options.settings ?? {},
    socketDirectory: chooseSocketDirectory(cluster.directory, cluster.account),
    removeAfterwards: isDurable ? null : dataDir,
    onSlowStart: () => logger.warn('PostgreSQL is still starting: crash recovery is replaying its write-ahead log.'),
  };
  let running = await startPostmaster(postmaster);
  const url = (database: string) => connectionUrl(postmaster.socketDirectory, readPassword(cluster), database);
  let version: string;
  try {
    version = await ensureDatabase(url);
  } catch (error) {
    running.interrupt();
    await running.ended;
    throw error;
  }
  const connection = { connectionString: url(databaseName), version };
  onReady(connection);
  // This process may end while PostgreSQL runs: the watchdog then ends PostgreSQL.
  running.detach();
  logger.debug(`PostgreSQL ${version} runs on ${cluster.directory} (pid ${running.pid}).`);

  const stopping = new AbortController();
  let watching = watch();
  async function watch(): Promise<void> {
    const status = await running.ended;
    if (stopping.signal.aborted || !isDurable) return;
    logger.error(`PostgreSQL exited unexpectedly (status ${status}). Foyer restarts it.`);
    for (let pauseMs = 100; !stopping.signal.aborted; pauseMs = Math.min(pauseMs * 2, 10_000)) {
      try {
        running = await startPostmaster(postmaster);
        running.detach();
        watching = watch();
        return;
      } catch (error) {
        logger.error(error instanceof Error ? error.message : String(error));
        await sleep(pauseMs);
      }
    }
  }

  async function shutDown(): Promise<void> {
    stopping.abort();
    running.interrupt();
    const killTimer = setTimeout(() => sendSignal(running.pid, 'SIGQUIT'), fastShutdownMs);
    await watching;
    // A restart may have started a new postmaster in the meantime.
    running.interrupt();
    await running.ended;
    clearTimeout(killTimer);
    logger.debug('PostgreSQL has stopped.');
  }
  let stopped: Promise<void> | null = null;
  return { ...connection, stop: () => (stopped ??= shutDown()) };
}

const databaseName = 'foyer';

function connectionUrl(socketDirectory: string, password: string, database: string): string {
  return `postgresql://${superuser}:${password}@${encodeURIComponent(socketDirectory)}:5432/${database}?sslmode=disable`;
}

/** Creates Foyer's database if it is missing. @returns the version of the server */
async function ensureDatabase(url: (database: string) => string): Promise<string> {
  try {
    return await query(url(databaseName), 'show server_version');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === '3D000')) throw error;
    await query(url('postgres'), `create database ${databaseName}`);
    return await query(url(databaseName), 'show server_version');
  }
}

async function query(connectionString: string, statement: string): Promise<string> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version?: string }>(statement);
    return rows[0]?.server_version?.split(' ')[0] ?? '';
  } finally {
    await client.end();
  }
}

/**
 * Waits until the holder's PostgreSQL is ready. Both fields are null if the holder ends or releases the
 * lock first.
 */
async function waitForConnection(
  holder: Holder,
  dataDir: string,
): Promise<Pick<Holder, 'connectionString' | 'version'>> {
  let current: Holder | null = holder;
  while (current && current.connectionString === null) {
    await sleep(20);
    current = holderOf(dataDir);
  }
  return current ?? { connectionString: null, version: null };
}

/** Systems limit the path of a socket, the strictest to 103 bytes. */
const socketPathLimit = 103;

function chooseSocketDirectory(clusterDirectory: string, account: OsAccount | null): string {
  if (Buffer.byteLength(join(clusterDirectory, socketName)) <= socketPathLimit) return clusterDirectory;
  return makeTemporaryFolder('foyer-', account);
}

function makeTemporaryFolder(prefix: string, account: OsAccount | null): string {
  const parent = [tmpdir(), '/tmp'].find(
    (folder) => canUse(account, folder, 'execute') && Buffer.byteLength(folder) < socketPathLimit / 2,
  );
  const folder = mkdtempSync(join(parent ?? tmpdir(), prefix));
  if (account) chownSync(folder, account.uid, account.gid);
  return folder;
}
