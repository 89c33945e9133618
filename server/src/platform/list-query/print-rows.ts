import { nextTurn } from '../limits/next-turn.ts';
import type { LoadedRows } from './load-includes.ts';
import { type FieldFilter, printRow } from './print-row.ts';
import type { Reader } from './view.ts';

export interface PrintOptions {
  readonly reader: Reader;
  readonly filter: FieldFilter;
}

type Row = { id: string };
type PrintRow = (row: Row) => Iterable<string>;

/** The rows as JSON objects, separated by commas, in pieces of at most one object without its includes. */
export function printRows(loaded: LoadedRows, options: PrintOptions): Iterable<string> {
  return joinWithCommas(loaded.rows, rowPrinter(loaded, options, false));
}

function* joinWithCommas(rows: readonly Row[], printOne: PrintRow): Generator<string> {
  let separator = '';
  for (const row of rows) {
    if (separator !== '') yield separator;
    yield* printOne(row);
    separator = ',';
  }
}

/** @param isShared whether one row is printed below many, as a customer below its rooms */
function rowPrinter({ view, includes }: LoadedRows, { reader, filter }: PrintOptions, isShared: boolean): PrintRow {
  const printWithoutIncludes = (row: Row) => JSON.stringify(printRow(view, row, reader, filter));
  const getOwnText = isShared ? cachePerRow(printWithoutIncludes) : printWithoutIncludes;
  if (includes.length === 0) return (row) => [getOwnText(row)];
  const included = includes.map(({ name, many, byParent, related: relatedRows }) => {
    const inner = { reader, filter: filter?.has(name) ? null : filter };
    return { key: `${JSON.stringify(name)}:{"data":`, many, byParent, printOne: rowPrinter(relatedRows, inner, !many) };
  });
  return function* (row) {
    const rowText = getOwnText(row);
    yield rowText.slice(0, -1);
    let separator = rowText === '{}' ? '' : ',';
    for (const { key, many, byParent, printOne } of included) {
      const related = byParent.get(row.id) ?? [];
      yield `${separator}${key}${many ? '[' : ''}`;
      if (many) yield* joinWithCommas(related, printOne);
      else if (related[0]) yield* printOne(related[0]);
      else yield 'null';
      yield many ? ']}' : '}';
      separator = ',';
    }
    yield '}';
  };
}

/** Keeps the texts of the first rows only: all of them can take as much memory as the rows. */
function cachePerRow(print: (row: Row) => string): (row: Row) => string {
  const printed = new Map<string, string>();
  let remaining = maxCachedLength;
  return (row) => {
    const cached = printed.get(row.id);
    if (cached !== undefined) return cached;
    const text = print(row);
    if (text.length <= remaining) {
      printed.set(row.id, text);
      remaining -= text.length;
    }
    return text;
  };
}

const maxCachedLength = 1_048_576;

const chunkLength = 65_536;
const piecesPerSlice = 500;

/** Joins pieces to chunks of about 64 KiB, and yields to the event loop between them. */
export async function* inChunks(pieces: Iterable<string>): AsyncGenerator<string> {
  let chunk = '';
  let count = 0;
  for (const piece of pieces) {
    chunk += piece;
    count += 1;
    if (chunk.length < chunkLength && count < piecesPerSlice) continue;
    yield chunk;
    chunk = '';
    count = 0;
    await nextTurn();
  }
  if (chunk !== '') yield chunk;
}
