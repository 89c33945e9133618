import type { EndpointName } from '@foyer/contract';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { permissionOf, requiredReadPermissions } from './access.table.ts';

/** Whether the permissions allow an endpoint, including the read permissions that it requires. */
export function mayCall(name: EndpointName, permissions: readonly string[]): boolean {
  const permission = permissionOf[name];
  return permission === undefined || holds(permissions, permission);
}

export function holds(permissions: readonly string[], permission: PermissionName): boolean {
  return [permission, ...requiredReadPermissions[permission]].every((name) => permissions.includes(name));
}
