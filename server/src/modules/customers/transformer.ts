import { Customer } from '@foyer/contract/resources/customers/customer.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import type { CustomerRow } from './store.ts';

export const customerView = defineView<typeof Customer.fields, CustomerRow>({
  resource: Customer,
  table: 'customers',
  orders: { effective_status: sql.ref('customers.effective_status') },
});
