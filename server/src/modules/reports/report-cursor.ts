import { type RawBuilder, sql } from 'kysely';
import type { Snapshot, SnapshotOptions } from '../../database/snapshot.ts';
import { unavailable } from '../../platform/failures.ts';

/** The rows of one statement, on a connection of its own until it is closed. */
export interface ReportCursor<Row> {
  /** Empty at the end. */
  fetch(): Promise<readonly Row[]>;
  /** Releases the connection, also during a fetch. Idempotent. */
  close(): Promise<void>;
}

/** Runs a query in the snapshot of the report. */
export type RunQuery = <Found>(question: RawBuilder<Found>) => Promise<readonly Found[]>;

/** Per statement; the first one computes and sorts all rows. */
const statementTimeoutMs = 180_000;
const batchSize = 1000;

/**
 * Reads through a PostgreSQL cursor in one snapshot, so that memory use is bounded and no query runs while a slow client reads.
 * @param statementFor builds the statement; it can query the same snapshot.
 * @throws 503 `report-timeout`
 */
export async function openReportCursor<Row>(
  openSnapshot: (options: SnapshotOptions) => Promise<Snapshot>,
  statementFor: (runQuery: RunQuery) => Promise<RawBuilder<unknown>>,
  options: SnapshotOptions,
): Promise<ReportCursor<Row>> {
  const { signal } = options;
  const { db, close } = await openSnapshot({ statementMs: statementTimeoutMs, ...options });
  async function run<Found>(step: RawBuilder<Found>): Promise<readonly Found[]> {
    try {
      return (await step.execute(db)).rows;
    } catch (error) {
      if ((error as { code?: unknown }).code === queryCanceled && !signal.aborted) throw reportTimeout(error);
      throw error;
    }
  }
  try {
    await run(sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`);
    const statement = await statementFor(run);
    await run(sql`declare report no scroll cursor for ${statement}`);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    fetch: async () => (signal.aborted ? [] : await run(sql<Row>`fetch ${sql.lit(batchSize)} from report`)),
    close,
  };
}

const queryCanceled = '57014';

function reportTimeout(cause: unknown) {
  return unavailable('report-timeout', 'The report takes too long. Choose fewer days or a narrower filter.', {
    cause,
  });
}
