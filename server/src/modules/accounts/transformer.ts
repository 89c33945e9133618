import { Account } from '@foyer/contract/account.ts';
import { sql } from 'kysely';
import { printIdentifier } from '../../platform/identifier.ts';
import { belongsTo, defineView, hasMany, linked, relate, restrict } from '../../platform/list-query/view.ts';
import { customerView } from '../customers/index.ts';
import { accountsInReach, accountUserView } from '../memberships/index.ts';
import { subscriptionView } from '../subscriptions/index.ts';
import { userSelfView, userView } from '../users/index.ts';
import type { AccountRow } from './store.ts';

export const accountView = defineView<typeof Account.fields, AccountRow>({
  resource: Account,
  table: 'accounts',
  transform: (row) => ({
    account_name: row.account_name,
    account_key: row.account_key,
    tag: row.tag,
    code: row.code,
    subscriber_id: printIdentifier('cust', row.subscriber_id),
    subscription_id: printIdentifier('sub', row.subscription_id),
    status: row.status as 'active',
    account_settings: row.account_settings,
    account_metadata: row.account_metadata as never,
  }),
});

restrict(accountView, (userId) => sql`accounts.id in ${accountsInReach(userId)}`);

relate(
  accountView,
  'customer',
  belongsTo(() => customerView, 'subscriber_id'),
);
relate(
  accountView,
  'subscription',
  belongsTo(() => subscriptionView, 'subscription_id'),
);
relate(
  accountView,
  'users',
  linked(() => userView, { table: 'account_users', parent: 'account_id', child: 'user_id' }),
);
relate(
  accountView,
  'owner',
  linked(() => userView, {
    table: 'account_users',
    parent: 'account_id',
    child: 'user_id',
    where: sql`link.owner`,
    many: false,
  }),
);
relate(
  customerView,
  'accounts',
  hasMany(() => accountView, 'subscriber_id'),
);
relate(
  subscriptionView,
  'accounts',
  hasMany(() => accountView, 'subscription_id'),
);

const accountsOfUser = linked(() => accountView, { table: 'account_users', parent: 'user_id', child: 'account_id' });
relate(userView, 'accounts', accountsOfUser);
relate(userSelfView, 'accounts', accountsOfUser);

relate(
  accountUserView,
  'account',
  belongsTo(() => accountView, 'account_id'),
);
