import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** The deliveries of one webhook about one resource, which are sent one after the other. */
export interface Lane {
  readonly webhookId: Uuid;
  readonly resourceId: Uuid;
}

/** A worker that holds a lane longer than this counts as crashed. */
export const leaseSeconds = 60;

export interface LeasedLane extends Lane {
  readonly lease: Uuid;
}

export interface LaneClaim {
  readonly now: string;
  readonly lease: Uuid;
  readonly leasedUntil: string;
  readonly limit: number;
  /** How many lanes each of these webhooks may get; all other webhooks get `initialAllowance`. */
  readonly allowances: { readonly ids: readonly Uuid[]; readonly counts: readonly number[] };
  readonly initialAllowance: number;
}

/** Leases due lanes, fairly among the webhooks. Lanes of a crashed worker are leased again after their lease. */
export async function claimLanes(db: Database, claim: LaneClaim): Promise<Lane[]> {
  const { now, lease, leasedUntil, limit, allowances, initialAllowance } = claim;
  const { rows } = await sql<Lane>`
    with receiver as materialized (
      select webhooks.id, coalesce(known.count, case when failing_since is null then ${initialAllowance}::int else 1 end) as count
      from webhooks
      left join unnest(${allowances.ids}::uuid[], ${allowances.counts}::int[]) as known (id, count) on known.id = webhooks.id
      where active order by random()
    ), due as materialized (
      select lane.webhook_id, lane.resource_id from receiver
      cross join lateral (
        select webhook_id, resource_id from webhook_lanes
        where webhook_id = receiver.id and due_at <= ${now}::timestamptz
        order by due_at limit receiver.count for update skip locked
      ) lane
      limit ${limit}
    )
    update webhook_lanes lane set due_at = ${leasedUntil}::timestamptz, lease = ${lease}::uuid from due
    where lane.webhook_id = due.webhook_id and lane.resource_id = due.resource_id
    returning lane.webhook_id as "webhookId", lane.resource_id as "resourceId"`.execute(db);
  return rows;
}

export async function isAnyLaneDue(db: Database, now: string): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_lanes')
    .select('webhook_id')
    .where('due_at', '<=', now)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes the lanes of repeated deliveries due. A lane that is leased continues when its worker releases it. */
export async function openLanes(
  tx: Tx,
  rows: readonly { readonly webhook_id: Uuid; readonly resource_id: Uuid }[],
  now: string,
): Promise<void> {
  await sql`
    insert into webhook_lanes (webhook_id, resource_id, due_at)
    select distinct webhook_id, resource_id, ${now}::timestamptz
    from unnest(${rows.map((row) => row.webhook_id)}::uuid[], ${rows.map((row) => row.resource_id)}::uuid[])
      as lane (webhook_id, resource_id)
    order by webhook_id, resource_id
    on conflict (webhook_id, resource_id) do update
      set due_at = case when webhook_lanes.lease is null then excluded.due_at else webhook_lanes.due_at end`.execute(
    tx,
  );
}

/**
 * Locks the lanes and all lanes of the webhooks, in the order of their keys.
 * @returns those of the lanes that still have their lease
 */
export async function lockLanes(
  tx: Tx,
  lanes: readonly LeasedLane[],
  webhookIds: readonly Uuid[],
): Promise<LeasedLane[]> {
  const { rows } = await sql<{ webhook_id: Uuid; resource_id: Uuid; lease: Uuid | null }>`
    select webhook_id, resource_id, lease from webhook_lanes
    where (webhook_id, resource_id) in (
      select * from unnest(${lanes.map(({ webhookId }) => webhookId)}::uuid[], ${lanes.map(({ resourceId }) => resourceId)}::uuid[])
      union
      select webhook_id, resource_id from webhook_lanes where webhook_id = any(${webhookIds}::uuid[])
    )
    order by webhook_id, resource_id for update`.execute(tx);
  const leases = new Map(rows.map((row) => [`${row.webhook_id} ${row.resource_id}`, row.lease]));
  return lanes.filter(({ webhookId, resourceId, lease }) => leases.get(`${webhookId} ${resourceId}`) === lease);
}

/**
 * Makes locked lanes due when their first delivery is, and removes the empty ones. Runs as a separate statement after
 * the lock, so that it sees deliveries that were committed while it waited for the lock.
 */
export async function releaseLanes(tx: Tx, lanes: readonly Lane[], now: string): Promise<void> {
  await sql`
    with first as materialized (
      select lane.*, pending.id, pending.next_attempt_at, webhooks.active
      from unnest(${lanes.map(({ webhookId }) => webhookId)}::uuid[], ${lanes.map(({ resourceId }) => resourceId)}::uuid[])
        as lane (webhook_id, resource_id)
      join webhooks on webhooks.id = lane.webhook_id
      left join lateral (
        select id, next_attempt_at from webhook_deliveries delivery
        where delivery.webhook_id = lane.webhook_id and delivery.resource_id = lane.resource_id and state = 'pending'
        order by position limit 1
      ) pending on true
    ), removed as (
      delete from webhook_lanes lane using first
      where lane.webhook_id = first.webhook_id and lane.resource_id = first.resource_id and first.id is null
    )
    update webhook_lanes lane set lease = null,
      due_at = case when first.active then coalesce(first.next_attempt_at, ${now}::timestamptz) else 'infinity' end
    from first
    where lane.webhook_id = first.webhook_id and lane.resource_id = first.resource_id and first.id is not null`.execute(
    tx,
  );
}

/** Stops the lanes of disabled webhooks. */
export async function suspendLanes(tx: Tx, webhookIds: readonly Uuid[]): Promise<void> {
  await sql`
    with locked as materialized (
      select webhook_id, resource_id from webhook_lanes where webhook_id = any(${webhookIds}::uuid[])
      order by webhook_id, resource_id for update
    )
    update webhook_lanes lane set due_at = 'infinity' from locked
    where lane.webhook_id = locked.webhook_id and lane.resource_id = locked.resource_id`.execute(tx);
}

/** Makes all pending deliveries of a webhook due. Deliveries that a worker has leased are due when its lease expires. */
export async function resumeLanes(tx: Tx, webhookId: Uuid, now: string, leasedUntil: string): Promise<void> {
  await sql`
    with locked as materialized (
      select resource_id, lease from webhook_lanes where webhook_id = ${webhookId} order by resource_id for update
    ), resumed as (
      update webhook_lanes lane
      set due_at = case when locked.lease is null then ${now}::timestamptz else ${leasedUntil}::timestamptz end
      from locked where lane.webhook_id = ${webhookId} and lane.resource_id = locked.resource_id
    )
    update webhook_deliveries set next_attempt_at = null
    where webhook_id = ${webhookId} and state = 'pending' and next_attempt_at is not null`.execute(tx);
}
