import type { Endpoint } from '@foyer/contract/endpoint.ts';
import { type PermissionName, requiredReads, scopeOf } from '@foyer/contract/permissions.ts';
import { forbidden, unauthenticated } from '../failures.ts';
import type { Principal } from './call.ts';

/**
 * Lets the principal through to the endpoint, or says why not.
 * @throws 401 without a valid token, 403 for the wrong population or a missing permission, read or scope.
 */
export function guard(endpoint: Endpoint, principal: Principal | null): void {
  const { access } = endpoint;
  if (access.kind === 'public' || access.kind === 'open-door') return;
  if (!principal) throw unauthenticated();
  if (access.kind === 'authenticated') {
    if (access.population !== null && principal.population !== access.population)
      throw wrongPopulation(access.population);
    return;
  }
  if (principal.kind === 'user') throw wrongPopulation('admins');
  requirePermission(principal, access.permission);
}

export function requirePermission(principal: Principal, permission: PermissionName): void {
  if (!holds(principal, permission)) throw forbidden('forbidden', `This needs the permission ${permission}.`);
  const missing = requiredReads(permission).filter((read) => !holds(principal, read));
  if (missing.length > 0) {
    throw forbidden('missing-read-permission', `Unauthorized Access: ${permission} also needs ${missing.join(', ')}.`);
  }
}

/** Whether the principal's permissions and the token's scopes both allow it, with every read that it requires. */
export function may(principal: Principal | null, permission: PermissionName): boolean {
  return (
    principal !== null &&
    principal.kind !== 'user' &&
    holds(principal, permission) &&
    requiredReads(permission).every((read) => holds(principal, read))
  );
}

function holds(principal: Principal, permission: PermissionName): boolean {
  const owns = principal.kind === 'client' || principal.isFullAdmin || principal.permissions.has(permission);
  return owns && (principal.scopes.includes('*') || principal.scopes.includes(scopeOf(permission)));
}

function wrongPopulation(expected: string) {
  return forbidden('wrong-population', `This is for ${expected} only.`);
}
