import { object } from '@foyer/contract/conventions/field.ts';
import { batchRow, maxTokensOfBatch, roomTokenBatchEndpoints } from '@foyer/contract/resources/rooms/room-token.ts';
import { CsvError, type Options, parse } from 'csv-parse';
import { Readable } from 'node:stream';
import { FaultList, type FieldFaults, invalidInput } from '../../../platform/failures.ts';
import { parseLongInput } from '../../../platform/http/input/parse-long-input.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { nextTurn } from '../../../platform/limits/next-turn.ts';
import { faultsOfTimes, type TokenInput, unknownEmail, unknownUser } from './token-options.ts';

/** A row of the request. It can name a user by id or by email. */
export interface TokenRowInput extends TokenInput {
  readonly email?: string | null;
}

export interface TokenRowsInput {
  readonly tokens?: readonly TokenRowInput[];
  readonly csv?: string;
}

/** The rows of a batch. @throws 422 naming the cells at fault, as `tokens.17.role` */
export async function readTokenRows({ tokens, csv }: TokenRowsInput): Promise<readonly TokenRowInput[]> {
  if (tokens !== undefined && csv !== undefined) throw invalidInput({ csv: ['Send either tokens or csv, not both.'] });
  const rows = csv === undefined ? tokens : await readCsv(csv);
  if (rows === undefined) throw invalidInput({ tokens: ['The tokens field is required unless csv is sent.'] });
  if (rows.length === 0) throw invalidInput({ tokens: ['There must be at least one token.'] });
  return rows;
}

/** The users to whom tokens can be bound. */
export interface BindableUsers {
  readonly ids: ReadonlySet<Uuid>;
  readonly byEmail: ReadonlyMap<string, Uuid>;
}

/** Replaces emails with user ids. */
export function resolveUsers(
  rows: readonly TokenRowInput[],
  { byEmail }: Pick<BindableUsers, 'byEmail'>,
): TokenInput[] {
  return rows.map(({ email, ...row }) => (email ? { ...row, user_id: byEmail.get(email) ?? null } : row));
}

/** Faults by cell, such as `tokens.17.email`. */
export function faultsOfRows(rows: readonly TokenRowInput[], users: BindableUsers): FaultList {
  const faults = new FaultList();
  for (const [index, row] of rows.entries()) {
    for (const [member, sentences] of Object.entries({ ...faultsOfTimes(row), ...faultsOfUser(row, users) }))
      faults.add({ [`tokens.${index}.${member}`]: sentences });
  }
  return faults;
}

function faultsOfUser({ user_id: id, email }: TokenRowInput, { ids, byEmail }: BindableUsers): FieldFaults {
  if (id && email) return { email: ['Send either user id or email, not both.'] };
  if (id && !ids.has(id)) return { user_id: [unknownUser] };
  return email && !byEmail.has(email) ? { email: [unknownEmail] } : {};
}

const columns = Object.keys(batchRow.properties);
const rowsSchema = object({ tokens: roomTokenBatchEndpoints.createRoomTokenBatch.body.properties.tokens });

async function readCsv(text: string): Promise<readonly TokenRowInput[]> {
  const [names = [], ...lines] = await parseCsv(text);
  const header = names.map((name) => name.trim().toLowerCase());
  const invalidColumns = header.filter((name, index) => !columns.includes(name) || header.indexOf(name) !== index);
  if (invalidColumns.length > 0) {
    const columnNames = invalidColumns.map((name) => JSON.stringify(name.slice(0, 40))).join(', ');
    throw invalidInput({
      csv: [
        `The first line must name each column once, at least role. These are unknown or repeated: ${columnNames}. The columns are ${columns.join(', ')}.`,
      ],
    });
  }
  if (!header.includes('role')) throw invalidInput({ csv: ['The first line must name the column role.'] });
  const parsed = await parseLongInput(
    rowsSchema,
    { tokens: lines.map((cells) => rowFromCells(header, cells)) },
    'create',
  );
  if ('faults' in parsed) throw invalidInput(parsed.faults, 'validation-failed', parsed.unnamed);
  return parsed.values['tokens'] as TokenRowInput[];
}

function rowFromCells(header: readonly string[], cells: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(header.map((name, index) => [name, readCell(name, cells[index] ?? '')]));
}

/** Cells are text; the schema expects a number for `max_uses`. */
function readCell(name: string, cell: string): string | number {
  const text = cell.trim();
  return name === 'max_uses' && /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** Bytes parsed per turn of the event loop. */
const chunkBytes = 16_384;

/** @throws 422 naming the line */
async function parseCsv(text: string): Promise<string[][]> {
  const options: Options = {
    bom: true,
    delimiter: [delimiterOf(text)],
    skip_empty_lines: true,
    // Spreadsheets omit empty cells at the end of a line.
    relax_column_count_less: true,
    max_record_size: 100_000,
  };
  const lines: string[][] = [];
  try {
    for await (const line of Readable.from(chunksOf(text)).pipe(parse(options))) {
      // The header and one row more than allowed, so that the length check fails.
      if (lines.push(line as string[]) === maxTokensOfBatch + 2) break;
    }
    return lines;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw invalidInput({ csv: [`The CSV cannot be read: ${error.message.slice(0, 200)}.`] });
  }
}

async function* chunksOf(text: string): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    yield bytes.subarray(start, start + chunkBytes);
    await nextTurn();
  }
}

function delimiterOf(text: string): string {
  const [line = ''] = text.trimStart().split(/[\r\n]/, 1);
  return [',', ';', '\t'].find((delimiter) => line.includes(delimiter)) ?? ',';
}
