import { type RawBuilder, sql } from 'kysely';
import type { Snapshot, SnapshotOptions } from '../../database/snapshot.ts';
import { unavailable } from '../../platform/failures.ts';

/** Reads the rows of one statement. Holds a connection until it is closed. */
export interface ReportCursor<Row> {
  /** The next rows; empty at the end. */
  fetch(): Promise<readonly Row[]>;
  /** Releases the connection, also during a fetch. Idempotent. */
  close(): Promise<void>;
}

/** Runs a query in the snapshot of the report. */
export type RunQuery = <Row>(query: RawBuilder<Row>) => Promise<readonly Row[]>;

/** For each statement. The first `fetch` computes and sorts all rows. */
const statementTimeoutMs = 180_000;
const batchSize = 1000;

/**
 * Reads through a PostgreSQL cursor in one snapshot, so that memory use is bounded and no query runs while a slow client reads.
 * @param buildStatement can query the same snapshot.
 * @throws 503 `report-timeout`
 */
export async function openReportCursor<Row>(
  openSnapshot: (options: SnapshotOptions) => Promise<Snapshot>,
  buildStatement: (runQuery: RunQuery) => Promise<RawBuilder<unknown>>,
  options: SnapshotOptions,
): Promise<ReportCursor<Row>> {
  const { signal } = options;
  const { db, close } = await openSnapshot({ statementMs: statementTimeoutMs, ...options });
  async function run<StepRow>(query: RawBuilder<StepRow>): Promise<readonly StepRow[]> {
    try {
      return (await query.execute(db)).rows;
    } catch (error) {
      if ((error as { code?: unknown }).code === queryCanceled && !signal.aborted) throw reportTimeout(error);
      throw error;
    }
  }
  try {
    await run(sql`select set_config('work_mem', '64MB', true), set_config('jit', 'off', true)`);
    const statement = await buildStatement(run);
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
