import { Customer } from '@foyer/contract/resources/customers/customer.ts';
import { sql } from 'kysely';
import { defineView } from '../../platform/list-query/view.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import type { CustomerRow } from './store.ts';

export const customerView = defineView<typeof Customer.fields, CustomerRow>({
  resource: Customer,
  table: 'customers',
  orders: { effective_status: sql.ref('customers.effective_status') },
  transform: (row) => ({
    external_id: row.external_id,
    customer_key: row.customer_key,
    customer_prefix: row.customer_prefix,
    status: row.status,
    effective_status: row.effective_status,
    held_by_platform: row.held_by_platform,
    email: row.email,
    first_name: row.first_name,
    last_name: row.last_name,
    full_name: row.full_name,
    company_name: row.company_name,
    customer_type: row.customer_type,
    is_reseller: row.is_reseller,
    parent_customer_id: row.parent_customer_id === null ? null : printIdentifier('cust', row.parent_customer_id),
    hostname: row.hostname,
    subdomain: row.subdomain,
    country: row.country,
    currency: row.currency,
    locale: row.locale,
    timezone: row.timezone,
    allowed_domains_origins: row.allowed_domains_origins,
    allowed_domains_registration: row.allowed_domains_registration,
    customer_settings: row.customer_settings,
    customer_metadata: row.customer_metadata,
  }),
});
