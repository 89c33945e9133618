import { type RawBuilder, sql } from 'kysely';
import type { Snapshot, SnapshotOptions } from '../../database/snapshot.ts';
import { unavailable } from '../../platform/failures.ts';

/** The rows of one statement, fetched as they are wanted, on a connection of its own until it is closed. */
export interface ReportCursor<Row> {
  /** The next rows; none at the end. */
  fetch(): Promise<readonly Row[]>;
  /** Gives the connection back, also while rows are being fetched; as often as one likes. */
  close(): Promise<void>;
}

/** Asks within the report's own snapshot. */
export type RunQuery = <Found>(question: RawBuilder<Found>) => Promise<readonly Found[]>;

/** How long one step of a report may take: the first one finds and sorts everything. */
const statementTimeoutMs = 180_000;
const batchSize = 1000;

/**
 * Reads through a cursor of the database, which holds what was found: memory stays flat here however much it is, and a
 * reader that stops to read keeps nothing running. One snapshot for the whole report.
 * @param statementFor what the statement is made from may be looked up in the same snapshot.
 * @throws 503 `report-timeout`
 */
export async function openReportCursor<Row>(
  openSnapshot: (options: SnapshotOptions) => Promise<Snapshot>,
  statementFor: (ask: RunQuery) => Promise<RawBuilder<unknown>>,
  options: SnapshotOptions,
): Promise<ReportCursor<Row>> {
  const { isOver } = options;
  const { db, close } = await openSnapshot({ statementMs: statementTimeoutMs, ...options });
  async function run<Found>(step: RawBuilder<Found>): Promise<readonly Found[]> {
    try {
      return (await step.execute(db)).rows;
    } catch (error) {
      if ((error as { code?: unknown }).code === queryCanceled && !isOver.aborted) throw tooSlow(error);
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
    fetch: async () => (isOver.aborted ? [] : await run(sql<Row>`fetch ${sql.lit(batchSize)} from report`)),
    close,
  };
}

const queryCanceled = '57014';

function tooSlow(cause: unknown) {
  return unavailable('report-timeout', 'The report takes too long. Please ask for fewer days or for less at once.', {
    cause,
  });
}
