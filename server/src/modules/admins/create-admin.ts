import { newRow } from '../../database/row-store.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { type FieldFaults, invalidInput } from '../../platform/failures.ts';
import type { CallOf } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { requirePermission } from '../../platform/http/input/guard.ts';
import { hashPassword, newPasswordFaults } from '../../platform/crypto/password.ts';
import { requireGrantableRoles, unknownRoleFaults } from './change-access.ts';
import { type AdminRow, grantRoles, insertAdmin, findTakenMembers } from './store.ts';

/** @throws 422 naming every invalid member; 403 for roles that the caller cannot grant */
export async function createAdmin(
  dependencies: Dependencies,
  { actor, principal: caller, body: input }: CallOf<'createAdmin'>,
): Promise<AdminRow> {
  const principal = requirePrincipal(caller);
  const roleIds = input.roles_ids ?? [];
  if (roleIds.length > 0) requirePermission(principal, 'manage-admins-access');
  const faults: FieldFaults = {
    ...takenFaults(await findTakenMembers(dependencies.db, input)),
    ...(await newPasswordFaults(input.password)),
    ...(await unknownRoleFaults(dependencies.db, roleIds)),
  };
  if (Object.keys(faults).length > 0) throw invalidInput(faults);
  const passwordHash = await hashPassword(input.password);
  const settings = dependencies.settings();
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const roles = await requireGrantableRoles(tx, principal, roleIds, 'grant');
    const admin = await insertAdmin(tx, {
      ...newRow(now),
      username: input.username,
      email: input.email,
      first_name: input.first_name,
      last_name: input.last_name,
      status: input.status ?? 'active',
      locale: input.locale ?? settings.system_locale,
      timezone: input.timezone ?? settings.system_timezone,
      password_hash: passwordHash,
      admin_settings: JSON.stringify(input.admin_settings ?? {}),
      admin_metadata: JSON.stringify(input.admin_metadata ?? {}),
    });
    if (!admin) throw invalidInput(takenFaults(await findTakenMembers(tx, input)));
    await grantRoles(tx, admin.id, roleIds);
    await emit(rowEvent('admin.created', { after: { ...admin, roles } }));
    return admin;
  });
}

function takenFaults(members: readonly ('username' | 'email')[]): FieldFaults {
  return Object.fromEntries(members.map((member) => [member, [`The ${member} has already been taken.`]]));
}
