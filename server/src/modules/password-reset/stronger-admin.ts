import { type PermissionName, permissions } from '@foyer/contract/permissions.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { forbidden, unauthenticated } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/call.ts';
import { may } from '../../platform/http/guard.ts';
import type { Uuid } from '../../platform/identifier.ts';

/**
 * A link to somebody's password is as good as what that person may do.
 * @throws 403 `privilege-escalation` when the administrator holds what the caller does not
 */
export async function refuseStrongerAdmin(db: Database, principal: Principal | null, adminId: Uuid): Promise<void> {
  if (!principal) throw unauthenticated();
  const { isFullAdmin, held } = await powersOf(db, adminId);
  const isOutranked = isFullAdmin && principal.kind === 'admin' && !principal.isFullAdmin;
  const missing = (isFullAdmin ? permissions.map(({ name }) => name) : held).filter((name) => !may(principal, name));
  if (isOutranked || missing.length > 0)
    throw forbidden('privilege-escalation', 'This administrator may do more than you: ask one who may do as much.');
}

async function powersOf(db: Database, adminId: Uuid): Promise<{ isFullAdmin: boolean; held: PermissionName[] }> {
  const { rows } = await sql<{ is_full_admin: boolean; held: PermissionName[] }>`
    select exists(
        select from admin_roles held join roles role on role.id = held.role_id
        where held.admin_id = ${adminId} and role.name = 'admin'
      ) as is_full_admin,
      array(
        select distinct permission.name from admin_roles held
        join role_permissions granted on granted.role_id = held.role_id
        join permissions permission on permission.id = granted.permission_id
        where held.admin_id = ${adminId}
      ) as held
  `.execute(db);
  return { isFullAdmin: rows[0]?.is_full_admin ?? false, held: rows[0]?.held ?? [] };
}
