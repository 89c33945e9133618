import { roleEndpoints as endpoints } from '@foyer/contract/resources/administrators/role.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { attachPermissions, detachPermissions, syncPermissions } from './change-permissions.ts';
import { createRole, deleteRole, updateRole } from './change-roles.ts';
import { requirePermissionRow, requireRole } from './role-store.ts';
import { permissionView, roleView } from './transformer.ts';

export function roleRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listRoles, () => rows(roleView)),
    route(endpoints.createRole, async ({ actor, body }) => row(roleView, await createRole(dependencies, actor, body))),
    route(endpoints.readRole, async ({ params }) => row(roleView, await requireRole(db, params.role_id))),
    route(endpoints.updateRole, async (call) => row(roleView, await updateRole(dependencies, call))),
    actionRoute(endpoints.deleteRole, ({ actor, params }) => deleteRole(dependencies, actor, params.role_id)),
    route(endpoints.listPermissions, () => rows(permissionView)),
    route(endpoints.readPermission, async ({ params }) =>
      row(permissionView, await requirePermissionRow(db, params.permission_id)),
    ),
    route(endpoints.attachPermissions, async ({ actor, principal, body }) =>
      row(roleView, await attachPermissions(dependencies, actor, requirePrincipal(principal), body)),
    ),
    route(endpoints.detachPermissions, async ({ actor, principal, body }) =>
      row(roleView, await detachPermissions(dependencies, actor, requirePrincipal(principal), body)),
    ),
    route(endpoints.syncPermissions, async ({ actor, principal, body }) =>
      row(roleView, await syncPermissions(dependencies, actor, requirePrincipal(principal), body)),
    ),
  ];
}
