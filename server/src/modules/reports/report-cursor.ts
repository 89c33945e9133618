import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { unavailable } from '../../platform/failures.ts';

/** The rows of one statement, fetched as they are wanted, on a connection of its own until it is closed. */
export interface ReportCursor<Row> {
  /** The next rows; none at the end. */
  fetch(): Promise<readonly Row[]>;
  /** Gives the connection back, also while rows are being fetched; as often as one likes. */
  close(): Promise<void>;
}

/** Asks within the report's own snapshot. */
export type Ask = <Found>(question: RawBuilder<Found>) => Promise<readonly Found[]>;

/** How long one step of a report may take: the first one finds and sorts everything. */
const mostMs = 180_000;
const batchSize = 1000;

/**
 * Reads through a cursor of the database, which holds what was found: memory stays flat here however much it is, and a
 * reader that stops to read keeps nothing running. One snapshot for the whole report.
 * @param statementFor what the statement is made from may be looked up in the same snapshot.
 * @param isOver aborted when nobody waits for the report any more.
 * @param leave called once the connection is given back.
 * @throws 503 `report-timeout`
 */
export async function openReportCursor<Row>(
  db: Database,
  statementFor: (ask: Ask) => Promise<RawBuilder<unknown>>,
  isOver: AbortSignal,
  leave: () => void,
  statementMs = mostMs,
): Promise<ReportCursor<Row>> {
  const tx = await db
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute()
    .catch((error: unknown) => {
      leave();
      throw error;
    });
  let fetching: Promise<unknown> | null = null;
  let closing: Promise<void> | null = null;
  let backend = 0;
  const close = () => (closing ??= end());
  async function end(): Promise<void> {
    try {
      if (fetching !== null) await stop(db, backend, fetching);
      await tx
        .rollback()
        .execute()
        .catch(() => undefined);
    } finally {
      leave();
    }
  }
  async function run<Found>(step: RawBuilder<Found>): Promise<readonly Found[]> {
    const running = step.execute(tx);
    fetching = running;
    try {
      return (await running).rows;
    } catch (error) {
      if ((error as { code?: unknown }).code === queryCanceled && !closing) throw tooSlow(error);
      throw error;
    } finally {
      fetching = null;
    }
  }
  isOver.addEventListener('abort', () => void close(), { once: true });
  try {
    const [limits] = await run(sql<{ backend: number }>`
      select pg_backend_pid() as backend, set_config('statement_timeout', ${String(statementMs)}, true),
        set_config('work_mem', '64MB', true), set_config('jit', 'off', true),
        set_config('cursor_tuple_fraction', '1', true)`);
    backend = limits?.backend ?? 0;
    const statement = await statementFor(run);
    if (!closing) await run(sql`declare report no scroll cursor for ${statement}`);
  } catch (error) {
    await close();
    throw error;
  }
  if (isOver.aborted) await close();
  return {
    fetch: async () => (closing ? [] : await run(sql<Row>`fetch ${sql.lit(batchSize)} from report`)),
    close,
  };
}

/**
 * Ends the step that runs. One that is nearly done is waited for; where the cancellation crosses the answer, so that
 * neither comes, the connection is given up.
 */
async function stop(db: Database, backend: number, step: Promise<unknown>): Promise<void> {
  if (await settles(step, 250)) return;
  await sql`select pg_cancel_backend(${backend}::int)`.execute(db).catch(() => undefined);
  if (await settles(step, 5000)) return;
  await sql`select pg_terminate_backend(${backend}::int)`.execute(db).catch(() => undefined);
  await settles(step, 5000);
}

async function settles(step: Promise<unknown>, withinMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), withinMs);
  });
  const settled = step.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

const queryCanceled = '57014';

function tooSlow(cause: unknown) {
  return unavailable('report-timeout', 'The report takes too long. Please ask for fewer days or for less at once.', {
    cause,
  });
}
