import type { FoyerEvent } from '@foyer/sdk';
import type { QueryKey } from '@tanstack/react-query';
import { resourcesRead } from './resources-read.table.ts';

export type EventAbout = Pick<FoyerEvent, 'resource_type' | 'resource_id' | 'customer_id'> & {
  readonly data: Readonly<Record<string, unknown>>;
  readonly previous: Readonly<Record<string, unknown>> | null;
};

/** Whether an event can change the result of a query. */
export function isAffected(queryKey: QueryKey, event: EventAbout): boolean {
  const [purpose] = queryKey;
  // A form keeps the version that it was opened with, and saves with `If-Match`.
  if (purpose === 'edit') return false;
  const endpoint = queryKey
    .slice(0, 2)
    .find((part): part is string => typeof part === 'string' && isReadEndpoint(part));
  if (endpoint === undefined) return purpose === 'resellersAbove' && event.resource_type === 'Customer';
  // Totals and choices do not depend on other resources.
  if (purpose !== endpoint) return resourcesRead[endpoint]?.[0] === event.resource_type;
  return dependsOn(endpoint, event.resource_type) && concernsQuery(queryKey, event);
}

function isReadEndpoint(endpoint: string): boolean {
  return endpoint in resourcesRead || endpoint in dependencies;
}

function dependsOn(endpoint: string, kind: string): boolean {
  if (endpoint === 'listEvents' || endpoint === 'listWebhookDeliveries') return true;
  return [resourcesRead, dependencies].some((kinds) => kinds[endpoint]?.includes(kind));
}

/**
 * False if the query is about one resource, such as a room, and the event about another resource of the same kind. True
 * for events of customers, because their status also applies to the customers below them.
 */
function concernsQuery(queryKey: QueryKey, event: EventAbout): boolean {
  if (event.resource_type === 'Customer') return true;
  const ids = idsOf(event);
  return idsIn(queryKey).every((id) => {
    const sameKind = ids.filter((other) => prefixOf(other) === prefixOf(id));
    return sameKind.length === 0 || sameKind.includes(id);
  });
}

function idsOf({ resource_id, customer_id, data, previous }: EventAbout): string[] {
  const references = [data, previous ?? {}].flatMap((members) =>
    Object.entries(members).flatMap(([name, value]) => (name.endsWith('_id') ? [value] : [])),
  );
  return [resource_id, customer_id, ...references].filter(isId);
}

/** The ids in the key and its path parameters. */
function idsIn(queryKey: QueryKey): string[] {
  return queryKey
    .flatMap((part, index) => (index === 1 && typeof part === 'object' && part !== null ? Object.values(part) : [part]))
    .filter(isId);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z]+_[0-9a-hjkmnp-tv-z]{26}$/.test(value);
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('_'));
}

const usageKinds = ['Room', 'Account', 'Meeting', 'Recording', 'AccountUser', 'CustomerUser', 'RoomUser', 'RoomToken'];
const subscriptionParts = ['ServicePackageSubscription', 'ServicePackageSubscriptionFeature'];
const packageParts = ['ServicePackageFeature', 'ServicePackageProvider'];
const healthKinds = ['ServiceProvider', 'Meeting', 'Participant'];

/** Further kinds of resources that the answer of an endpoint depends on, for example through counts. */
const dependencies: Readonly<Record<string, readonly string[]>> = {
  listAdmins: ['Role'],
  readAdmin: ['Role'],
  listRoles: ['Admin'],
  readRole: ['Admin'],
  readCallingAdmin: ['Role'],
  listServicePackages: packageParts,
  readServicePackage: packageParts,
  readServiceProvider: packageParts,
  readUser: ['CustomerUser', 'AccountUser', 'RoomUser'],
  listSubscriptions: [...usageKinds, ...subscriptionParts],
  readSubscription: subscriptionParts,
  readSubscriptionUsage: [...usageKinds, ...subscriptionParts],
  listSubscriptionFeatures: [...usageKinds, ...subscriptionParts],
  listMeetings: ['Participant'],
  readMeeting: ['Participant'],
  listServiceProviderHealth: healthKinds,
  readServiceProviderHealth: healthKinds,
  readRoomStatus: ['Room', 'Meeting', 'Participant', 'ServiceProvider'],
  readRoomFeatures: ['Room', ...subscriptionParts],
  readSettings: ['Settings'],
  readTwoFactor: ['Admin'],
  listRoomTokens: ['RoomTokenBatch'],
};
