import { sql } from 'kysely';
import { access, constants, statfs } from 'node:fs/promises';
import type { App } from './app.ts';
import type { Config } from './config.ts';
import { inspectColumn } from './database/encrypted-column.ts';
import type { Finding } from './module.ts';
import { encryptedColumns, modules } from './modules.ts';

/** Tolerated difference between the clocks of this machine and the database, in seconds. */
const maxSkewSeconds = 5;
const minFreeBytes = 1_000_000_000;
/** The busiest job runs every minute. */
const workerSilenceSeconds = 180;

/** Checks everything that Foyer needs, and changes nothing. */
export async function examine(app: App, config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const check of [checkDatabase, checkClocks, checkWorker, checkSecrets])
    findings.push(...(await check(app, config)));
  for (const { healthChecks = [] } of modules)
    for (const check of healthChecks) findings.push(...(await check(app.dependencies)));
  for (const check of [checkPublicAddress, checkDataFolder]) findings.push(...(await check(app, config)));
  return findings;
}

type Check = (app: App, config: Config) => Promise<Finding[]>;

const checkDatabase: Check = async ({ dependencies: { db } }) => {
  const { rows } = await sql<{ version: string; size: string; connections: number; max_connections: number }>`
    select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as size,
      (select count(*)::int from pg_stat_activity) as connections, current_setting('max_connections')::int as max_connections
  `.execute(db);
  const { version = '', size = '', connections = 0, max_connections: maxConnections = 1 } = rows[0] ?? {};
  const text = `PostgreSQL ${version}, up to date, ${size}, ${connections} of ${maxConnections} connections in use`;
  return [{ subject: 'database', state: connections > maxConnections * 0.9 ? 'warning' : 'ok', text }];
};

const checkClocks: Check = async ({ dependencies: { db, clock } }) => {
  const { rows } = await sql<{ epoch_seconds: number }>`
    select extract(epoch from clock_timestamp())::double precision as epoch_seconds
  `.execute(db);
  const differenceSeconds = Math.abs((rows[0]?.epoch_seconds ?? 0) - clock.nowMs() / 1000);
  const text = `the clocks of this machine and of the database differ by ${differenceSeconds.toFixed(1)} s`;
  return [{ subject: 'clock', state: differenceSeconds > maxSkewSeconds ? 'fault' : 'ok', text }];
};

/** Every worker records when it starts a job; the most frequent job shows that it is running. */
const checkWorker: Check = async ({ dependencies: { db } }) => {
  const { rows } = await sql<{ seconds: number | null; failing_jobs: number }>`
    select
      (select extract(epoch from now() - max(last_execution))::double precision
        from graphile_worker._private_known_crontabs) as seconds,
      (select count(*)::int from graphile_worker.jobs where attempts > 0 and last_error is not null) as failing_jobs
  `
    .execute(db)
    .catch(() => ({ rows: [{ seconds: null, failing_jobs: 0 }] }));
  const { seconds = null, failing_jobs: failingJobs = 0 } = rows[0] ?? {};
  if (seconds === null)
    return [{ subject: 'worker', state: 'warning', text: 'no worker has run on this database yet' }];
  const isSilent = seconds > workerSilenceSeconds;
  const lastStart = `the last job started ${Math.round(seconds)} s ago`;
  return [
    {
      subject: 'worker',
      state: isSilent ? 'fault' : failingJobs > 0 ? 'warning' : 'ok',
      text: failingJobs > 0 ? `${lastStart}; ${failingJobs} failed and will be retried` : lastStart,
    },
  ];
};

const checkSecrets: Check = async ({ dependencies: { db, secretBox } }) => {
  const columns = await Promise.all(encryptedColumns.map((column) => inspectColumn(column, db, secretBox)));
  const faults = columns
    .flatMap(({ unreadable }) => unreadable)
    .map((text): Finding => ({ subject: 'secrets', state: 'fault', text }));
  const outdatedCount = columns.reduce((sum, { outdated }) => sum + outdated, 0);
  const count = columns.reduce((sum, { readable }) => sum + readable, 0);
  if (faults.length > 0) return faults;
  return [
    outdatedCount > 0
      ? {
          subject: 'secrets',
          state: 'warning',
          text: `${outdatedCount} of ${count} are encrypted with an older key: run foyer keys rotate`,
        }
      : { subject: 'secrets', state: 'ok', text: `all ${count} are encrypted with the newest key` },
  ];
};

const checkPublicAddress: Check = async ({ dependencies: { publicUrl, settings } }, config) => {
  const url = publicUrl();
  if (config.publicUrl === null && settings().public_url === null) {
    const text = `links would begin with ${url}, from HOST and PORT of this shell, which may differ from those of the server: set FOYER_PUBLIC_URL, or public_url in the settings`;
    return [{ subject: 'address', state: 'warning', text }];
  }
  const { protocol, hostname } = new URL(url);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  const isUnencrypted = protocol !== 'https:' && !isLocal;
  const text = `links begin with ${url}${isUnencrypted ? ': use https, except for tests' : ''}`;
  return [{ subject: 'address', state: isUnencrypted ? (config.requireHttps ? 'fault' : 'warning') : 'ok', text }];
};

const checkDataFolder: Check = async (_app, { databaseUrl, dataDir }) => {
  if (databaseUrl !== null) return [];
  try {
    await access(dataDir, constants.W_OK);
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const text = `${dataDir} has ${(free / 1e9).toFixed(1)} GB free`;
    return [{ subject: 'data', state: free < minFreeBytes ? 'warning' : 'ok', text }];
  } catch {
    return [{ subject: 'data', state: 'fault', text: `${dataDir} cannot be written` }];
  }
};
