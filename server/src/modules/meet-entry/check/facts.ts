import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { printInstant } from '../../../platform/time/instant.ts';

/** A fact that prevents an entry. */
export interface Fact {
  readonly message: string;
  readonly subject: Subject | null;
  readonly feature: string | null;
  readonly limit: number | null;
  readonly used: number | null;
  readonly since: string | null;
  readonly until: string | null;
}

export interface Subject {
  readonly type: string;
  readonly id: string | null;
  readonly name: string | null;
  readonly status: string | null;
}

export function fact(message: string, details: Partial<Omit<Fact, 'message'>> = {}): Fact {
  const { subject = null, feature = null, limit = null, used = null, since = null, until = null } = details;
  return {
    message,
    subject,
    feature,
    limit,
    used,
    since: since && printInstant(since),
    until: until && printInstant(until),
  };
}

/** The caller of a check, and which names and states they may see. */
export interface CheckCaller {
  /** Null for callers who are not users. */
  readonly userId: Uuid | null;
  readonly may: (permission: PermissionName) => boolean;
  readonly mayReadTokens: boolean;
  readonly mayReadCodes: boolean;
  /** The customers that a user may read. */
  readonly readableCustomerIds: ReadonlySet<Uuid>;
}

interface NamedResource {
  readonly id: Uuid;
  readonly name: string | null;
  readonly status: string;
}

/** Names resources for the caller. A resource that the caller may not read has neither id nor name. */
export interface Naming extends Pick<CheckCaller, 'userId' | 'mayReadCodes'> {
  readonly mayNameProviders: boolean;
  room(room: { id: Uuid; room_name: string; status?: string }): Subject;
  account(id: Uuid, status: string): Subject;
  customer(customer: NamedResource): Subject;
  subscription(subscription: NamedResource & { subscriber_id: Uuid }): Subject;
  provider(provider: { id: Uuid; provider_name: string }, status: string): Subject;
  token(token: { id: Uuid; name: string | null }): Subject;
  code(code: { id: Uuid }): Subject;
  user(user: { id: Uuid; full_name: string; status: string }): Subject;
}

/** @param customerId the customer of the room, whose resources readers of the room may see */
export function createNaming(caller: CheckCaller, customerId: Uuid): Naming {
  const { userId, may, readableCustomerIds } = caller;
  const mayReadCustomer = (id: Uuid) => userId === null || id === customerId || readableCustomerIds.has(id);
  const mayName = (permission: PermissionName, owner: Uuid) =>
    mayReadCustomer(owner) && (userId !== null || may(permission));
  const mayNameProviders = userId === null && may('read-service-providers');
  return {
    userId,
    mayReadCodes: caller.mayReadCodes,
    mayNameProviders,
    room: ({ id, room_name: name, status = null }: { id: Uuid; room_name: string; status?: string | null }) =>
      subjectFor('Room', 'room', true, { id, name, status }),
    account: (id, status) => subjectFor('Account', 'acct', true, { id, name: null, status }),
    customer: (customer) => subjectFor('Customer', 'cust', mayName('read-customers', customer.id), customer),
    subscription: (row) =>
      subjectFor('ServicePackageSubscription', 'sub', mayName('read-subscriptions', row.subscriber_id), row),
    provider: ({ id, provider_name: name }, status) =>
      subjectFor('ServiceProvider', 'prov', mayNameProviders, { id, name, status }),
    token: (token) => subjectFor('RoomToken', 'rtok', caller.mayReadTokens, { ...token, status: null }),
    code: (code) => subjectFor('RoomAccessCode', 'rcode', caller.mayReadCodes, { ...code, name: null, status: null }),
    user: ({ id, full_name: name, status }) =>
      subjectFor('User', 'user', userId === null ? may('read-users') : caller.mayReadTokens, { id, name, status }),
  };
}

function subjectFor(
  type: string,
  prefix: IdentifierPrefix,
  mayKnow: boolean,
  { id, name, status }: { id: Uuid; name: string | null; status: string | null },
): Subject {
  return { type, id: mayKnow ? printIdentifier(prefix, id) : null, name: mayKnow ? name : null, status };
}
