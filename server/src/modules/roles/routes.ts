import { roleEndpoints as endpoints } from '@foyer/contract/resources/administrators/role.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, rows, actionRoute, rowRoute } from '../../platform/http/input/call.ts';
import { attachPermissions, changePermissions, detachPermissions, syncPermissions } from './change-permissions.ts';
import { createRole, deleteRole, updateRole } from './change-roles.ts';
import { requirePermissionRow, requireRole } from './role-store.ts';
import { permissionView, roleView } from './transformer.ts';

export function roleRoutes(dependencies: Dependencies): Route[] {
  const { db } = dependencies;
  return [
    route(endpoints.listRoles, () => rows(roleView)),
    rowRoute(endpoints.createRole, roleView, ({ actor, body }) => createRole(dependencies, actor, body)),
    rowRoute(endpoints.readRole, roleView, ({ params }) => requireRole(db, params.role_id)),
    rowRoute(endpoints.updateRole, roleView, (call) => updateRole(dependencies, call)),
    actionRoute(endpoints.deleteRole, ({ actor, params }) => deleteRole(dependencies, actor, params.role_id)),
    route(endpoints.listPermissions, () => rows(permissionView)),
    rowRoute(endpoints.readPermission, permissionView, ({ params }) => requirePermissionRow(db, params.permission_id)),
    rowRoute(endpoints.attachPermissions, roleView, (call) => changePermissions(dependencies, call, attachPermissions)),
    rowRoute(endpoints.detachPermissions, roleView, (call) => changePermissions(dependencies, call, detachPermissions)),
    rowRoute(endpoints.syncPermissions, roleView, (call) => changePermissions(dependencies, call, syncPermissions)),
  ];
}
