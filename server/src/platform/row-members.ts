import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { printIdentifier } from './identity/identifier.ts';
import { printInstant } from './time/instant.ts';

export function instantOrNull(text: string | null): string | null {
  return text === null ? null : printInstant(text);
}

export function idOrNull(prefix: IdentifierPrefix, uuid: string | null): string | null {
  return uuid === null ? null : printIdentifier(prefix, uuid);
}

/** Some resources print an empty map as an empty list, as the contract requires. */
export function listWhenEmpty(map: Record<string, unknown>): Record<string, unknown> {
  return Object.keys(map).length === 0 ? ([] as unknown as Record<string, unknown>) : map;
}
