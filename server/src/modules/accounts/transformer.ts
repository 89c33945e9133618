import { Account } from '@foyer/contract/resources/customers/account.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { defineView } from '../../platform/list-query/view.ts';
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
    status: row.status,
    account_settings: row.account_settings,
    account_metadata: row.account_metadata,
  }),
});
