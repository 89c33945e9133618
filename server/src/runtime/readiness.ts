import type { App } from '../app.ts';
import { type Migration, findPendingMigrations, readMigrations } from '../database/migrate.ts';
import { withTimeout } from '../platform/time/with-timeout.ts';

export interface Readiness {
  /** `degraded`: requests are served, but a part of the process has failed. */
  readonly status: 'ok' | 'degraded' | 'unavailable';
  readonly pending_migrations: readonly string[];
  /** The state of each part: `ok`, or one word for the failure. */
  readonly parts: Readonly<Record<string, string>>;
}

interface DatabaseState {
  readonly database: string;
  readonly writes: string;
  readonly pending: readonly string[];
}

/** A result is reused for this long, so that frequent probes do not load the database. */
const reuseMs = 5000;
const reuseAfterFailureMs = 1000;
/** Shorter than the time-outs of probes. */
const timeoutMs = 3000;

/** Checks that the database can be read and written, that it is migrated, and that invalidations arrive. */
export function createReadinessCheck({ pools, invalidations, health }: App): () => Promise<Readiness> {
  let migrations: readonly Migration[] | null = null;
  let lastState: DatabaseState = noAnswer;
  let checkedAtMs = -Infinity;
  let checking: Promise<DatabaseState> | null = null;

  async function check(): Promise<DatabaseState> {
    const { pool } = pools.separate;
    try {
      migrations ??= await readMigrations();
      const pending = await findPendingMigrations((text) => pool.query(text), migrations);
      // Neither `pg_is_in_recovery()` nor `transaction_read_only` shows a full disk; a commit fails then.
      const writes = await pool.query('update migrations set applied_at = applied_at where number = 1').then(
        () => 'ok',
        (error: unknown) => writeFailures.get((error as { code?: string }).code ?? '') ?? 'failed',
      );
      return { database: 'ok', writes, pending };
    } catch {
      return noAnswer;
    }
  }
  async function readDatabaseState(): Promise<DatabaseState> {
    const isOk = lastState.database === 'ok' && lastState.writes === 'ok';
    if (performance.now() - checkedAtMs < (isOk ? reuseMs : reuseAfterFailureMs)) return lastState;
    checking ??= check().then((state) => {
      [lastState, checkedAtMs, checking] = [state, performance.now(), null];
      return state;
    });
    return await withTimeout(timeoutMs, checking, () => noAnswer);
  }
  return async () => {
    const { database, writes, pending } = await readDatabaseState();
    const requiredParts = {
      database,
      writes,
      migrations: pending.length === 0 ? 'ok' : 'pending',
      invalidations: invalidations.isListening() ? 'ok' : 'not-listening',
    };
    const processStates = health.states();
    const isOk = (states: Record<string, string>) => Object.values(states).every((state) => state === 'ok');
    return {
      status: !isOk(requiredParts) ? 'unavailable' : isOk(processStates) ? 'ok' : 'degraded',
      pending_migrations: pending,
      parts: { ...requiredParts, ...processStates },
    };
  };
}

const noAnswer: DatabaseState = { database: 'no-answer', writes: 'unknown', pending: [] };

const writeFailures: ReadonlyMap<string, string> = new Map([
  ['25006', 'read-only'],
  ['53100', 'disk-full'],
]);
