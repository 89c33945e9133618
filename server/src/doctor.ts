import { providerTypes } from '@foyer/contract/provider-types.ts';
import { sql } from 'kysely';
import { access, constants, statfs } from 'node:fs/promises';
import type { House } from './compose.ts';
import type { Config } from './config.ts';
import { countFullAdmins } from './modules/admins/index.ts';
import type { Dependencies } from './dependencies.ts';
import { recordingsWithoutSize, waitingRecordings, type WaitingRecordings } from './modules/recordings/index.ts';
import { checkServiceProvider, providerFigures, type ProviderFigures } from './modules/service-providers/index.ts';
import { lookThrough } from './database/sealed-column.ts';
import { SecretUnreadable } from './platform/secret-box.ts';
import { sealedPlaces } from './rotate-keys.ts';

export interface Finding {
  readonly subject: string;
  readonly state: 'ok' | 'warning' | 'fault';
  readonly text: string;
}

/** How far the clocks of this machine and of the database may be apart, in seconds. */
const mostSkewSeconds = 5;
const leastFreeBytes = 1_000_000_000;
/** The busiest job runs every minute. */
const workerSilenceSeconds = 180;

/** Looks after everything that Foyer needs, and changes nothing. */
export async function examine(house: House, config: Config): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const look of [database, clocks, worker, secrets, administrators, providers, mail, publicAddress, dataFolder])
    findings.push(...(await look(house, config)));
  return findings;
}

type Look = (house: House, config: Config) => Promise<Finding[]>;

const database: Look = async ({ dependencies: { db } }) => {
  const { rows } = await sql<{ version: string; size: string; used: number; most: number }>`
    select current_setting('server_version') as version, pg_size_pretty(pg_database_size(current_database())) as size,
      (select count(*)::int from pg_stat_activity) as used, current_setting('max_connections')::int as most
  `.execute(db);
  const { version = '', size = '', used = 0, most = 1 } = rows[0] ?? {};
  const text = `PostgreSQL ${version}, up to date, ${size}, ${used} of ${most} connections in use`;
  return [{ subject: 'database', state: used > most * 0.9 ? 'warning' : 'ok', text }];
};

const clocks: Look = async ({ dependencies: { db, clock } }) => {
  const { rows } = await sql<{ at: number }>`
    select extract(epoch from clock_timestamp())::double precision as at
  `.execute(db);
  const apart = Math.abs((rows[0]?.at ?? 0) - clock.nowMs() / 1000);
  const text = `this machine and the database are ${apart.toFixed(1)} s apart`;
  return [{ subject: 'clock', state: apart > mostSkewSeconds ? 'fault' : 'ok', text }];
};

/** Every worker notes when it begins a job; the note of the most frequent one is the pulse. */
const worker: Look = async ({ dependencies: { db } }) => {
  const { rows } = await sql<{ seconds: number | null; failing: number }>`
    select
      (select extract(epoch from now() - max(last_execution))::double precision
        from graphile_worker._private_known_crontabs) as seconds,
      (select count(*)::int from graphile_worker.jobs where attempts > 0 and last_error is not null) as failing
  `
    .execute(db)
    .catch(() => ({ rows: [{ seconds: null, failing: 0 }] }));
  const { seconds = null, failing = 0 } = rows[0] ?? {};
  if (seconds === null)
    return [{ subject: 'worker', state: 'warning', text: 'no worker has run on this database yet' }];
  const isSilent = seconds > workerSilenceSeconds;
  const pulse = `the last job began ${Math.round(seconds)} s ago`;
  return [
    {
      subject: 'worker',
      state: isSilent ? 'fault' : failing > 0 ? 'warning' : 'ok',
      text: failing > 0 ? `${pulse}; ${failing} failed and will be tried again` : pulse,
    },
  ];
};

const secrets: Look = async ({ dependencies: { db, secretBox } }) => {
  const places = await Promise.all(sealedPlaces.map((place) => lookThrough(place, db, secretBox)));
  const faults = places
    .flatMap(({ unreadable }) => unreadable)
    .map((text): Finding => ({ subject: 'secrets', state: 'fault', text }));
  const older = places.reduce((sum, { outdated }) => sum + outdated, 0);
  const count = places.reduce((sum, { readable }) => sum + readable, 0);
  if (faults.length > 0) return faults;
  return [
    older > 0
      ? {
          subject: 'secrets',
          state: 'warning',
          text: `${older} of ${count} are sealed with an older key: foyer keys rotate`,
        }
      : { subject: 'secrets', state: 'ok', text: `all ${count} open with the newest key` },
  ];
};

const administrators: Look = async ({ dependencies: { db } }) => {
  const full = await countFullAdmins(db);
  return [
    full > 0
      ? { subject: 'administrators', state: 'ok', text: `${full} active with full access` }
      : { subject: 'administrators', state: 'fault', text: 'none with full access: foyer admin create' },
  ];
};

