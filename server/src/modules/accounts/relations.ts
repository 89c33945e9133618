import { sql } from 'kysely';
import { customerView } from '../customers/index.ts';
import { memberRelations, visibleAccounts } from '../memberships/index.ts';
import { subscriptionView } from '../subscriptions/index.ts';
import { userSelfView, userView } from '../users/index.ts';
import { belongsTo, hasMany, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { accountView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  { view: accountView, condition: (userId) => sql`accounts.id in ${visibleAccounts(userId)}` },
];

export const relations: readonly NamedRelation[] = [
  relation(accountView, 'customer', belongsTo(customerView, 'subscriber_id')),
  relation(accountView, 'subscription', belongsTo(subscriptionView, 'subscription_id')),
  relation(customerView, 'accounts', hasMany(accountView, 'subscriber_id')),
  relation(subscriptionView, 'accounts', hasMany(accountView, 'subscription_id')),
  ...memberRelations(accountView, 'account', [userView, userSelfView]),
];
