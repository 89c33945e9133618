import type { RawBuilder } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { type Call, type Result, stream } from '../../platform/http/call.ts';
import { csvAnswer, printCsv } from '../../platform/http/csv.ts';
import { type Ask, openReportCursor, type ReportCursor } from './report-cursor.ts';
import { type Holder, takePlace } from './report-places.ts';
import type { ReportRequest } from './report-request.ts';

export interface Report<Row> {
  /** The first part of the name of its file. */
  readonly name: string;
  /** Null where there is nothing to ask for. */
  readonly statement: ((ask: Ask) => Promise<RawBuilder<unknown>>) | null;
  readonly request: Pick<ReportRequest, 'from' | 'to' | 'format'>;
  /** The members of a row, in order. */
  readonly members: readonly string[];
  readonly print: (row: Row) => Record<string, unknown>;
  readonly meta: Record<string, unknown>;
}

/**
 * Answers with the rows as they come. The first ones are awaited, so that what fails at the start is an answer of its
 * own; whatever ends the answer gives the connection back.
 */
export async function streamReport<Row>(
  db: Database,
  { reply, holder }: Pick<Call, 'reply'> & { readonly holder: Holder },
  report: Report<Row>,
  patience: Patience = usualPatience,
): Promise<Extract<Result, { kind: 'stream' }>> {
  const { format, from, to } = report.request;
  reply.header('vary', [reply.getHeader('vary'), 'Accept'].filter((name) => name !== undefined).join(', '));
  const over = new AbortController();
  reply.raw.once('close', () => over.abort());
  if (reply.raw.destroyed) over.abort();
  const cursor =
    report.statement === null
      ? nothingFound
      : await openReportCursor<Row>(db, report.statement, over.signal, takePlace(holder), patience.statementMs);
  const first = await cursor.fetch().catch(async (error: unknown) => {
    await cursor.close();
    throw error;
  });
  const hangUp = () => void reply.raw.destroy();
  const batches = readOn(cursor, first, hangUp, patience);
  const chunks = format === 'csv' ? printLines(batches, report) : printJson(batches, report);
  if (format === 'json') return stream('application/json; charset=utf-8', null, chunks);
  return stream(csvAnswer, `${report.name}-${from}-${to}.csv`, chunks);
}

export interface Patience {
  /** How long one step of finding may take. */
  readonly statementMs?: number;
  /** How long a reader may take nothing before it is given up. */
  readonly stallMs: number;
  /** How long the whole may take once the first rows are found, however steadily it is read. */
  readonly totalMs: number;
}

const usualPatience: Patience = { stallMs: 60_000, totalMs: 600_000 };

async function* readOn<Row>(
  cursor: ReportCursor<Row>,
  first: readonly Row[],
  hangUp: () => void,
  { stallMs, totalMs }: Patience,
): AsyncGenerator<readonly Row[]> {
  const late = setTimeout(hangUp, totalMs);
  try {
    for (let rows = first; rows.length > 0; rows = await cursor.fetch()) {
      const stalled = setTimeout(hangUp, stallMs);
      try {
        yield rows;
      } finally {
        clearTimeout(stalled);
      }
    }
  } finally {
    clearTimeout(late);
    await cursor.close();
  }
}

async function* printJson<Row>(
  batches: AsyncIterable<readonly Row[]>,
  { members, print, meta }: Report<Row>,
): AsyncGenerator<string> {
  let separator = '{"data":[';
  for await (const rows of batches) {
    yield separator + rows.map((row) => JSON.stringify(print(row), members as string[])).join(',');
    separator = ',';
  }
  yield `${separator === ',' ? '' : separator}],"meta":${JSON.stringify(meta)}}`;
}

async function* printLines<Row>(
  batches: AsyncIterable<readonly Row[]>,
  { members, print }: Report<Row>,
): AsyncGenerator<string> {
  yield printCsv([members]);
  for await (const rows of batches) {
    yield printCsv(
      rows.map((row) => {
        const printed = print(row);
        return members.map((member) => printed[member]);
      }),
    );
  }
}

const nothingFound: ReportCursor<never> = {
  fetch: async () => [],
  close: async () => undefined,
};
