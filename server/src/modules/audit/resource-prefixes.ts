import { endpoints } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';

/** The prefix of what the contract calls `object`; null for what has no identifier there. */
export function prefixOfResource(object: string): IdentifierPrefix | null {
  return prefixes.get(object) ?? null;
}

/** With its prefix where it has one, else the uuid. */
export function printResourceId(object: string, id: Uuid): string {
  const prefix = prefixOfResource(object);
  return prefix === null ? id : printIdentifier(prefix, id);
}

export function objectsOfPrefix(prefix: string): string[] {
  return [...prefixes].filter(([, each]) => each === prefix).map(([object]) => object);
}

const prefixes = new Map<string, IdentifierPrefix>([
  // Meetings have identifiers, though no endpoint answers with one.
  ['Meeting', 'meet'],
  ...Object.values<Endpoint>(endpoints).flatMap(({ answer }) =>
    answer.kind === 'resource' || answer.kind === 'list'
      ? [[answer.resource.object, answer.resource.prefix] as const]
      : [],
  ),
]);
