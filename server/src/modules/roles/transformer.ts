import { Permission, Role } from '@foyer/contract/resources/administrators/role.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { PermissionRow, RoleRow } from './store.ts';

export const permissionView = defineView<typeof Permission.fields, PermissionRow>({
  resource: Permission,
  table: 'permissions',
  transform: () => ({ guard_name: 'api' }),
});

export const roleView = defineView<typeof Role.fields, RoleRow>({
  resource: Role,
  table: 'roles',
  transform: () => ({ guard_name: 'api' }),
});
