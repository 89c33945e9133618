import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OsAccount, canUse } from './embedded-account.ts';
import type { Binaries } from './embedded-binaries.ts';
import { EmbeddedPostgresError } from './embedded-failure.ts';
import { exists, isWorkingDirectoryOf } from './embedded-process.ts';
import { inheritedDirectory, spawnWatched } from './embedded-watchdog.ts';

/** The files of one PostgreSQL cluster, and the account that owns them. */
export interface Cluster {
  readonly directory: string;
  readonly account: OsAccount | null;
}

export const superuser = 'foyer';

/**
 * Creates the cluster if there is none, in a temporary folder that is renamed, so that a partial cluster never
 * exists.
 */
export async function prepareCluster(
  dataDir: string,
  binaries: Binaries,
  account: OsAccount | null,
  isDurable: boolean,
): Promise<Cluster> {
  const directory = join(dataDir, 'postgres');
  removeDrafts(dataDir);
  const stats = lstatSync(directory, { throwIfNoEntry: false });
  if (!stats) {
    await createCluster({ dataDir, directory }, binaries, account, isDurable);
    return { directory, account };
  }
  refuseOtherVersion(directory, binaries);
  // A restored backup may have other owners and modes than PostgreSQL requires.
  if (account !== null && stats.uid === 0) changeOwner(directory, account);
  else if ((stats.mode & 0o027) !== 0) chmodSync(directory, 0o700);
  if (account === null) return { directory, account };
  return { directory, account: stats.uid === 0 ? account : { uid: stats.uid, gid: stats.gid } };
}

export function readPassword({ directory }: Cluster): string {
  try {
    return readFileSync(join(directory, passwordFile), 'utf8').trim();
  } catch {
    throw new EmbeddedPostgresError(
      `The file ${join(directory, passwordFile)} with the password of the database is missing or unreadable: restore it from a backup.`,
    );
  }
}

/** Opens the directory for a program that runs as the account, which may not have access to the parent folders. */
export function openCluster(directory: string, account: OsAccount | null): { path: string; descriptor: number | null } {
  if (canUse(account, directory, 'write')) return { path: directory, descriptor: null };
  if (process.platform !== 'linux' || account === null) {
    throw new EmbeddedPostgresError(
      `The account that PostgreSQL runs as cannot reach ${directory}: set FOYER_DATA_DIR to a folder whose parent folders every account can open.`,
    );
  }
  return { path: inheritedDirectory, descriptor: openSync(directory, 'r') };
}

/** Reads `postmaster.pid`, which PostgreSQL may not have written completely yet. */
export function readPostmaster({ directory }: Cluster): { pid: number; isReady: boolean } | null {
  try {
    const lines = readFileSync(join(directory, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number.parseInt(lines[0] ?? '', 10), isReady: lines[7]?.trim() === 'ready' };
  } catch {
    return null;
  }
}

/** Stops a postmaster whose Foyer process has ended. Only the process that holds the data directory may call it. */
export async function clearPostmaster(cluster: Cluster): Promise<void> {
  const previous = await readWrittenPostmaster(cluster);
  if (!previous) return;
  const startedMs = Date.now();
  let signal: NodeJS.Signals | null = null;
  while (isWorkingDirectoryOf(previous.pid, cluster.directory)) {
    const next = Date.now() - startedMs < fastShutdownMs ? 'SIGINT' : 'SIGQUIT';
    if (next !== signal) sendSignal(previous.pid, next);
    signal = next;
    await sleep(10);
  }
  for (const name of [socketName, `${socketName}.lock`]) rmSync(join(cluster.directory, name), { force: true });
  // PostgreSQL would mistake any process with this id for its predecessor, even a zombie or an unrelated process. The
  // other lines stay: PostgreSQL checks with them whether processes of its predecessor still write.
  if (exists(previous.pid) && readPostmaster(cluster)?.pid === previous.pid) {
    const file = join(cluster.directory, 'postmaster.pid');
    writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(unusedPid)));
  }
}

/**
 * PostgreSQL writes the file right after creating it. If the file stays empty, the postmaster was killed in between.
 */
async function readWrittenPostmaster(cluster: Cluster): Promise<{ pid: number } | null> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const previous = readPostmaster(cluster);
    if (!previous || previous.pid > 0) return previous;
    await sleep(10);
  }
  rmSync(join(cluster.directory, 'postmaster.pid'), { force: true });
  return null;
}

export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has already ended.
  }
}

