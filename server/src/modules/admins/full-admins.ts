import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { fullAdminRole } from '../roles/index.ts';

/**
 * Must be called before an administrator is deleted or deactivated, or loses the default role. Locks the role's row, so
 * that two administrators cannot remove each other at the same time.
 * @throws 409 for the last active administrator with full access
 */
export async function refuseLastFullAdmin(tx: Tx, adminId: Uuid): Promise<void> {
  await sql`select from roles where name = ${fullAdminRole} for no key update`.execute(tx);
  const { rows } = await sql<{ is_full: boolean; other_count: number }>`
    select coalesce(bool_or(admin.id = ${adminId}), false) as is_full,
      count(*) filter (where admin.id <> ${adminId})::int as other_count
    from admin_roles held
    join roles role on role.id = held.role_id and role.name = ${fullAdminRole}
    join admins admin on admin.id = held.admin_id and admin.status = 'active'
  `.execute(tx);
  const [counts] = rows;
  if (counts?.is_full && counts.other_count === 0)
    throw conflict(
      'last-full-administrator',
      'This is the last active administrator with the role admin. Grant this role to another administrator first.',
    );
}

export async function countFullAdmins(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from admin_roles held
    join roles role on role.id = held.role_id and role.name = ${fullAdminRole}
    join admins admin on admin.id = held.admin_id and admin.status = 'active'
  `.execute(db);
  return rows[0]?.count ?? 0;
}
