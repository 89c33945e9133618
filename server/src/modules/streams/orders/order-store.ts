import { type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { StreamOrders } from '../../../database/tables.ts';
import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type OrderRow = Selectable<StreamOrders>;

export interface Order {
  readonly providerId: Uuid | null;
  readonly roomId: Uuid;
  readonly kind: OrderRow['kind'];
  readonly reason?: string;
}

/** The job `sync-streams` sends the order immediately and retries until it succeeds. */
export async function storeOrder(
  { tx, now, invalidate }: Pick<Change, 'tx' | 'now' | 'invalidate'>,
  { providerId, roomId, kind, reason }: Order,
): Promise<void> {
  if (providerId === null) return;
  await sql`
    with provider as (select id from service_providers where id = ${providerId} for key share)
    insert into stream_orders (service_provider_id, room_id, kind, reason, ordered_at, next_at)
    select id, ${roomId}::uuid, ${kind}, ${reason ?? null}::text, ${now}::timestamptz, ${now}::timestamptz from provider
    on conflict (service_provider_id, room_id, kind) do update
      set reason = excluded.reason, ordered_at = excluded.ordered_at, next_at = excluded.next_at, attempts = 0
  `.execute(tx);
  invalidate('streams');
}

/** Orders media servers to apply the address rule to running broadcasts, and to sources that could not be fetched. */
export async function storeAddressRuleOrders({ tx, now }: Pick<Change, 'tx' | 'now'>, dueAt: string): Promise<void> {
  await sql`
    with affected as materialized (
      select service_provider_id, room_id from streams stream
      where service_provider_id is not null and (source_error is not null or exists (
        select from stream_sessions session where session.room_id = stream.room_id and session.state <> 'ended'))
    ), providers as materialized (
      select id from service_providers where id in (select service_provider_id from affected) order by id for key share
    )
    insert into stream_orders (service_provider_id, room_id, kind, reason, ordered_at, next_at)
    select service_provider_id, room_id, 'set', null, ${now}::timestamptz, ${dueAt}::timestamptz
    from affected join providers on providers.id = service_provider_id order by service_provider_id, room_id
    on conflict (service_provider_id, room_id, kind) do update
      set reason = excluded.reason, ordered_at = excluded.ordered_at, next_at = excluded.next_at, attempts = 0
  `.execute(tx);
}

const claimBatchSize = 100;

/** Leases due orders. */
export async function claimOrders(
  db: Database,
  { now, leasedUntil }: { readonly now: string; readonly leasedUntil: string },
): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    with due as materialized (
      select service_provider_id, room_id, kind from stream_orders where next_at <= ${now}
      order by service_provider_id, room_id, kind limit ${claimBatchSize} for update skip locked
    )
    update stream_orders claimed set next_at = ${leasedUntil}, attempts = attempts + 1 from due
    where claimed.service_provider_id = due.service_provider_id and claimed.room_id = due.room_id
      and claimed.kind = due.kind
    returning claimed.*
  `.execute(db);
  return rows;
}

export async function removeOrder(db: Database, order: OrderRow): Promise<void> {
  await db
    .deleteFrom('stream_orders')
    .where('service_provider_id', '=', order.service_provider_id)
    .where('room_id', '=', order.room_id)
    .where('kind', '=', order.kind)
    .where('ordered_at', '=', order.ordered_at)
    .execute();
}

export async function postponeOrder(db: Database, order: OrderRow, until: string): Promise<void> {
  await db
    .updateTable('stream_orders')
    .set({ next_at: until })
    .where('service_provider_id', '=', order.service_provider_id)
    .where('room_id', '=', order.room_id)
    .where('kind', '=', order.kind)
    .where('ordered_at', '=', order.ordered_at)
    .execute();
}
