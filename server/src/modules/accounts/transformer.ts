import { Account } from '@foyer/contract/resources/customers/account.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { AccountRow } from './store.ts';

export const accountView = defineView<typeof Account.fields, AccountRow>({
  resource: Account,
  table: 'accounts',
});
