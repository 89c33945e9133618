import { identifierPrefixOf, type Resource } from '@foyer/contract/conventions/resource.ts';
import type { TSchema } from 'typebox';
import { printIdentifier, printUlid } from '../identity/identifier.ts';
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
export function printRow(
  view: View,
  row: { id: string },
  reader: Reader,
  filter: FieldFilter,
): Record<string, unknown> {
  const transformed = view.transform(row, reader);
  const printed: Record<string, unknown> = {};
  for (const [name, print] of printersOf(view.resource)) {
    if (filter !== null && !filter.has(name)) continue;
    printed[name] = transformed[name] ?? (name in transformed ? transformed[name] : print(row as StoredRow, reader));
  }
  return printed;
}

type StoredRow = { id: string; created_at: string; updated_at: string; [column: string]: unknown };

/** Prints a member that the view does not transform. */
type Printer = (row: StoredRow, reader: Reader) => unknown;

const printers = new WeakMap<Resource, readonly (readonly [string, Printer])[]>();

function printersOf(resource: Resource): readonly (readonly [string, Printer])[] {
  let cached = printers.get(resource);
  if (!cached) {
    cached = Object.entries(resource.fields).map(
      ([name, schema]) => [name, printerOf(resource, name, schema)] as const,
    );
    printers.set(resource, cached);
  }
  return cached;
}

/** Identity and relative times; every other member is the column of its name, printed as its type is declared. */
function printerOf(resource: Resource, name: string, schema: TSchema): Printer {
  switch (name) {
    case 'object':
      return () => resource.object;
    case 'id':
      return (row) => printIdentifier(resource.prefix, row.id);
    case 'uuid':
      return (row) => row.id;
    case 'ulid':
      return (row) => printUlid(row.id);
    case 'readable_created_at':
      return (row, { nowMs, locale }) => readableTime(printInstant(row.created_at), nowMs, locale);
    case 'readable_updated_at':
      return (row, { nowMs, locale }) => readableTime(printInstant(row.updated_at), nowMs, locale);
    default: {
      const print = columnPrinterOf(schema);
      return print ? (row) => (typeof row[name] === 'string' ? print(row[name]) : row[name]) : (row) => row[name];
    }
  }
}

function columnPrinterOf(schema: TSchema): ((column: string) => string) | null {
  const { format, 'x-day': isDay } = schema as { format?: string; 'x-day'?: boolean };
  if (format === 'date-time') return isDay ? (column) => printCalendarDate(calendarDate(column)) : printInstant;
  const prefix = identifierPrefixOf(schema);
  return prefix === null ? null : (column) => printIdentifier(prefix, column);
}
