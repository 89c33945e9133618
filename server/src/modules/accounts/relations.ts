import { sql } from 'kysely';
import { customerView } from '../customers/index.ts';
import { visibleAccounts, accountUserView } from '../memberships/index.ts';
import { subscriptionView } from '../subscriptions/index.ts';
import { userSelfView, userView } from '../users/index.ts';
import { belongsTo, hasMany, linked, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { accountView } from './transformer.ts';

const accountsOfUser = linked(accountView, { table: 'account_users', parent: 'user_id', child: 'account_id' });

export const tenantScopes: readonly TenantScope[] = [
  { view: accountView, condition: (userId) => sql`accounts.id in ${visibleAccounts(userId)}` },
];

export const relations: readonly NamedRelation[] = [
  relation(accountView, 'customer', belongsTo(customerView, 'subscriber_id')),
  relation(accountView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(accountView, 'users', linked(userView, { table: 'account_users', parent: 'account_id', child: 'user_id' })),
  relation(
    accountView,
    'owner',
    linked(userView, {
      table: 'account_users',
      parent: 'account_id',
      child: 'user_id',
      where: sql`link.owner`,
      many: false,
    }),
  ),
  relation(customerView, 'accounts', hasMany(accountView, 'subscriber_id')),
  relation(subscriptionView, 'accounts', hasMany(accountView, 'subscription_id')),
  relation(userView, 'accounts', accountsOfUser),
  relation(userSelfView, 'accounts', accountsOfUser),
  relation(accountUserView, 'account', belongsTo(accountView, 'account_id')),
];
