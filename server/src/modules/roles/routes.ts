import { roleEndpoints as endpoints } from '@foyer/contract/resources/administrators/role.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, actionRoute } from '../../platform/http/input/call.ts';
import { attachPermissions, changePermissions, detachPermissions, syncPermissions } from './change-permissions.ts';
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
    route(endpoints.attachPermissions, async (call) =>
      row(roleView, await changePermissions(dependencies, call, attachPermissions)),
    ),
    route(endpoints.detachPermissions, async (call) =>
      row(roleView, await changePermissions(dependencies, call, detachPermissions)),
    ),
    route(endpoints.syncPermissions, async (call) =>
      row(roleView, await changePermissions(dependencies, call, syncPermissions)),
    ),
  ];
}
