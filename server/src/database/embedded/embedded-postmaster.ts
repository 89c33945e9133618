import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './embedded-binaries.ts';
import { type Cluster, clearPostmaster, openCluster, readPostmaster } from './embedded-cluster.ts';
import { EmbeddedPostgresError } from './embedded-failure.ts';
import { type WatchedProcess, spawnWatched } from './embedded-watchdog.ts';

export interface Postmaster {
  readonly cluster: Cluster;
  readonly binaries: Binaries;
  readonly settings: Readonly<Record<string, string>>;
  /** The folder of the cluster, or another one if its path is too long for a socket. */
  readonly socketDirectory: string;
  readonly removeAfterwards: string | null;
  readonly onSlowStart: () => void;
}

/**
 * Starts PostgreSQL and waits until it accepts connections.
 * @throws EmbeddedPostgresError with the reason that PostgreSQL gives
 */
export async function startPostmaster(postmaster: Postmaster): Promise<WatchedProcess> {
  const deadlineMs = Date.now() + predecessorExitMs;
  for (;;) {
    await clearPostmaster(postmaster.cluster);
    const log = openLog(postmaster.cluster);
    const logStart = statSync(log.file).size;
    const running = await spawnPostmaster(postmaster, log.descriptor);
    if (await waitUntilReady(running, postmaster)) return running;
    const output = readFileSync(log.file).subarray(logStart).toString();
    // Processes of a killed predecessor need a moment to end.
    if (!/pre-existing shared memory block|lock file ".*" already exists/.test(output) || Date.now() > deadlineMs) {
      throw new EmbeddedPostgresError(`PostgreSQL could not start: ${reasonIn(output)} (see ${log.file})`);
    }
    await sleep(50);
  }
}

const predecessorExitMs = 20_000;
const slowStartMs = 5000;
const pollMs = 4;
const logLimitBytes = 1024 * 1024;

async function spawnPostmaster(postmaster: Postmaster, output: number): Promise<WatchedProcess> {
  const { cluster, binaries, socketDirectory } = postmaster;
  const isOwnSocket = socketDirectory === cluster.directory;
  if (!isOwnSocket && !existsSync(socketDirectory)) {
    mkdirSync(socketDirectory, { mode: 0o700 });
    if (cluster.account) chownSync(socketDirectory, cluster.account.uid, cluster.account.gid);
  }
  const opened = openCluster(cluster.directory, cluster.account);
  try {
    const settings = {
      ...lightSettings,
      ...postmaster.settings,
      unix_socket_directories: isOwnSocket ? '.' : `"${socketDirectory}"`,
    };
    return await spawnWatched({
      program: join(binaries.native, 'bin', 'postgres'),
      arguments: [
        '-D',
        opened.path,
        ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      ],
      account: cluster.account,
      output,
      directory: opened.descriptor,
      signal: 'INT',
      removeAfterwards: postmaster.removeAfterwards ?? (isOwnSocket ? null : socketDirectory),
    });
  } catch (error) {
    throw new EmbeddedPostgresError(
      `PostgreSQL could not be run: ${error instanceof Error ? error.message : String(error)}.`,
    );
  } finally {
    closeSync(output);
    if (opened.descriptor !== null) closeSync(opened.descriptor);
  }
}

/** Moderate memory use and full durability. */
const lightSettings = {
  cluster_name: 'foyer',
  listen_addresses: '',
  port: '5432',
  unix_socket_permissions: '0700',
  max_connections: '100',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  min_wal_size: '64MB',
  max_wal_size: '512MB',
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  autovacuum: 'on',
  autovacuum_naptime: '15s',
  jit: 'off',
  max_logical_replication_workers: '0',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_destination: 'stderr',
  logging_collector: 'off',
  // Failed statements are logged by Foyer; their text would contain customer data.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
};

async function waitUntilReady(running: WatchedProcess, postmaster: Postmaster): Promise<boolean> {
  const ended = running.ended.then(() => 'ended' as const);
  const slow = setTimeout(postmaster.onSlowStart, slowStartMs);
  try {
    for (;;) {
      const postmasterFile = readPostmaster(postmaster.cluster);
      if (postmasterFile?.pid === running.pid && postmasterFile.isReady) return true;
      if ((await Promise.race([ended, sleep(pollMs)])) === 'ended') return false;
    }
  } finally {
    clearTimeout(slow);
  }
}

function openLog({ directory }: Cluster): { file: string; descriptor: number } {
  const folder = dirname(directory);
  const file = join(folder, 'postgres.log');
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > logLimitBytes) renameSync(file, `${file}.1`);
  const descriptor = openSync(file, 'a', 0o600);
  if (process.getuid?.() === 0) {
    const { uid, gid } = statSync(folder);
    chownSync(file, uid, gid);
  }
  return { file, descriptor };
}

function reasonIn(output: string): string {
  const lines = output.trim().split('\n');
  const line = lines.findLast((candidate) => /FATAL|PANIC/.test(candidate)) ?? lines.at(-1) ?? '';
  return line === '' ? 'it gave no reason' : line.replace(/^.*?(FATAL|PANIC):\s*/, '');
}
