import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import type { Events } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type EventRow = Selectable<Events>;

/**
 * Numbers events that have no position yet. Each customer with such events gets an equal share of the limit, so that a
 * bulk change of one does not delay the events of the others; the platform itself counts as a customer. Events of a
 * resource keep their order, even if the resource changes its customer or the clocks of two processes differ.
 * @returns null while another process publishes
 */
export async function numberEvents(tx: Tx, limit: number): Promise<EventRow[] | null> {
  const head = await tx.selectFrom('event_log').select('last_position').forUpdate().skipLocked().executeTakeFirst();
  if (!head) return null;
  const { rows } = await sql<EventRow>`
    with recursive customer as (
      (select customer_id as id from events_unpublished where customer_id is not null order by customer_id limit 1)
      union all
      select (select customer_id from events_unpublished where customer_id > customer.id order by customer_id limit 1)
      from customer where customer.id is not null
    ), share as (
      select greatest(1, ${limit}::bigint / (count(id) + 1)) as size from customer
    ), oldest as (
      select event.* from customer cross join lateral (
        select id, resource_id, sequence from events_unpublished
        where customer_id = customer.id order by id limit (select size from share)
      ) event
      union all
      (select id, resource_id, sequence from events_unpublished
        where customer_id is null order by id limit (select size from share))
    ), resource as (
      select resource_id, max(sequence) as last from (select * from oldest order by id limit ${limit}) chosen group by resource_id
    ), ordered as (
      select event.id, event.sequence, max(event.id::text) over (partition by resource_id order by event.sequence) as latest
      from resource join events_unpublished event using (resource_id) where event.sequence <= resource.last
    ), numbered as (
      select id, ${head.last_position}::bigint + row_number() over (order by latest, sequence) as position from ordered
    )
    update events set position = numbered.position from numbered where events.id = numbered.id
    returning events.*`.execute(tx);
  if (rows.length > 0)
    await tx
      .updateTable('event_log')
      .set({ last_position: head.last_position + rows.length })
      .execute();
  return rows.toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
}

export async function hasUnpublished(db: Database): Promise<boolean> {
  // The order makes PostgreSQL read the index, which skips published events that are not vacuumed yet.
  const row = await db
    .selectFrom('events')
    .select('id')
    .where('position', 'is', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** The position of the last published event; 0 if there is none. */
export async function readLastPosition(db: Database): Promise<number> {
  return (await db.selectFrom('event_log').select('last_position').executeTakeFirst())?.last_position ?? 0;
}

/** The position of the event, or of the last one before it if the event is no longer kept. */
export async function findPosition(db: Database, id: Uuid): Promise<number> {
  const { rows } = await sql<{ position: number | null }>`
    select coalesce(
      (select position from events where id = ${id}::uuid),
      (select position from events where id < ${id}::uuid and position is not null order by id desc limit 1)
    ) as position`.execute(db);
  return rows[0]?.position ?? 0;
}

/** Published events after the position, up to and including `last`. */
export async function listEventsAfter(
  db: Database,
  { after, last, limit }: { readonly after: number; readonly last: number; readonly limit: number },
  scope: RawBuilder<unknown> | null,
): Promise<EventRow[]> {
  return await db
    .selectFrom('events')
    .selectAll()
    .where('position', 'is not', null)
    .where('position', '>', after)
    .where('position', '<=', last)
    .$if(scope !== null, (query) => query.where(scope as RawBuilder<boolean>))
    .orderBy('position')
    .limit(limit)
    .execute();
}

/** @throws 404 */
export async function requireEvent(db: Database, id: Uuid, scope: RawBuilder<unknown> | null): Promise<EventRow> {
  const row = await db
    .selectFrom('events')
    .selectAll()
    .where('id', '=', id)
    .$if(scope !== null, (query) => query.where(scope as RawBuilder<boolean>))
    .executeTakeFirst();
  if (!row) throw notFound();
  return row;
}

export async function createPartition(tx: Tx, instant: string): Promise<void> {
  await sql`select create_event_partition(${instant}::timestamptz)`.execute(tx);
}

/** The partitions that hold only events from before the instant. */
export async function listPartitionsBefore(db: Database, instant: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = 'events_published'::regclass
      and (regexp_match(pg_get_expr(relpartbound, pg_class.oid), 'TO \\(''([0-9a-f-]+)''\\)'))[1]::uuid <= uuid_at(${instant}::timestamptz)
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

export async function dropPartition(tx: Tx, name: string): Promise<void> {
  await sql`set local lock_timeout = '2s'`.execute(tx);
  await sql`drop table ${sql.table(name)}`.execute(tx);
}

/** @returns how many were deleted */
export async function deleteEventsBefore(tx: Tx, instant: string, limit: number): Promise<number> {
  const { rows } = await sql`
    delete from events where id in (
      select id from events where id < uuid_at(${instant}::timestamptz) and position is not null
      order by id limit ${limit} for update skip locked
    ) returning 1`.execute(tx);
  return rows.length;
}
