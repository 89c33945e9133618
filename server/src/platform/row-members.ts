import type { IdentifierPrefix } from '@foyer/contract/identifier-prefixes.ts';
import { printIdentifier, printUlid } from './identifier.ts';
import { printInstant } from './instant.ts';
import type { Reader } from './list-query/view.ts';
import { readableTime } from './relative-time.ts';

/** The members that every printed row begins with. */
export function identityOf<Name extends string>(object: Name, prefix: IdentifierPrefix, row: { id: string }) {
  const ulid = printUlid(row.id);
  return { object, id: `${prefix}_${ulid}`, uuid: row.id, ulid };
}

/** The members that every printed row ends with. */
export function timesOf(row: { created_at: string; updated_at: string }, reader: Reader) {
  const created = printInstant(row.created_at);
  const updated = printInstant(row.updated_at);
  return {
    created_at: created,
    updated_at: updated,
    readable_created_at: readableTime(created, reader.nowMs, reader.locale),
    readable_updated_at: readableTime(updated, reader.nowMs, reader.locale),
  };
}

export function instantOrNull(text: string | null): string | null {
  return text === null ? null : printInstant(text);
}

export function idOrNull(prefix: IdentifierPrefix, uuid: string | null): string | null {
  return uuid === null ? null : printIdentifier(prefix, uuid);
}

/** Some resources print an empty map as an empty list, as their clients expect it. */
export function listWhenEmpty(map: Record<string, unknown>): Record<string, unknown> {
  return Object.keys(map).length === 0 ? ([] as unknown as Record<string, unknown>) : map;
}
