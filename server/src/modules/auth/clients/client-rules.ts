import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { permissions, scopeOf } from '@foyer/contract/conventions/permissions.ts';
import type { FieldFaults } from '../../../platform/failures.ts';
import { forbidden, invalidInput } from '../../../platform/failures.ts';
import type { Principal } from '../../../platform/http/input/call.ts';
import { inScope } from '../../../platform/http/input/guard.ts';
import { isFullAdmin } from '../../roles/index.ts';
import type { OauthClientRow } from './client-store.ts';
import { redirectUriFault } from '../authorization-code/redirect-uris.ts';

export type ClientShape = Pick<
  OauthClientRow,
  'population' | 'confidential' | 'first_party' | 'redirect_uris' | 'grants' | 'scopes'
>;

/** The faults of a client, by member. */
export function clientFaults(client: ClientShape): FieldFaults {
  const { population, confidential, first_party, redirect_uris, grants } = client;
  const faults: FieldFaults = {};
  const add = (name: string, sentence: string) => (faults[name] ??= []).push(sentence);
  redirect_uris.forEach((address, index) => {
    const fault = redirectUriFault(address);
    if (fault) add(`redirect_uris.${index}`, fault);
  });
  if (grants.length === 0) add('grants', 'The client needs at least one grant.');
  if (grants.includes('authorization_code') && redirect_uris.length === 0)
    add('redirect_uris', 'The grant authorization_code needs a redirect uri.');
  if (grants.includes('client_credentials') && population === 'users')
    add('grants', 'The grant client_credentials is only for clients of administrators.');
  if (grants.includes('client_credentials') && !confidential)
    add('grants', 'The grant client_credentials is only for confidential clients.');
  if (grants.includes('password') && !first_party) add('grants', 'The grant password is only for first-party clients.');
  return faults;
}

/** Whether a new client is first-party by default: if it has the password grant and the caller may create such clients. */
export function isFirstPartyByDefault(principal: Principal | null, grants: readonly string[]): boolean {
  return grants.includes('password') && principal !== null && isFullAdmin(principal);
}

/**
 * The scopes of a new client that was sent without scopes.
 * @throws 422 for the grant `client_credentials`, whose tokens have no owner whose rights limit them
 */
export function defaultScopes(grants: readonly string[]): readonly string[] {
  if (grants.includes('client_credentials')) throw invalidInput({ scopes: ['The scopes field is required.'] });
  return ['*'];
}

/**
 * A caller can neither create nor change a client that has more rights than the caller.
 * @throws 403
 */
export function requireAuthorityOver(
  principal: Principal | null,
  client: Pick<ClientShape, 'first_party' | 'scopes'>,
): void {
  if (client.first_party && !(principal && isFullAdmin(principal)))
    throw forbidden('privilege-escalation', 'Only administrators with the role admin can manage first-party clients.');
  const missing = client.scopes.filter((scope) => !principal || !holdsScope(principal, scope));
  if (missing.length > 0)
    throw forbidden('privilege-escalation', `You do not hold all rights of these scopes: ${missing.join(', ')}.`);
}

/** Whether the principal may do everything that the scope allows. */
function holdsScope(principal: Principal, scope: string): boolean {
  const owns = (name: PermissionName) =>
    principal.kind === 'client' || principal.isFullAdmin || principal.permissions.has(name);
  if (scope === '*') return principal.scopes.includes('*') && permissions.every(({ name }) => owns(name));
  return permissions.every(({ name }) => scopeOf(name) !== scope || (owns(name) && inScope(principal, name)));
}
