import {
  dashboardPermission,
  type PermissionName,
  permissions,
  scopeOf,
} from '@foyer/contract/conventions/permissions.ts';
import { scopes } from '@foyer/contract/conventions/scope.ts';
import { permissionOf } from '../../../kit/api/access.table.ts';

const requiredPermissions: ReadonlySet<PermissionName> = new Set(Object.values(permissionOf));
const requiredScopes: ReadonlySet<string> = new Set([...requiredPermissions].map(scopeOf));
const resourcesWithEndpoints: ReadonlySet<string> = new Set(
  [...requiredPermissions, dashboardPermission].map(resourceOf),
);

/** The permissions for resources that have endpoints. The API also accepts the other permissions of the catalogue. */
export const offeredPermissions = permissions.filter(({ name }) => resourcesWithEndpoints.has(resourceOf(name)));

/** `*`, and the scopes that at least one endpoint requires. */
export const offeredScopes: readonly string[] = scopes.filter((scope) => scope === '*' || requiredScopes.has(scope));

/** The resource of a permission, such as `service-packages` for `read-service-packages`. */
export function resourceOf(name: PermissionName): string {
  return name.split('-').slice(1).join('-');
}
