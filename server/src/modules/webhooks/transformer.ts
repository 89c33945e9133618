import { type deliveryStates, Webhook, WebhookDelivery } from '@foyer/contract/resources/events/webhook.ts';
import { type Selectable, sql } from 'kysely';
import type { WebhookDeliveries } from '../../database/tables.ts';
import { printInstant } from '../../platform/time/instant.ts';
import { defineView } from '../../platform/list-query/view.ts';
import type { WebhookRow } from './store.ts';

export interface Attempt {
  readonly at: string;
  readonly status_code: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly response: string | null;
}

export interface DeliveryRow extends Omit<Selectable<WebhookDeliveries>, 'attempts' | 'state'> {
  readonly attempts: Attempt[];
  readonly state: (typeof deliveryStates)[number];
}

export const webhookView = defineView<typeof Webhook.fields, WebhookRow>({
  resource: Webhook,
  table: 'webhooks',
  expressions: {
    state: sql`(case when not webhooks.active then 'disabled' when webhooks.failing_since is null then 'active' else 'failing' end)`,
  },
  transform: (row) => ({
    state: !row.active ? 'disabled' : row.failing_since === null ? 'active' : 'failing',
    // The rows in events have no secret.
    secret: 'secret' in row ? (row.secret ?? null) : null,
  }),
});

export const deliveryView = defineView<typeof WebhookDelivery.fields, DeliveryRow>({
  resource: WebhookDelivery,
  table: 'webhook_deliveries',
  transform: (row) => ({
    attempts: row.attempts.map(({ at, status_code, duration_ms, error, response }) => ({
      at: printInstant(at),
      status_code,
      duration_ms,
      error,
      response,
    })),
  }),
});
