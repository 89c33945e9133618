import { type Endpoint, needsUsableSubscription, type RightLevel } from '@foyer/contract/conventions/endpoint.ts';
import { requiredRight, type Right, rightsBelow, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import { type PermissionName, requiredReadPermissions, scopeOf } from '@foyer/contract/conventions/permissions.ts';
import { forbidden, invalidInput, notFound, conflict, unauthenticated } from '../../failures.ts';
import type { Uuid } from '../../identity/identifier.ts';
import type { Principal } from './call.ts';

/**
 * Checks that the principal may call the endpoint.
 * @throws 401 without a valid token, 403 for the wrong population or a missing permission, read or scope
 */
export function guard(endpoint: Endpoint, principal: Principal | null): void {
  const { access } = endpoint;
  if (principal?.mustEnroll && !endpoint.isAllowedWithoutSecondFactor) {
    throw forbidden('second-factor-enrollment-required', 'The platform requires a second factor. Set one up first.');
  }
  if (access.kind === 'public' || access.kind === 'optional-token') return;
  if (!principal) throw unauthenticated();
  if (endpoint.interactiveSession && !isInteractiveSession(principal))
    throw forbidden('own-hand-required', interactiveSessionRequired);
  if (access.kind === 'authenticated') {
    if (access.population !== null && principal.population !== access.population)
      throw wrongPopulation(access.population);
    if (access.population !== null && principal.kind === 'client')
      throw forbidden('wrong-population', clientCallerMessage);
    return;
  }
  if (principal.kind !== 'user') return requirePermission(principal, access.permission);
  if (!access.users) throw wrongPopulation('admins');
  requireScope(principal, access.permission);
}

/** @throws 401 without a principal, or with one of another kind */
export function requirePrincipal(principal: Principal | null, kind: Principal['kind'] | null = null): Principal {
  if (!principal || (kind !== null && principal.kind !== kind)) throw unauthenticated();
  return principal;
}

/**
 * Returns the caller, for writes to its own data.
 * @throws 401 for another kind; 403 if the scopes do not cover the permission
 */
export function requireScopedPrincipal(
  principal: Principal | null,
  kind: Principal['kind'],
  permission: PermissionName,
): Principal {
  const caller = requirePrincipal(principal, kind);
  if (!inScope(caller, permission)) throw forbidden('forbidden', `Your token needs the scope ${scopeOf(permission)}.`);
  return caller;
}

/** Whether the token comes from a sign-in and has not been limited by scopes. */
export function isInteractiveSession({ tokenKind, scopes }: Principal): boolean {
  return (tokenKind === 'session' || tokenKind === 'password') && scopes.includes('*');
}

const clientCallerMessage = 'This is only for people. The token belongs to a client that acts for itself.';

export const interactiveSessionRequired = 'This needs a token from your own sign-in, with all scopes.';

/** The rights of a user on one resource by memberships, and whether the user owns it or its parent. */
export interface Rights {
  readonly rights: ReadonlySet<Right>;
  /** The rights by memberships in parent customers. */
  readonly fromAbove: ReadonlySet<Right>;
  readonly owner: boolean;
}

export type RightsOf = (userId: Uuid, level: RightLevel, id: Uuid) => Promise<Rights | null>;

/** Whether the subscription of the resource can be used today. */
export type IsUsable = (level: 'account' | 'room', id: Uuid) => Promise<boolean>;

/**
 * Checks a user's rights on the resource that the path or the body names.
 * @returns the rights there; null for other principals, or if no resource is named
 * @throws 404 (422 naming the member of a body) for a resource that the user cannot see, 403 for a missing right, 409
 * `subscription-not-usable` when a customer's own users would change a resource whose subscription cannot be used
 * today
 */
export async function guardResource(
  endpoint: Endpoint,
  principal: Principal | null,
  { from, values }: { readonly from: 'params' | 'body'; readonly values: Readonly<Record<string, unknown>> },
  { rightsOf, isUsable }: { readonly rightsOf: RightsOf; readonly isUsable: IsUsable },
): Promise<Rights | null> {
  const { access } = endpoint;
  if (principal?.kind !== 'user' || access.kind !== 'permission' || !access.users?.target) return null;
  const { level, idName: member } = access.users.target;
  if ((member in (endpoint.params ?? {}) ? 'params' : 'body') !== from) return null;
  if (typeof values[member] !== 'string')
    throw invalidInput({ [member]: [`The ${member.replaceAll('_', ' ')} field is required.`] });
  const userRights = await rightsOf(principal.id, level, values[member]);
  if (!userRights || !revealingRights[level].some((right) => userRights.rights.has(right))) {
    const label = member.replaceAll('_', ' ');
    throw from === 'params' ? notFound() : invalidInput({ [member]: [`The selected ${label} is invalid.`] });
  }
  requireRight(userRights, access.users.right);
  if (level !== 'account' && level !== 'room') return userRights;
  if (!needsUsableSubscription(endpoint) || userRights.fromAbove.has(access.users.right)) return userRights;
  if (await isUsable(level, values[member])) return userRights;
  throw conflict('subscription-not-usable', 'The subscription cannot be used today, so nothing in it can be changed.');
}

/** Any of these rights makes the resource visible. */
const revealingRights: Readonly<Record<RightLevel, readonly Right[]>> = {
  customer: rightsOfLevel.customer.filter((right) => !rightsOfLevel.account.includes(right)),
  subscription: ['read-subscriptions', 'create-account'],
  webhook: rightsOfLevel.customer.filter((right) => !rightsOfLevel.account.includes(right)),
  account: rightsOfLevel.account.filter((right) => !rightsOfLevel.room.includes(right)),
  room: rightsOfLevel.room,
  meeting: rightsOfLevel.room,
  recording: rightsOfLevel.room,
  video: rightsOfLevel.room,
};

/** @throws 403 */
export function requireRight(callerRights: Rights, right: Right): void {
  const hasRight = rightsBelow.has(right) ? callerRights.fromAbove.has(right) : callerRights.rights.has(right);
  if (!hasRight) throw forbidden('forbidden', `This needs the right ${right}.`);
  const read = requiredRight(right);
  if (read !== null && !callerRights.rights.has(read))
    throw forbidden('missing-read-permission', `Unauthorized Access: ${right} also needs ${read}.`);
}

/**
 * Refuses members that users may not set.
 * @param rights of the user on the resource, if there is one
 * @throws 422 naming the members
 */
export function refuseReservedMembers(
  endpoint: Endpoint,
  principal: Principal | null,
  rights: Rights | null,
  body: Record<string, unknown>,
): void {
  if (principal?.kind !== 'user' || endpoint.access.kind !== 'permission') return;
  const right = endpoint.access.users?.right;
  const isFromAbove = right !== undefined && rights?.fromAbove.has(right);
  const reserved = [...(endpoint.adminOnly ?? []), ...(isFromAbove ? [] : (endpoint.adminOrResellerOnly ?? []))];
  const names = reserved.filter((name) => body[name] !== undefined);
  if (names.length === 0) return;
  throw invalidInput(
    Object.fromEntries(
      names.map((name) => [name, [`Only administrators can set the ${name.replaceAll('_', ' ')} field.`]]),
    ),
  );
}

/** @throws 403 naming the permission, or the scope if only the token lacks it. */
export function requirePermission(principal: Principal, permission: PermissionName): void {
  if (!hasPermission(principal, permission)) throw forbidden('forbidden', `This needs the permission ${permission}.`);
  requireScope(principal, permission);
  const missing = requiredReadPermissions(permission)
    .filter((read) => !hasPermissionAndScope(principal, read))
    .map((read) => (hasPermission(principal, read) ? `the scope ${scopeOf(read)}` : read));
  if (missing.length > 0) {
    const needed = [...new Set(missing)].join(', ');
    throw forbidden('missing-read-permission', `Unauthorized Access: ${permission} also needs ${needed}.`);
  }
}

function requireScope(principal: Principal, permission: PermissionName): void {
  if (!inScope(principal, permission)) throw forbidden('forbidden', `This needs the scope ${scopeOf(permission)}.`);
}

/** Whether the principal's permissions and the token's scopes include the permission and all reads that it requires. */
export function may(principal: Principal | null, permission: PermissionName): boolean {
  return (
    principal !== null &&
    principal.kind !== 'user' &&
    hasPermissionAndScope(principal, permission) &&
    requiredReadPermissions(permission).every((read) => hasPermissionAndScope(principal, read))
  );
}

/** Whether the principal's permissions and the token's scopes both include the permission. */
export function hasPermissionAndScope(principal: Principal, permission: PermissionName): boolean {
  return hasPermission(principal, permission) && inScope(principal, permission);
}

/**
 * Whether the principal has the permission, without the limits of the token. A client that acts for itself has only
 * its scopes.
 */
function hasPermission({ kind, isFullAdmin, permissions }: Principal, permission: PermissionName): boolean {
  return kind === 'client' || isFullAdmin || permissions.has(permission);
}

/** Whether the scopes of the token cover the permission. */
export function inScope(principal: Principal, permission: PermissionName): boolean {
  return principal.scopes.includes('*') || principal.scopes.includes(scopeOf(permission));
}

function wrongPopulation(expected: string) {
  return forbidden('wrong-population', `This is for ${expected} only.`);
}
