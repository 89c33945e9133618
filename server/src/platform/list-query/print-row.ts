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
 * A row as its resource declares it: only declared members that the filter names, so that no undeclared member can
 * leak. Members are assigned one by one, since spreading objects costs twenty times as much.
 */
export function printRow(view: View, row: Row, reader: Reader, filter: FieldFilter): Record<string, unknown> {
  const transformed = view.transform(row, reader);
  const printed: Record<string, unknown> = {};
  for (const { name, print } of membersOf(view.resource)) {
    if (filter !== null && !filter.has(name)) continue;
    printed[name] = transformed[name] ?? (name in transformed ? transformed[name] : print(row, reader));
  }
  return printed;
}

type Row = { id: string };
type TimedRow = Row & { created_at: string; updated_at: string };

interface Member {
  readonly name: string;
  readonly print: (row: Row, reader: Reader) => unknown;
}

const members = new WeakMap<Resource, readonly Member[]>();

function membersOf(resource: Resource): readonly Member[] {
  let cached = members.get(resource);
  if (!cached) {
    cached = Object.entries(resource.fields).map(([name, schema]) => memberOf(resource, name, schema));
    members.set(resource, cached);
  }
  return cached;
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
      const print: Member['print'] = (row, { nowMs, locale }) =>
        readableTime(printInstant((row as TimedRow)[column]), nowMs, locale);
      return { name, print };
    }
    default: {
      const print = columnPrinter(schema);
      return {
        name,
        print: (row) => {
          const value = (row as Row & Record<string, unknown>)[name];
          return value === null || value === undefined ? value : print(value as never);
        },
      };
    }
  }
}

function columnPrinter(schema: TSchema): (value: never) => unknown {
  // Members that cannot be sorted are printed like others.
  const kind = fieldKind({ ...schema, 'x-derived': false });
  const prefix = identifierPrefixOf(schema);
  if (kind === 'identifier' && prefix !== null) return (uuid: Uuid) => printIdentifier(prefix, uuid);
  if (kind === 'instant') return printInstant;
  if (kind === 'day') return (text: string) => printCalendarDate(calendarDate(text));
  if (kind === 'number') return Number;
  return 'x-empty-as-array' in schema ? listWhenEmpty : (value: unknown) => value;
}
