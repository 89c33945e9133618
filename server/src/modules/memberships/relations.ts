import { sql } from 'kysely';
import { userView } from '../users/index.ts';
import { visibleAccounts, visibleCustomers, visibleRooms, visibleUsers } from './visible-resources.ts';
import { belongsTo, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { accountUserView, customerUserView, memberViews, roomUserView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  {
    view: customerUserView,
    condition: (userId) => sql`customer_users.customer_id in ${visibleCustomers(userId, 'manage-customer-users')}`,
  },
  {
    view: accountUserView,
    condition: (userId) => sql`account_users.account_id in ${visibleAccounts(userId, 'manage-account-users')}`,
  },
  { view: roomUserView, condition: (userId) => sql`room_users.room_id in ${visibleRooms(userId, 'manage-users')}` },
  { view: userView, condition: (userId) => sql`users.id in ${visibleUsers(userId)}` },
];

export const relations: readonly NamedRelation[] = Object.values(memberViews).map((view) =>
  relation(view, 'user', belongsTo(userView, 'user_id')),
);