const providers: Look = async ({ dependencies }) => {
  const { db, clock } = dependencies;
  const [{ providers: all }, waiting, withoutSize] = await Promise.all([
    providerFigures(db, clock.now(), 100_000),
    waitingRecordings(db),
    recordingsWithoutSize(db),
  ]);
  if (all.length === 0) return [{ subject: 'providers', state: 'warning', text: 'there is none that is active' }];
  const findings = await Promise.all(
    all
      .toSorted((one, other) => one.name.localeCompare(other.name))
      .map(async (figures) => [
        await answerOf(dependencies, figures),
        ...standingOf(
          figures,
          waiting.filter(({ providerId }) => providerId === figures.id),
          clock.nowMs(),
        ),
        ...sizesOf(figures, withoutSize.get(figures.id) ?? 0),
      ]),
  );
  return [...findings.flat(), ...setupNotesOf(all)];
};

function sizesOf({ name }: ProviderFigures, count: number): Finding[] {
  if (count === 0) return [];
  const text = `${name}: ${count} recordings have no size, so max_storage does not count them: set its property recording_kbps`;
  return [{ subject: 'providers', state: 'warning', text }];
}

/** Server properties that no API tells. */
function setupNotesOf(all: readonly ProviderFigures[]): Finding[] {
  return providerTypes.flatMap(({ name, displayName, setupNote }) =>
    all.some(({ type }) => type === name)
      ? [{ subject: 'providers', state: 'ok' as const, text: `${displayName} servers: ${setupNote}` }]
      : [],
  );
}

/** Asked now. */
async function answerOf(dependencies: Dependencies, { id, name }: ProviderFigures): Promise<Finding> {
  const subject = 'providers';
  try {
    const found = await checkServiceProvider(dependencies, id);
    const { reachable, secret_accepted: accepted, latency_ms: ms, problem } = found;
    if (reachable === true && accepted === true)
      return { subject, state: 'ok', text: `${name} answers in ${String(ms)} ms` };
    return { subject, state: 'fault', text: `${name}: ${String(problem)}` };
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return { subject, state: 'fault', text: `${name}: its secret cannot be read` };
  }
}

/** As it was before it was asked now. */
function standingOf(
  { name, state, problem, checkedAtMs, meetings, participants, draining, twins }: ProviderFigures,
  waiting: readonly WaitingRecordings[],
  nowMs: number,
): Finding[] {
  const findings: Finding[] = [];
  const subject = 'providers';
  const say = (of: Finding['state'], text: string) => findings.push({ subject, state: of, text: `${name}: ${text}` });
  if (state === 'unknown') {
    const since = checkedAtMs === null ? 'never' : `not for ${Math.round((nowMs - checkedAtMs) / 60_000)} minutes`;
    say('warning', `it was ${since} asked by a worker: what is known of it is of then`);
  } else {
    const load = `${meetings ?? 'uncounted'} meetings, ${participants ?? 'uncounted'} participants`;
    const how = `${state}${draining ? ', draining' : ''}${problem === null ? '' : ` (${problem.replace(/\.$/, '')})`}`;
    say(state === 'healthy' ? 'ok' : 'warning', `${how}, ${load}`);
  }
  if (waiting.length > 0) {
    const parts = waiting.map(({ wait, count }) => `${count} for ${waitNames[wait]}`);
    say('ok', `recordings wait for it: ${parts.join(', ')}`);
  }
  if (twins.length > 0)
    say('warning', `${twins.join(', ')} has the same address: the server is asked once for each, and shown by each`);
  return findings;
}

const waitNames = {
  processing: 'their processing',
  change: 'a change',
  deletion: 'their deletion',
} as const satisfies Record<WaitingRecordings['wait'], string>;

const mail: Look = async ({ dependencies: { mailer } }) => {
  if (!mailer)
    return [{ subject: 'mail', state: 'ok', text: 'no mail server is set: links are shown to whoever makes them' }];
  const problem = await mailer.check();
  return [
    problem === null
      ? { subject: 'mail', state: 'ok', text: 'the mail server takes mails' }
      : { subject: 'mail', state: 'fault', text: `the mail server refuses: ${problem}` },
  ];
};

const publicAddress: Look = async ({ dependencies: { publicUrl, settings } }, config) => {
  const url = publicUrl();
  if (config.publicUrl === null && settings().public_url === null) {
    const text = `links would begin with ${url} by HOST and PORT of this shell, which may not be those of the server: set FOYER_PUBLIC_URL, or public_url in the settings`;
    return [{ subject: 'address', state: 'warning', text }];
  }
  const { protocol, hostname } = new URL(url);
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(hostname);
  const isOpen = protocol !== 'https:' && !isLocal;
  const text = `links begin with ${url}${isOpen ? ': everything but tests belongs on https' : ''}`;
  return [{ subject: 'address', state: isOpen ? (config.requireHttps ? 'fault' : 'warning') : 'ok', text }];
};

const dataFolder: Look = async (_house, { databaseUrl, dataDir }) => {
  if (databaseUrl !== null) return [];
  try {
    await access(dataDir, constants.W_OK);
    const { bavail, bsize } = await statfs(dataDir);
    const free = bavail * bsize;
    const text = `${dataDir} has ${(free / 1e9).toFixed(1)} GB free`;
    return [{ subject: 'data', state: free < leastFreeBytes ? 'warning' : 'ok', text }];
  } catch {
    return [{ subject: 'data', state: 'fault', text: `${dataDir} cannot be written` }];
  }
};
