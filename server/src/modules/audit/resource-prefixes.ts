import { endpoints } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';

/** The identifier prefix of a resource type; null for one without identifiers. */
export function prefixOfResource(object: string): IdentifierPrefix | null {
  return prefixes.get(object) ?? null;
}

/** With the prefix of its type, or as a UUID if the type has none. */
export function printResourceId(object: string, id: Uuid): string {
  const prefix = prefixOfResource(object);
  return prefix === null ? id : printIdentifier(prefix, id);
}

export function objectsOfPrefix(prefix: string): string[] {
  return [...prefixes].filter(([, other]) => other === prefix).map(([object]) => object);
}

const prefixes = new Map<string, IdentifierPrefix>([
  // No endpoint returns meetings, but audit entries name them.
  ['Meeting', 'meet'],
  // Its `object` is that of the provider of a package.
  ['SubscriptionProvider', 'subprov'],
  ...Object.values<Endpoint>(endpoints).flatMap(({ answer }) =>
    answer.kind === 'resource' || answer.kind === 'list'
      ? [[answer.resource.object, answer.resource.prefix] as const]
      : [],
  ),
]);
