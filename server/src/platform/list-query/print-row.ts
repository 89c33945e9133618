import { fieldKind, identifierPrefixOf, type Resource } from '@foyer/contract/conventions/resource.ts';
import type { TSchema } from 'typebox';
import { printIdentifier, printUlid, type Uuid } from '../identity/identifier.ts';
import { listWhenEmpty } from '../row-members.ts';
import { calendarDate, printCalendarDate } from '../time/calendar-date.ts';
import { printInstant } from '../time/instant.ts';
import { readableTime } from '../time/relative-time.ts';
import type { Reader, View } from './view.ts';

/** The names that `filter` lets through; null lets everything through. */
export type FieldFilter = ReadonlySet<string> | null;

export function parseFilter(text: string | undefined): FieldFilter {
  if (text === undefined) return null;
  const names = text
    .split(/[,;]/)
    .map((name) => name.trim())
    .filter((name) => name !== '');
  return names.length === 0 ? null : new Set(names);
}

/**
 * Prints a row as its resource declares it: only declared members that the filter names, so that no undeclared member
 * can leak.
 */
export function printRow(view: View, row: Row, reader: Reader, filter: FieldFilter): Record<string, unknown> {
  const transformed = view.transform(row, reader);
  const { members, printWhole } = printerOf(view.resource);
  if (filter === null) return printWhole(transformed, row, reader);
  const printed: Record<string, unknown> = {};
  for (const { name, print } of members) {
    if (filter.has(name)) printed[name] = name in transformed ? transformed[name] : print(row, reader);
  }
  return printed;
}

type Row = { id: string };
type TimedRow = Row & { created_at: string; updated_at: string };

interface Member {
  readonly name: string;
  readonly print: (row: Row, reader: Reader) => unknown;
}

interface Printer {
  readonly members: readonly Member[];
  readonly printWhole: (transformed: Record<string, unknown>, row: Row, reader: Reader) => Record<string, unknown>;
}

const printers = new WeakMap<Resource, Printer>();

function printerOf(resource: Resource): Printer {
  let printer = printers.get(resource);
  if (!printer) {
    const members = Object.entries(resource.fields).map(([name, schema]) => memberOf(resource, name, schema));
    printer = { members, printWhole: compilePrintWhole(members) };
    printers.set(resource, printer);
  }
  return printer;
}

/** Generates the function, because V8 creates an object from a literal many times faster than property by property. */
function compilePrintWhole(members: readonly Member[]): Printer['printWhole'] {
  const literal = members.map(({ name }, index) => {
    const key = JSON.stringify(name);
    const printed = `printed = transformed[${key}]`;
    return `${key}: (${printed}) !== undefined || ${key} in transformed ? printed : members[${index}].print(row, reader)`;
  });
  // oxlint-disable-next-line typescript/no-implied-eval -- the only input is the names of declared members, as JSON strings
  return new Function('members', 'transformed', 'row', 'reader', `let printed; return { ${literal.join(', ')} };`).bind(
    null,
    members,
  ) as Printer['printWhole'];
}

/** Prints the identity, a readable timestamp, or else the column of the same name as the schema declares it. */
function memberOf({ object, prefix }: Resource, name: string, schema: TSchema): Member {
  switch (name) {
    case 'object':
      return { name, print: () => object };
    case 'id':
      return { name, print: ({ id }) => printIdentifier(prefix, id) };
    case 'uuid':
      return { name, print: ({ id }) => id };
    case 'ulid':
      return { name, print: ({ id }) => printUlid(id) };
    case 'readable_created_at':
    case 'readable_updated_at': {
      const column = name === 'readable_created_at' ? 'created_at' : 'updated_at';
      const print: Member['print'] = (row, { nowMs, locale }) => readableTime((row as TimedRow)[column], nowMs, locale);
      return { name, print };
    }
    default: {
      const print = columnPrinter(schema);
      const readColumn = columnReader(name);
      return {
        name,
        print: (row) => {
          const value = readColumn(row);
          return value === null || value === undefined ? value : print(value as never);
        },
      };
    }
  }
}

/** Generates a function for each column, so that V8 can cache the position of the column in the rows. */
function columnReader(name: string): (row: Row) => unknown {
  // oxlint-disable-next-line typescript/no-implied-eval -- the only input is the name of a declared member, as a JSON string
  return new Function('row', `return row[${JSON.stringify(name)}];`) as (row: Row) => unknown;
}

function columnPrinter(schema: TSchema): (value: never) => unknown {
  // Members that cannot be sorted are printed like other members.
  const kind = fieldKind({ ...schema, 'x-derived': false });
  const prefix = identifierPrefixOf(schema);
  if (kind === 'identifier' && prefix !== null) return (uuid: Uuid) => printIdentifier(prefix, uuid);
  if (kind === 'instant') return printInstant;
  if (kind === 'day') return (text: string) => printCalendarDate(calendarDate(text));
  if (kind === 'number') return Number;
  return 'x-empty-as-array' in schema ? listWhenEmpty : (value: unknown) => value;
}
