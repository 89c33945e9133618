import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { endpoints } from '@foyer/contract/index.ts';
import { type Right, rightsOfLevel } from '@foyer/contract/conventions/rights.ts';
import type { Tx } from '../../events/change.ts';
import { forbidden } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { inScope, type Rights } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { rightsOf } from './rights.ts';
import type { MembershipScope } from './store.ts';

/** The principal that grants a membership; null if no rights limit the grant. */
export type Grantor = Principal | null;

/** The rights that a membership adds. */
export interface Grant {
  readonly userId: Uuid;
  readonly permissions: readonly Right[];
  readonly owner: boolean;
}

/**
 * Administrators can grant every right. A user can only grant rights that they hold on the resource and that their
 * token's scopes cover, none to themselves, and can only transfer the ownership of a resource that they own.
 * @throws 403 `privilege-escalation`, naming the rights
 */
export async function requireGrantable(tx: Tx, grantor: Grantor, scope: MembershipScope, grant: Grant): Promise<void> {
  if (grantor?.kind !== 'user' || (grant.permissions.length === 0 && !grant.owner)) return;
  if (grant.userId === grantor.id) throw forbidden('privilege-escalation', 'You cannot raise your own rights.');
  const grantorRights = await rightsOf(tx, grantor.id, scope.level, scope.id);
  if (grant.owner && !grantorRights?.owner)
    throw forbidden('privilege-escalation', 'Only the owner can transfer the ownership.');
  requireHeldRights(grantor, grantorRights, 'grant', grant.owner ? rightsOfLevel[scope.level] : grant.permissions);
}

/**
 * A user can only revoke rights that they hold on the resource, and can give up their own rights.
 * @throws 403 `privilege-escalation`, naming the rights
 */
export async function requireRevocable(
  tx: Tx,
  grantor: Grantor,
  scope: MembershipScope,
  revocation: { readonly userId: Uuid; readonly permissions: readonly Right[] },
): Promise<void> {
  if (grantor?.kind !== 'user' || revocation.permissions.length === 0 || revocation.userId === grantor.id) return;
  const grantorRights = await rightsOf(tx, grantor.id, scope.level, scope.id);
  requireHeldRights(grantor, grantorRights, 'revoke', revocation.permissions);
}

function requireHeldRights(
  grantor: Principal,
  grantorRights: Rights | null,
  verb: string,
  rights: readonly Right[],
): void {
  const missing = rights.filter((right) => !grantorRights?.rights.has(right));
  if (missing.length > 0)
    throw forbidden('privilege-escalation', `You cannot ${verb} rights that you do not hold: ${missing.join(', ')}.`);
  const outOfScope = rights.filter((right) => !isRightInScope(grantor, right));
  if (outOfScope.length > 0)
    throw forbidden(
      'privilege-escalation',
      `You cannot ${verb} rights that the scopes of your token do not cover: ${outOfScope.join(', ')}.`,
    );
}

/** Whether the token's scopes cover every endpoint that requires the right. */
function isRightInScope(grantor: Principal, right: Right): boolean {
  if (grantor.scopes.includes('*')) return true;
  // No endpoint requires `moderate`: it decides the role in which a user joins.
  if (right === 'moderate' && !inScope(grantor, 'join-rooms')) return false;
  return Object.values(endpoints as Record<string, Endpoint>).every(
    ({ access }) =>
      access.kind !== 'permission' || access.users?.right !== right || inScope(grantor, access.permission),
  );
}

/** Without duplicates, in the order in which rights are declared. */
export function sortRights(level: MembershipScope['level'], permissions: readonly Right[]): Right[] {
  return rightsOfLevel[level].filter((right) => permissions.includes(right));
}
