import { defineModule } from '../../module.ts';
import { accountView } from './transformer.ts';
import { deactivateAccountsOfCustomer, removeAccountsOf } from './delete-account.ts';
import { relations, tenantScopes } from './relations.ts';
import { accountRoutes } from './routes.ts';

export { createAccount } from './create-account.ts';
export { lockAccount, lockAccountForUse } from './lock-account.ts';
export { type AccountRow, requireAccount } from './store.ts';
export { accountView } from './transformer.ts';

export const accounts = defineModule({
  name: 'accounts',
  routes: accountRoutes,
  views: { Account: accountView },
  relations,
  tenantScopes,
  reactions: {
    'customer.terminating': (change, { customerId }) => deactivateAccountsOfCustomer(change, customerId),
    'customer.deleting': (change, { customerId }) => removeAccountsOf(change, 'subscriber_id', customerId),
    'subscription.deleting': (change, { subscriptionId }) =>
      removeAccountsOf(change, 'subscription_id', subscriptionId),
  },
});
