import { roleView } from '../roles/index.ts';
import { linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation } from '../../platform/list-query/view.ts';
import { adminSelfView, adminView } from './transformer.ts';

/** Administrators can read their own roles without `read-roles`. */
const ownRoleView = { ...roleView, resource: { ...roleView.resource, readPermission: null } };
const rolesOfAdmins = { table: 'admin_roles', parent: 'admin_id', child: 'role_id' } as const;

export const relations: readonly NamedRelation[] = [
  relation(roleView, 'admins', linked(adminView, { table: 'admin_roles', parent: 'role_id', child: 'admin_id' })),
  relation(adminView, 'roles', linked(roleView, rolesOfAdmins)),
  relation(adminSelfView, 'roles', linked(ownRoleView, rolesOfAdmins)),
];
