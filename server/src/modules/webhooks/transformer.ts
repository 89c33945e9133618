import { type deliveryStates, Webhook, WebhookDelivery } from '@foyer/contract/resources/events/webhook.ts';
import { type Selectable, sql } from 'kysely';
import type { WebhookDeliveries } from '../../database/tables.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { printInstant } from '../../platform/time/instant.ts';
import { defineView } from '../../platform/list-query/view.ts';
import { idOrNull, instantOrNull } from '../../platform/row-members.ts';
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
    url: row.url,
    description: row.description,
    events: row.events,
    active: row.active,
    customer_id: idOrNull('cust', row.customer_id),
    state: !row.active ? 'disabled' : row.failing_since === null ? 'active' : 'failing',
    disabled_at: instantOrNull(row.disabled_at),
    disabled_reason: row.disabled_reason,
    last_delivery_at: instantOrNull(row.last_delivery_at),
    // Rows of events have no secret, and are complete without it.
    secret: 'secret' in row ? (row.secret ?? null) : null,
  }),
});

export const deliveryView = defineView<typeof WebhookDelivery.fields, DeliveryRow>({
  resource: WebhookDelivery,
  table: 'webhook_deliveries',
  transform: (row) => ({
    webhook_id: printIdentifier('hook', row.webhook_id),
    event_id: printIdentifier('evt', row.event_id),
    event_name: row.event_name,
    state: row.state,
    attempts: row.attempts.map(({ at, status_code, duration_ms, error, response }) => ({
      at: printInstant(at),
      status_code,
      duration_ms,
      error,
      response,
    })),
    next_attempt_at: instantOrNull(row.next_attempt_at),
  }),
});
