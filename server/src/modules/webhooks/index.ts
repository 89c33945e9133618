import { defineModule } from '../../module.ts';
import { deleteWebhooksOfCustomer } from './delete-webhook.ts';
import { deliverWebhooks } from './delivery/deliver-webhooks.ts';
import { queueDeliveries } from './delivery/queue-deliveries.ts';
import { webhookJobs } from './jobs.ts';
import { relations, tenantScopes } from './relations.ts';
import { webhookRoutes } from './routes.ts';
import { secretColumns } from './secrets.ts';
import { webhookView } from './transformer.ts';

export { deliverWebhooks } from './delivery/deliver-webhooks.ts';

export const webhooks = defineModule({
  name: 'webhooks',
  routes: webhookRoutes,
  views: { Webhook: webhookView },
  jobs: webhookJobs,
  background: deliverWebhooks,
  relations,
  tenantScopes,
  encryptedColumns: secretColumns,
  reactions: { 'customer.deleting': deleteWebhooksOfCustomer, 'events.published': queueDeliveries },
});
