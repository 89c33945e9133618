import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { forbidden } from '../../platform/failures.ts';
import type { Principal } from '../../platform/http/input/call.ts';
import { hasPermissionAndScope } from '../../platform/http/input/guard.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { fullAdminRole, isFullAdmin } from '../roles/index.ts';

/**
 * Refuses changes to an administrator with permissions that the caller does not hold. The scopes of the caller's token
 * count too, so a token with limited scopes is refused even for the caller's own account.
 * @throws 403 `privilege-escalation`
 */
export async function refuseAdminWithMorePermissions(
  db: Database | Tx,
  principal: Principal,
  adminId: Uuid,
): Promise<void> {
  if (isFullAdmin(principal)) return;
  const { rows } = await sql<{ role: string; permission: PermissionName | null }>`
    select distinct role.name as role, permission.name as permission
    from admin_roles held
    join roles role on role.id = held.role_id
    left join role_permissions granted on granted.role_id = role.id
    left join permissions permission on permission.id = granted.permission_id
    where held.admin_id = ${adminId}
  `.execute(db);
  const hasMorePermissions = rows.some(
    ({ role, permission }) =>
      role === fullAdminRole || (permission !== null && !hasPermissionAndScope(principal, permission)),
  );
  if (hasMorePermissions)
    throw forbidden('privilege-escalation', 'This administrator holds permissions that you do not hold.');
}
