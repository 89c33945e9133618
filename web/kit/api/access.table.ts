import { endpoints, type EndpointName } from '@foyer/contract';
import { type PermissionName, permissions } from '@foyer/contract/conventions/permissions.ts';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';

/** The permission that each endpoint needs; endpoints that need none are left out. */
export const permissionOf: Readonly<Partial<Record<EndpointName, PermissionName>>> = Object.fromEntries(
  Object.entries(endpoints).flatMap(([name, { access }]: [string, Endpoint]) =>
    access.kind === 'permission' ? [[name, access.permission]] : [],
  ),
);

/** The read permissions that each permission requires. */
export const requiredReadPermissions: Readonly<Record<PermissionName, readonly PermissionName[]>> = Object.fromEntries(
  permissions.map(({ name, requires }) => [name, requires]),
) as Record<PermissionName, readonly PermissionName[]>;
