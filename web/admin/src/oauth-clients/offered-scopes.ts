import {
  dashboardPermission,
  type PermissionName,
  permissions,
  scopeOf,
} from '@foyer/contract/conventions/permissions.ts';
import { scopes } from '@foyer/contract/conventions/scope.ts';
import { permissionOf } from '../../../kit/api/access.table.ts';

const needed: ReadonlySet<PermissionName> = new Set(Object.values(permissionOf));
const neededScopes: ReadonlySet<string> = new Set([...needed].map(scopeOf));
const builtResources: ReadonlySet<string> = new Set([...needed, dashboardPermission].map(resourceOf));

/** The catalogue without the parts of the platform that have no endpoints yet. The API accepts those permissions too. */
export const offeredPermissions = permissions.filter(({ name }) => builtResources.has(resourceOf(name)));

/** The scopes that some endpoint needs, and `*`. */
export const offeredScopes: readonly string[] = scopes.filter((scope) => scope === '*' || neededScopes.has(scope));

/** `read-service-packages` is about `service-packages`. */
export function resourceOf(name: PermissionName): string {
  return name.split('-').slice(1).join('-');
}
