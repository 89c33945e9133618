import { webhookEndpoints as endpoints } from '@foyer/contract/resources/events/webhook.ts';
import { sql } from 'kysely';
import type { Dependencies } from '../../dependencies.ts';
import { type Route, route, row, rows, value, actionRoute } from '../../platform/http/input/call.ts';
import { createWebhook } from './create-webhook.ts';
import { deleteWebhook } from './delete-webhook.ts';
import { requireDelivery } from './delivery/delivery-store.ts';
import { createWebhookClient } from './requests/webhook-client.ts';
import { recoverDeliveries, resendDelivery } from './resend-deliveries.ts';
import { rotateWebhookSecret } from './rotate-secret.ts';
import { requireWebhook } from './store.ts';
import { testWebhook } from './test-webhook.ts';
import { deliveryView, webhookView } from './transformer.ts';
import { updateWebhook } from './update-webhook.ts';

export function webhookRoutes(dependencies: Dependencies): Route[] {
  const { db, settings } = dependencies;
  const client = createWebhookClient({ isPrivateAllowed: () => settings().webhooks_allow_private_addresses });
  return [
    route(endpoints.listWebhooks, () => rows(webhookView)),
    route(endpoints.createWebhook, async ({ actor, body, reply }) => {
      reply.header('cache-control', 'no-store');
      return row(webhookView, await createWebhook(dependencies, actor, body));
    }),
    route(endpoints.readWebhook, async ({ params }) => row(webhookView, await requireWebhook(db, params.webhook_id))),
    route(endpoints.updateWebhook, async (call) => row(webhookView, await updateWebhook(dependencies, call))),
    actionRoute(endpoints.deleteWebhook, ({ actor, params }) => deleteWebhook(dependencies, actor, params.webhook_id)),
    route(endpoints.rotateWebhookSecret, async ({ actor, body, params, reply }) => {
      reply.header('cache-control', 'no-store');
      return row(webhookView, await rotateWebhookSecret(dependencies, actor, params.webhook_id, body.overlap_hours));
    }),
    route(endpoints.testWebhook, async ({ body, params }) => {
      const { at: _at, ...outcome } = await testWebhook(dependencies, client, params.webhook_id, body.event);
      return value({ object: 'WebhookTest', ...outcome });
    }),
    route(endpoints.recoverWebhook, async ({ actor, body, params }) => {
      const recovered = await recoverDeliveries(dependencies, actor, params.webhook_id, body.since);
      return value({ object: 'WebhookRecovery', recovered });
    }),
    route(endpoints.listWebhookDeliveries, async ({ params }) => {
      await requireWebhook(db, params.webhook_id);
      return rows(deliveryView, sql`webhook_deliveries.webhook_id = ${params.webhook_id}`);
    }),
    route(endpoints.readWebhookDelivery, async ({ params }) =>
      row(deliveryView, await requireDelivery(db, params.webhook_id, params.delivery_id)),
    ),
    route(endpoints.resendWebhookDelivery, async ({ actor, params }) =>
      row(deliveryView, await resendDelivery(dependencies, actor, params.webhook_id, params.delivery_id)),
    ),
  ];
}
