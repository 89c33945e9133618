import { sql } from 'kysely';
import { customerView } from '../customers/index.ts';
import { visibleCustomers } from '../memberships/index.ts';
import { belongsTo, relation } from '../../platform/list-query/relation.ts';
import type { NamedRelation, TenantScope } from '../../platform/list-query/view.ts';
import { deliveryView, webhookView } from './transformer.ts';

export const tenantScopes: readonly TenantScope[] = [
  {
    view: webhookView,
    condition: (userId) => sql`webhooks.customer_id in ${visibleCustomers(userId, 'manage-webhooks')}`,
  },
  {
    view: deliveryView,
    condition: (userId) =>
      sql`webhook_deliveries.webhook_id in (select id from webhooks where customer_id in ${visibleCustomers(userId, 'manage-webhooks')})`,
  },
];

export const relations: readonly NamedRelation[] = [
  relation(webhookView, 'customer', belongsTo(customerView, 'customer_id')),
];
