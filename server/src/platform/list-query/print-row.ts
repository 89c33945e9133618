import type { Resource } from '@foyer/contract/conventions/resource.ts';
import { printIdentifier, printUlid } from '../identity/identifier.ts';
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
 * leak. Identity and timestamps are added here. Members are assigned one by one, since spreading objects costs twenty
 * times as much.
 */
export function printRow(
  view: View,
  row: { id: string },
  reader: Reader,
  filter: FieldFilter,
): Record<string, unknown> {
  const transformed = view.transform(row, reader);
  const shared = view.shared?.(row, reader);
  const printed: Record<string, unknown> = {};
  for (const name of namesOf(view.resource)) {
    if (filter !== null && !filter.has(name)) continue;
    printed[name] =
      transformed[name] ??
      (name in transformed ? transformed[name] : (shared?.[name] ?? common(view.resource, name, row, reader)));
  }
  return printed;
}

/** The members of every stored resource. */
function common(resource: Resource, name: string, row: { id: string }, reader: Reader): unknown {
  switch (name) {
    case 'object':
      return resource.object;
    case 'id':
      return printIdentifier(resource.prefix, row.id);
    case 'uuid':
      return row.id;
    case 'ulid':
      return printUlid(row.id);
    case 'created_at':
    case 'updated_at':
      return printInstant((row as TimedRow)[name]);
    case 'readable_created_at':
      return readableTime(printInstant((row as TimedRow).created_at), reader.nowMs, reader.locale);
    case 'readable_updated_at':
      return readableTime(printInstant((row as TimedRow).updated_at), reader.nowMs, reader.locale);
    default:
      return undefined;
  }
}

type TimedRow = { id: string; created_at: string; updated_at: string };

const names = new WeakMap<Resource, readonly string[]>();

function namesOf(resource: Resource): readonly string[] {
  let cached = names.get(resource);
  if (!cached) {
    cached = Object.keys(resource.fields);
    names.set(resource, cached);
  }
  return cached;
}