/** After this time the postmaster is stopped without its checkpoint, and recovers at the next start. */
export const fastShutdownMs = 30_000;

/** PostgreSQL derives the name from the port, and listens only on this socket. */
export const socketName = '.s.PGSQL.5432';

const passwordFile = 'foyer-password';
const draftPrefix = 'postgres.draft-';
const unusedPid = 2_147_483_647;

function removeDrafts(dataDir: string): void {
  for (const name of readdirSync(dataDir)) {
    // An initdb whose launcher was killed may still write for a moment.
    if (name.startsWith(draftPrefix) || name.startsWith('.postgres-lock-'))
      rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

function refuseOtherVersion(directory: string, binaries: Binaries): void {
  let version: number;
  try {
    version = Number.parseInt(readFileSync(join(directory, 'PG_VERSION'), 'utf8'), 10);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EACCES') {
      throw new EmbeddedPostgresError(
        `The database in ${directory} belongs to another account: run Foyer as that account, or set FOYER_DATA_DIR.`,
      );
    }
    throw new EmbeddedPostgresError(
      `The folder ${directory} contains no database: move it away or set FOYER_DATA_DIR.`,
    );
  }
  if (version !== binaries.majorVersion) {
    throw new EmbeddedPostgresError(
      `The database in ${directory} was created by PostgreSQL ${version}, but this is PostgreSQL ${binaries.majorVersion}: run it with PostgreSQL ${version} and set DATABASE_URL, or move the folder away to start with a new database.`,
    );
  }
}

async function createCluster(
  { dataDir, directory }: { readonly dataDir: string; readonly directory: string },
  binaries: Binaries,
  account: OsAccount | null,
  isDurable: boolean,
): Promise<void> {
  const draft = mkdtempSync(join(dataDir, draftPrefix));
  const files = join(draft, 'cluster');
  mkdirSync(files, { mode: 0o700 });
  writeFileSync(join(draft, passwordFile), `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (account) changeOwner(draft, account);
  await initialize(draft, binaries, account, isDurable);
  renameSync(join(draft, passwordFile), join(files, passwordFile));
  renameSync(files, directory);
  rmSync(draft, { recursive: true, force: true });
  if (isDurable) for (const folder of [directory, dataDir]) sync(folder);
}

async function initialize(
  draft: string,
  binaries: Binaries,
  account: OsAccount | null,
  isDurable: boolean,
): Promise<void> {
  const opened = openCluster(draft, account);
  const output = openSync(join(draft, 'output'), 'a');
  try {
    for (const locale of characterLocales) {
      const initdb = await spawnWatched({
        program: join(binaries.native, 'bin', 'initdb'),
        arguments: [
          `--pgdata=${opened.path}/cluster`,
          `--pwfile=${opened.path}/${passwordFile}`,
          `--username=${superuser}`,
          '--auth=scram-sha-256',
          '--encoding=UTF8',
          '--data-checksums',
          '--no-instructions',
          ...(binaries.majorVersion >= 17 ? ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'] : []),
          '--locale=C',
          `--lc-ctype=${locale}`,
          ...(binaries.majorVersion >= 17 ? [] : [`--lc-collate=${locale}`]),
          ...(isDurable ? [] : ['--no-sync']),
        ],
        account,
        output,
        directory: opened.descriptor,
        signal: 'KILL',
        removeAfterwards: null,
      });
      if ((await initdb.ended) === 0) return;
      const reason = readFileSync(join(draft, 'output'), 'utf8');
      if (!/invalid locale|locale name|encoding mismatch/i.test(reason) || locale === characterLocales.at(-1)) {
        throw new EmbeddedPostgresError(`PostgreSQL could not create its database: ${lastLine(reason)}`);
      }
    }
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  } finally {
    closeSync(output);
    if (opened.descriptor !== null) closeSync(opened.descriptor);
  }
}

/**
 * Locales in order of preference, since not every system has all of them. They define which characters are letters, for
 * trigrams and text search.
 */
const characterLocales = ['C.UTF-8', 'en_US.UTF-8', 'C'];

function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  return lines.findLast((line) => /error|fatal/i.test(line)) ?? lines.at(-1) ?? 'no reason was given.';
}

function changeOwner(path: string, account: OsAccount): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  chownSync(path, account.uid, account.gid);
  if (!stats.isDirectory()) return;
  chmodSync(path, 0o700);
  for (const name of readdirSync(path)) changeOwner(join(path, name), account);
}

function sync(folder: string): void {
  const descriptor = openSync(folder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}
