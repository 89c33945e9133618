import { adminEndpoints as endpoints } from '@foyer/contract/resources/administrators/admin.ts';
import { permissions } from '@foyer/contract/conventions/permissions.ts';
import type { Dependencies } from '../../dependencies.ts';
import {
  type Principal,
  type Result,
  type Route,
  route,
  row,
  rows,
  actionRoute,
  rowRoute,
} from '../../platform/http/input/call.ts';
import { hasPermissionAndScope, requirePrincipal, requireScopedPrincipal } from '../../platform/http/input/guard.ts';
import { assignRoles, changeAccess, revokeRoles, syncRoles } from './change-access.ts';
import { createAdmin } from './create-admin.ts';
import { deleteAdmin, endSessions } from './delete-admin.ts';
import { type AdminRow, requireAdmin } from './store.ts';
import { changeCallingAdminPassword } from './store-password.ts';
import { adminSelfView, adminView } from './transformer.ts';
import { updateAdmin } from './update-admin.ts';

export function adminRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    ...callingAdminRoutes(dependencies),
    route(endpoints.listAdmins, () => rows(adminView)),
    rowRoute(endpoints.createAdmin, adminView, (call) => createAdmin(dependencies, call)),
    rowRoute(endpoints.readAdmin, adminView, ({ params }) => requireAdmin(db, params.admin_id)),
    rowRoute(endpoints.updateAdmin, adminView, (call) =>
      updateAdmin(dependencies, requirePrincipal(call.principal), call.params.admin_id, call),
    ),
    actionRoute(endpoints.deleteAdmin, (call) => deleteAdmin(dependencies, call)),
    actionRoute(endpoints.endAdminSessions, (call) => endSessions(dependencies, call)),
    rowRoute(endpoints.assignRoles, adminView, (call) => changeAccess(dependencies, call, assignRoles)),
    rowRoute(endpoints.revokeRoles, adminView, (call) => changeAccess(dependencies, call, revokeRoles)),
    rowRoute(endpoints.syncRoles, adminView, (call) => changeAccess(dependencies, call, syncRoles)),
  ];
}

/** Routes for the administrator who calls them. */
function callingAdminRoutes(dependencies: Dependencies): Route[] {
  const selfResult = (admin: AdminRow, caller: Principal): Result =>
    row(adminSelfView, {
      ...admin,
      permissions: permissions.filter(({ name }) => hasPermissionAndScope(caller, name)),
    });
  return [
    route(endpoints.readCallingAdmin, async ({ principal }) => {
      const caller = requirePrincipal(principal, 'admin');
      return selfResult(await requireAdmin(dependencies.db, caller.id), caller);
    }),
    route(endpoints.updateCallingAdmin, async (call) => {
      const caller = requireScopedPrincipal(call.principal, 'admin', 'update-admins');
      return selfResult(await updateAdmin(dependencies, caller, caller.id, call), caller);
    }),
    actionRoute(endpoints.changeCallingAdminPassword, (call) => changeCallingAdminPassword(dependencies, call)),
  ];
}
