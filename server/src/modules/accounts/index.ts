import { whenCustomerIsDeleted, whenCustomerIsTerminated } from '../customers/index.ts';
import { whenSubscriptionIsDeleted } from '../subscriptions/index.ts';
import {
  deactivateAccountsOfCustomer,
  removeAccountsOfCustomer,
  removeAccountsOfSubscription,
} from './end-accounts.ts';

export { whenAccountIsDeleted } from './delete-account.ts';
export { lockAccount, lockAccountForUse } from './lock-account.ts';
export { type AccountRow, requireAccount } from './store.ts';
export { accountView } from './transformer.ts';

whenCustomerIsTerminated.add(deactivateAccountsOfCustomer);
whenCustomerIsDeleted.add(removeAccountsOfCustomer);
whenSubscriptionIsDeleted.add(removeAccountsOfSubscription);
