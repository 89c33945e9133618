import type { RawBuilder } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Call, type Result, stream } from '../../platform/http/input/call.ts';
import { closedSignal } from '../../platform/http/answer/closed-signal.ts';
import { varyBy } from '../../platform/http/answer/compress-answers.ts';
import { csvAnswer, printCsv } from '../../platform/http/answer/csv.ts';
import { type RunQuery, openReportCursor, type ReportCursor } from './report-cursor.ts';
import { type ReportOwner, reserveReportSlot } from './report-slots.ts';
import type { ReportRequest } from './report-request.ts';

export interface Report<Row> {
  /** The prefix of the CSV's file name. */
  readonly name: string;
  /** Null if no period has begun. */
  readonly buildStatement: ((runQuery: RunQuery) => Promise<RawBuilder<unknown>>) | null;
  readonly request: Pick<ReportRequest, 'from' | 'to' | 'format'>;
  /** The columns, in order. */
  readonly members: readonly string[];
  readonly print: (row: Row) => Record<string, unknown>;
  readonly meta: Record<string, unknown>;
}

/**
 * Streams the rows. Waits for the first batch, so that early failures get their own status code. The connection is
 * released however the response ends.
 * @param readReport runs after the slot is reserved, so that a rejection with `busy` is cheap.
 * @param statementMs the timeout of a statement.
 */
export async function streamReport<Row>(
  { openSnapshot }: Pick<Dependencies, 'openSnapshot'>,
  { reply, owner }: Pick<Call, 'reply'> & { readonly owner: ReportOwner },
  readReport: () => Promise<Report<Row>>,
  statementMs?: number,
): Promise<Extract<Result, { kind: 'stream' }>> {
  varyBy(reply, 'Accept');
  const releaseSlot = reserveReportSlot(owner);
  const report = await readReport().catch((error: unknown) => {
    releaseSlot();
    throw error;
  });
  if (report.buildStatement === null) releaseSlot();
  const cursor =
    report.buildStatement === null
      ? emptyCursor
      : await openReportCursor<Row>(openSnapshot, report.buildStatement, {
          signal: closedSignal(reply),
          onClosed: releaseSlot,
          ...(statementMs === undefined ? {} : { statementMs }),
        });
  const { format, from, to } = report.request;
  const first = await cursor.fetch().catch(async (error: unknown) => {
    await cursor.close();
    throw error;
  });
  const batches = readBatches(cursor, first);
  const chunks = format === 'csv' ? printLines(batches, report) : printJson(batches, report);
  if (format === 'json') return stream('application/json; charset=utf-8', null, chunks);
  return stream(csvAnswer, `${report.name}-${from}-${to}.csv`, chunks);
}

async function* readBatches<Row>(cursor: ReportCursor<Row>, first: readonly Row[]): AsyncGenerator<readonly Row[]> {
  try {
    for (let rows = first; rows.length > 0; rows = await cursor.fetch()) yield rows;
  } finally {
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

const emptyCursor: ReportCursor<never> = {
  fetch: async () => [],
  close: async () => undefined,
};
