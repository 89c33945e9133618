import { sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Tx } from '../../events/change.ts';
import { conflict } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { fullAdminRole } from '../roles/index.ts';

/**
 * Before an administrator is deleted, switched off or stripped of the default role. Who asks holds that role's row, so
 * that of two who would remove each other one comes too late.
 * @throws 409 when nobody with full access would be left
 */
export async function refuseLastFullAdmin(tx: Tx, adminId: Uuid): Promise<void> {
  await sql`select from roles where name = ${fullAdminRole} for no key update`.execute(tx);
  const { rows } = await sql<{ is_full: boolean; others: number }>`
    select coalesce(bool_or(admin.id = ${adminId}), false) as is_full,
      count(*) filter (where admin.id <> ${adminId})::int as others
    from admin_roles held
    join roles role on role.id = held.role_id and role.name = ${fullAdminRole}
    join admins admin on admin.id = held.admin_id and admin.status = 'active'
  `.execute(tx);
  const [found] = rows;
  if (found?.is_full && found.others === 0)
    throw conflict('last-full-administrator', 'The last active holder of the role admin stays.');
}

/** How many active administrators have full access. */
export async function countFullAdmins(db: Database): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from admin_roles held
    join roles role on role.id = held.role_id and role.name = ${fullAdminRole}
    join admins admin on admin.id = held.admin_id and admin.status = 'active'
  `.execute(db);
  return rows[0]?.count ?? 0;
}
