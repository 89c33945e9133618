import { linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation } from '../../platform/list-query/view.ts';
import { permissionView, roleView } from './transformer.ts';

const table = 'role_permissions';

export const relations: readonly NamedRelation[] = [
  relation(roleView, 'permissions', linked(permissionView, { table, parent: 'role_id', child: 'permission_id' })),
  relation(permissionView, 'roles', linked(roleView, { table, parent: 'permission_id', child: 'role_id' })),
];
