import { sql } from 'kysely';
import { visibleCustomers, customerUserView } from '../memberships/index.ts';
import { userSelfView, userView } from '../users/index.ts';
import { belongsTo, hasMany, linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { customerView } from './transformer.ts';

const customersOfUser = linked(customerView, {
  table: 'customer_users',
  parent: 'user_id',
  child: 'customer_id',
});

export const tenantScopes: readonly TenantScope[] = [
  { view: customerView, condition: (userId) => sql`customers.id in ${visibleCustomers(userId)}` },
];

export const relations: readonly NamedRelation[] = [
  relation(customerView, 'parent', belongsTo(customerView, 'parent_customer_id')),
  relation(customerView, 'sub_customers', hasMany(customerView, 'parent_customer_id')),
  relation(
    customerView,
    'users',
    linked(userView, { table: 'customer_users', parent: 'customer_id', child: 'user_id' }),
  ),
  relation(
    customerView,
    'owner',
    linked(userView, {
      table: 'customer_users',
      parent: 'customer_id',
      child: 'user_id',
      where: sql`link.owner`,
      many: false,
    }),
  ),
  relation(userView, 'customers', customersOfUser),
  relation(userSelfView, 'customers', customersOfUser),
  relation(customerUserView, 'customer', belongsTo(customerView, 'customer_id')),
];
