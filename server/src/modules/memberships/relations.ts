import { sql } from 'kysely';
import { userView } from '../users/index.ts';
import { accountsInReach, customersInReach, roomsInReach, usersInReach } from './reach.ts';
import { belongsTo, type NamedRelation, relation, type TenantScope } from '../../platform/list-query/view.ts';
import { accountUserView, customerUserView, memberViews, roomUserView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  {
    view: customerUserView,
    condition: (userId) => sql`customer_users.customer_id in ${customersInReach(userId, 'manage-customer-users')}`,
  },
  {
    view: accountUserView,
    condition: (userId) => sql`account_users.account_id in ${accountsInReach(userId, 'manage-account-users')}`,
  },
  { view: roomUserView, condition: (userId) => sql`room_users.room_id in ${roomsInReach(userId, 'manage-users')}` },
  { view: userView, condition: (userId) => sql`users.id in ${usersInReach(userId)}` },
];

export const relations: readonly NamedRelation[] = Object.values(memberViews).map((view) =>
  relation(view, 'user', belongsTo(userView, 'user_id')),
);
