import { sql } from 'kysely';
import { memberRelations, visibleCustomers } from '../memberships/index.ts';
import { userSelfView, userView } from '../users/index.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { customerView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: customerView, condition: (userId) => sql`customers.id in ${visibleCustomers(userId)}` },
];

export const relations: readonly NamedRelation[] = [
  relation(customerView, 'parent', belongsTo(customerView, 'parent_customer_id')),
  relation(customerView, 'sub_customers', hasMany(customerView, 'parent_customer_id')),
  ...memberRelations(customerView, 'customer', [userView, userSelfView]),
];
