import type { Endpoint } from '@foyer/contract/endpoint.ts';
import { type PermissionName, requiredReads } from '@foyer/contract/permissions.ts';

/** Whether permissions open an endpoint, with the reads that it requires. */
export function mayCall(endpoint: Endpoint, permissions: readonly string[]): boolean {
  const { access } = endpoint;
  return access.kind !== 'permission' || holds(permissions, access.permission);
}

export function holds(permissions: readonly string[], permission: PermissionName): boolean {
  return [permission, ...requiredReads(permission)].every((name) => permissions.includes(name));
}
