import type { MembershipLevel } from '@foyer/contract/conventions/rights.ts';
import { sql } from 'kysely';
import { userView } from '../users/index.ts';
import { visibleAccounts, visibleCustomers, visibleRooms, visibleUsers } from './visible-resources.ts';
import { belongsTo, linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope, View } from '../../platform/list-query/view.ts';
import { membershipTables } from './store.ts';
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

/** The relations of a customer, an account or a room with its users. */
export function memberRelations(
  view: View<never>,
  level: MembershipLevel,
  userViews: readonly View<never>[],
): NamedRelation[] {
  const { table, key } = membershipTables[level];
  const link = { table, parent: key, child: 'user_id' };
  return [
    relation(view, 'users', linked(userView, link)),
    relation(view, 'owner', linked(userView, { ...link, where: sql`link.owner`, many: false })),
    ...userViews.map((users) => relation(users, `${level}s`, linked(view, { table, parent: 'user_id', child: key }))),
    relation(memberViews[level], level, belongsTo(view, key)),
  ];
}
