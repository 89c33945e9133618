import { batchRow, maxTokensOfBatch } from '@foyer/contract/resources/rooms/room-token.ts';
import { roomRoles } from '@foyer/contract/resources/rooms/room.ts';
import { parse } from 'csv-parse/browser/esm/sync';

export interface BatchRow {
  /** The line in a spreadsheet: from 1, including the header and empty lines. */
  readonly line: number;
  readonly cells: Readonly<Record<string, string>>;
  /** Error sentences by column; `''` is the row itself. */
  readonly faults: Readonly<Record<string, string>>;
}

export interface ParsedBatch {
  readonly columns: readonly string[];
  readonly rows: readonly BatchRow[];
  /** Why the whole text cannot be read; null if it can. */
  readonly problem: string | null;
}

export const batchColumns = Object.keys(batchRow.properties);

/** Parses and checks a CSV list, so that errors are shown before it is sent. */
export function readBatch(text: string): ParsedBatch {
  if (text.trim() === '') return unreadable('The list is empty.');
  const lines = linesOf(text);
  if (typeof lines === 'string') return unreadable(lines);
  const [names, ...rest] = lines;
  const columns = (names?.cells ?? []).map((name) => name.trim().toLowerCase());
  const unknown = columns.filter((name, index) => !batchColumns.includes(name) || columns.indexOf(name) !== index);
  if (unknown.length > 0) {
    return unreadable(
      `The first line names the columns: ${batchColumns.join(', ')}. Unknown columns: ${unknown.join(', ')}.`,
    );
  }
  if (!columns.includes('role')) return unreadable('The first line must contain the column role.');
  if (rest.length === 0) return unreadable('There are no rows below the first line.');
  if (rest.length > maxTokensOfBatch) {
    return unreadable(
      `There are more than ${maxTokensOfBatch.toLocaleString('en-GB')} rows. Split the list into several batches.`,
    );
  }
  return { columns, rows: rest.map((line) => rowOf(columns, line)), problem: null };
}

/** Adds the errors of the API to the rows, from paths such as `tokens.17.role`. */
export function withFaults(rows: readonly BatchRow[], errors: Readonly<Record<string, readonly string[]>>): BatchRow[] {
  const faultsByRow = new Map<number, Record<string, string>>();
  for (const [path, sentences] of Object.entries(errors)) {
    const [, index, column = ''] = /^tokens\.(\d+)(?:\.(.+))?$/.exec(path) ?? [];
    if (index === undefined) continue;
    faultsByRow.set(Number(index), { ...faultsByRow.get(Number(index)), [column]: sentences.join(' ') });
  }
  return rows.map((row, index) => ({ ...row, faults: { ...row.faults, ...faultsByRow.get(index) } }));
}

export function hasFaults({ faults }: BatchRow): boolean {
  return Object.keys(faults).length > 0;
}

/** The error sentences that belong to no cell of the list: those of the whole row and of columns that are not in it. */
export function rowSentences({ faults }: BatchRow, columns: readonly string[]): string[] {
  return Object.entries(faults).flatMap(([column, sentence]) => (columns.includes(column) ? [] : [sentence]));
}

/** Whether each error of the API is shown at a row. */
export function areShownAtRows(errors: Readonly<Record<string, unknown>>, rows: readonly BatchRow[]): boolean {
  const paths = Object.keys(errors);
  const isAtRow = (path: string) => rows[Number(/^tokens\.(\d+)(?:\.|$)/.exec(path)?.[1] ?? Number.NaN)] !== undefined;
  return paths.length > 0 && paths.every(isAtRow);
}

function unreadable(problem: string): ParsedBatch {
  return { columns: [], rows: [], problem };
}

interface Line {
  readonly cells: readonly string[];
  readonly line: number;
}

/** @returns the lines with their cells, or the sentence why the text cannot be parsed */
function linesOf(text: string): Line[] | string {
  try {
    const read = parse(text, {
      info: true,
      bom: true,
      delimiter: [delimiterOf(text)],
      skip_empty_lines: true,
      relax_column_count_less: true,
      to: maxTokensOfBatch + 2,
    }) as unknown as { record: string[]; info: { records: number; empty_lines: number } }[];
    return read.map(({ record, info }) => ({ cells: record, line: info.records + info.empty_lines }));
  } catch (error) {
    return error instanceof Error
      ? `This is not valid CSV: ${error.message}.`.replace('..', '.')
      : 'This is not valid CSV.';
  }
}

function delimiterOf(text: string): string {
  const [firstLine = ''] = text.split(/\r?\n/, 1);
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: firstLine.split(delimiter).length }));
  return counts.reduce((best, next) => (next.count > best.count ? next : best)).delimiter;
}

function rowOf(columns: readonly string[], { cells, line }: Line): BatchRow {
  const cellsByColumn = Object.fromEntries(columns.map((name, index) => [name, (cells[index] ?? '').trim()]));
  const faults = Object.entries(cellsByColumn).flatMap(([name, cell]) => {
    const fault = faultOf(name, cell);
    return fault === null ? [] : [[name, fault] as const];
  });
  return { line, cells: cellsByColumn, faults: Object.fromEntries([...faults, ...faultsOfTimes(cellsByColumn)]) };
}

function faultOf(name: string, cell: string): string | null {
  if (name === 'role')
    return roomRoles.some((role) => role === cell) ? null : `Use one of these roles: ${roomRoles.join(', ')}.`;
  if (cell === '') return null;
  if (name === 'not_before' || name === 'expires_at') {
    return instantPattern.test(cell) && !Number.isNaN(Date.parse(cell))
      ? null
      : 'Use a time such as 2027-01-31T09:00:00Z or a day such as 2027-01-31.';
  }
  if (name === 'max_uses') return /^[1-9]\d*$/.test(cell) ? null : 'Use a whole number, 1 or more.';
  if (name === 'user_id') return /^user_[0-9a-z]+$|^[0-9a-f-]{36}$/i.test(cell) ? null : 'Use the id of a user.';
  if (name === 'email') return /^[^\s@]+@[^\s@]+$/.test(cell) ? null : 'Use the email of a user.';
  return name === 'name' && cell.length > 150 ? 'Use at most 150 characters.' : null;
}

const instantPattern = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

function faultsOfTimes(cells: Readonly<Record<string, string>>): [string, string][] {
  const [from, until] = [Date.parse(cells['not_before'] ?? ''), Date.parse(cells['expires_at'] ?? '')];
  return from >= until ? [['not_before', 'The token would expire before it becomes valid.']] : [];
}
