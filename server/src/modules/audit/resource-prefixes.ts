import { endpoints } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { Resource } from '@foyer/contract/conventions/resource.ts';
import { ServicePackageProvider } from '@foyer/contract/resources/packages/service-package-provider.ts';
import { SubscriptionProvider } from '@foyer/contract/resources/subscriptions/subscription-resources.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';

/** The identifier prefix of a resource type; null for one without identifiers. */
export function prefixOfResource(object: string): IdentifierPrefix | null {
  return prefixes.get(object) ?? null;
}

/** The identifier with the prefix of its type, or a UUID if the type has no prefix. */
export function printResourceId(object: string, id: Uuid): string {
  const prefix = prefixOfResource(object);
  return prefix === null ? id : printIdentifier(prefix, id);
}

/** The value of `object` in resources of this type. */
export function objectOfType(type: string): string {
  return type === subscriptionProvider ? ServicePackageProvider.object : type;
}

/** The type by which events and audit entries refer to the resource. */
export function typeOfResource({ object, prefix }: Pick<Resource, 'object' | 'prefix'>): string {
  return prefix === SubscriptionProvider.prefix ? subscriptionProvider : object;
}

export function objectsOfPrefix(prefix: string): string[] {
  return [...prefixes].filter(([, other]) => other === prefix).map(([object]) => object);
}

/** The type of a subscription's providers. They have the `object` of a package's providers, but their own prefix. */
const subscriptionProvider = 'SubscriptionProvider';

const prefixes = new Map<string, IdentifierPrefix>([
  // No endpoint returns meetings, but audit entries name them.
  ['Meeting', 'meet'],
  ...Object.values<Endpoint>(endpoints).flatMap(({ answer }) =>
    answer.kind === 'resource' || answer.kind === 'list'
      ? [[typeOfResource(answer.resource), answer.resource.prefix] as const]
      : [],
  ),
]);
