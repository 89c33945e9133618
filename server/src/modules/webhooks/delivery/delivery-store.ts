import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import { notFound } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type EventRow, typesForUsers } from '../../events/index.ts';
import { allowsAccess } from '../../memberships/index.ts';
import type { SealedSecrets } from '../requests/signature.ts';
import type { Attempt, DeliveryRow } from '../transformer.ts';
import type { Lane } from './lane-store.ts';

/** How many attempts of a delivery are stored. */
const maxAttempts = 30;

/**
 * Inserts a delivery for each event and each active webhook that subscribes to it, and the lanes that have none yet.
 * The webhook of an inactive or terminated customer gets only the events of that customer, not of those below it. Locks
 * the lanes, so that none of them is removed as empty meanwhile. Ids grow with the positions of the events.
 */
export async function insertDeliveries(tx: Tx, events: readonly EventRow[], now: string): Promise<void> {
  const column = <Name extends keyof EventRow>(name: Name) => events.map((event) => event[name]);
  await sql`
    with published as (
      select * from unnest(${column('id')}::uuid[], ${column('name')}::text[], ${column('resource_type')}::text[],
        ${column('resource_id')}::uuid[], ${column('customer_id')}::uuid[], ${column('position')}::bigint[])
        as event (id, name, resource_type, resource_id, customer_id, position)
    ), matched as materialized (
      select webhooks.id as webhook_id, published.* from published
      left join customers event_customer on event_customer.id = published.customer_id
      left join deleted_customers deleted on deleted.id = published.customer_id
      join webhooks on webhooks.active
        and webhooks.events && array[published.name, split_part(published.name, '.', 1) || '.*', '*']
      left join customers webhook_customer on webhook_customer.id = webhooks.customer_id
      where webhooks.customer_id is null or (
        (webhook_customer.id = published.customer_id
          or (webhook_customer.id = any(coalesce(event_customer.ancestors, deleted.ancestors)) and ${allowsAccess('webhook_customer')}))
        and published.resource_type = any(${typesForUsers()}::text[]))
    ), locked as materialized (
      select id from webhooks where id in (select webhook_id from matched) order by id for key share
    ), inserted as (
      insert into webhook_deliveries (id, webhook_id, event_id, event_name, resource_id, position, state, created_at, updated_at)
      select ${deliveryId(now)}, webhook_id, matched.id, name, resource_id, position, 'pending', ${now}::timestamptz, ${now}::timestamptz
      from matched join locked on locked.id = webhook_id order by position, webhook_id
      returning webhook_id, resource_id
    )
    insert into webhook_lanes (webhook_id, resource_id, due_at)
    select distinct webhook_id, resource_id, ${now}::timestamptz from inserted order by webhook_id, resource_id
    on conflict (webhook_id, resource_id) do update set due_at = webhook_lanes.due_at`.execute(tx);
}

/** A UUIDv7 of the instant, followed by the lowest 12 bits of the position. */
function deliveryId(now: string) {
  return sql`overlay(overlay(replace(gen_random_uuid()::text, '-', '')
    placing left(replace(uuid_at(${now}::timestamptz)::text, '-', ''), 12) from 1)
    placing '7' || lpad(to_hex(position & 4095), 3, '0') from 13)::uuid`;
}

export interface PendingDelivery extends SealedSecrets {
  readonly delivery_id: Uuid;
  readonly event_id: Uuid;
  readonly resource_id: Uuid;
  readonly tries: number;
  readonly next_attempt_at: string | null;
  readonly url: string;
  readonly failing_since: string | null;
  /** The id of the webhook. */
  readonly id: Uuid;
}

/** The first pending deliveries of each lane, in order. */
export async function listPending(
  db: Database,
  lanes: readonly Lane[],
  maxPerLane: number,
): Promise<PendingDelivery[]> {
  const { rows } = await sql<PendingDelivery>`
    select pending.*, webhooks.id, url, failing_since, secret_sealed, former_secrets
    from unnest(${lanes.map(({ webhookId }) => webhookId)}::uuid[], ${lanes.map(({ resourceId }) => resourceId)}::uuid[])
      as lane (webhook_id, resource_id)
    join webhooks on webhooks.id = lane.webhook_id
    cross join lateral (
      select id as delivery_id, event_id, resource_id, position, tries, next_attempt_at from webhook_deliveries
      where webhook_id = lane.webhook_id and resource_id = lane.resource_id and state = 'pending'
      order by position limit ${maxPerLane}
    ) pending
    order by webhooks.id, pending.resource_id, pending.position`.execute(db);
  return rows;
}

export async function listEvents(db: Database, ids: readonly Uuid[]): Promise<Map<Uuid, EventRow>> {
  const { rows } = await sql<EventRow>`select * from events where id = any(${ids}::uuid[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

export interface StoredOutcome {
  readonly id: Uuid;
  readonly state: DeliveryRow['state'];
  readonly tries: number;
  readonly next_attempt_at: string | null;
  readonly attempt: Attempt;
}

/** Stores attempts. Does not overwrite results that another worker has stored in the meantime. */
export async function storeOutcomes(tx: Tx, outcomes: readonly StoredOutcome[], now: string): Promise<void> {
  await sql`
    update webhook_deliveries delivery set
      state = outcome.state, tries = outcome.tries, next_attempt_at = outcome.next_attempt_at, updated_at = ${now},
      attempts = (case when jsonb_array_length(attempts) >= ${maxAttempts} then attempts - 0 else attempts end)
        || jsonb_build_array(outcome.attempt)
    from jsonb_to_recordset(${JSON.stringify(outcomes)}::jsonb)
      as outcome (id uuid, state text, tries integer, next_attempt_at timestamptz, attempt jsonb)
    where delivery.id = outcome.id and delivery.state = 'pending'`.execute(tx);
}

/** @throws 404 */
export async function requireDelivery(db: Database, webhookId: Uuid, id: Uuid): Promise<DeliveryRow> {
  const row = await db
    .selectFrom('webhook_deliveries')
    .selectAll()
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst();
  if (!row) throw notFound('The delivery was not found.');
  return row as unknown as DeliveryRow;
}

export async function repeatDelivery(tx: Tx, webhookId: Uuid, id: Uuid, now: string): Promise<DeliveryRow> {
  const row = await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'pending', tries: 0, next_attempt_at: null, updated_at: now })
    .where('id', '=', id)
    .where('webhook_id', '=', webhookId)
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound('The delivery was not found.');
  return row as unknown as DeliveryRow;
}

/** Repeats the deliveries that failed since the instant. `updated_at` of a failed delivery is when it failed. */
export async function repeatFailed(
  tx: Tx,
  webhookId: Uuid,
  since: string,
  now: string,
): Promise<Pick<DeliveryRow, 'webhook_id' | 'resource_id'>[]> {
  return await tx
    .updateTable('webhook_deliveries')
    .set({ state: 'pending', tries: 0, next_attempt_at: null, updated_at: now })
    .where('webhook_id', '=', webhookId)
    .where('state', '=', 'failed')
    .where('updated_at', '>=', since)
    .returning(['webhook_id', 'resource_id'])
    .execute();
}

/** Deletes the deliveries whose ids are from before the instant, as for events. @returns the number of deliveries */
export async function deleteDeliveriesBefore(db: Database, instant: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from webhook_deliveries where id in (
      select id from webhook_deliveries where id < uuid_at(${instant}::timestamptz) order by id limit ${limit}
      for update skip locked)`.execute(db);
  return Number(numAffectedRows ?? 0);
}
