import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { BufferedQuery } from '../database/prepared-connection.ts';
import type { DB } from '../database/tables.ts';
import type { Actor } from '../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../platform/identity/identifier.ts';
import { nextTurn } from '../platform/limits/next-turn.ts';
import { type AuditEntryMembers, type AuditMac, type AuditValues, canonicalJson } from './audit-mac.ts';
import type { EventData, EventInput, EventPrinter } from './event-data.ts';
import { difference, maskMembers } from './masked-values.ts';

/** The context that all events of a change share. */
export interface EventContext {
  readonly auditMac: AuditMac;
  readonly now: string;
  readonly actor: Actor;
  readonly printer: EventPrinter;
}

export async function insertEvent(tx: Transaction<DB>, context: EventContext, event: EventInput): Promise<void> {
  const [data] = await context.printer.print(tx, [event]);
  const query = sql`with ${eventQueries(context, event, sql`(select) once`, { contents: data })} select`.compile(tx);
  const bufferedQuery: BufferedQuery = { ...query, isBuffered: true };
  await tx.executeQuery(bufferedQuery);
}

/**
 * CTEs that insert the event if `cause` returns a row.
 * @param prefix of the names of the CTEs, if a statement has several events
 */
export function eventQueries(
  context: EventContext,
  event: EventInput,
  cause: RawBuilder<unknown>,
  {
    contents = context.printer.printFromRows(event),
    prefix = '',
  }: { contents?: EventData | undefined; prefix?: string },
): RawBuilder<unknown> {
  const { auditMac, now, actor } = context;
  const { name, resource, customerId = null } = event;
  const { entry, values } = entryOf(context, event);
  const counterMacPart = auditMac.counterMacPart(resource.id);
  const [numbered, inserted, unsealed, audited] = ['numbered', 'event', 'unsealed', 'entry'].map((query) =>
    sql.ref(`${prefix}${query}`),
  );
  return sql`
    ${numbered} as (
      insert into event_sequences (resource_id, last, mac)
      select ${resource.id}::uuid, 1, sha256(${counterMacPart}::bytea || int8send(1::bigint)) from ${cause}
      on conflict (resource_id) do update
        set last = event_sequences.last + 1, mac = sha256(${counterMacPart}::bytea || int8send(event_sequences.last + 1))
      returning last
    ), ${inserted} as (
      insert into events_unpublished (id, name, resource_type, resource_id, sequence, customer_id, actor_type, actor_id, actor_name, data, previous, occurred_at)
      select ${newUuid()}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${customerId}::uuid, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${JSON.stringify(contents.data)}::json, ${json(contents.previous)}::json, ${now}::timestamptz
      from ${numbered}
    ), ${unsealed} as (
      insert into audit_unsealed (entry_id) select ${entry.id}::uuid from ${numbered}
    ), ${audited} as (
      insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
      select ${entry.id}::uuid, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, ${customerId}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, nullif(${values.oldText}, 'null')::jsonb, nullif(${values.newText}, 'null')::jsonb, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, sha256(${auditMac.entryMacPart(entry, values)}::bytea || int8send(last))
      from ${numbered}
    )
  `;
}

/** How many events one statement inserts. Printing and signing them blocks the event loop for some milliseconds. */
const batchSize = 500;

/**
 * Inserts the events in this order, up to 500 with one statement. PostgreSQL inserts one batch while the next one is
 * printed and signed. Between two batches, other requests are handled.
 */
export async function insertEvents(
  tx: Transaction<DB>,
  context: EventContext,
  events: readonly EventInput[],
): Promise<void> {
  if (events.length === 0) return;
  const numbered = await numberEvents(tx, context, events);
  let inserted: Promise<void> = Promise.resolve();
  for (let start = 0; start < numbered.length; start += batchSize) {
    if (start > 0) await nextTurn();
    const batch = await prepareBatch(tx, context, numbered.slice(start, start + batchSize));
    await inserted;
    inserted = insertBatch(tx, context, batch);
    // Awaited in the next round; until then, a failure must not be reported as unhandled.
    inserted.catch(() => {});
  }
  await inserted;
}

interface NumberedEvent {
  readonly event: EventInput;
  readonly sequence: number;
}

/** Takes the next numbers of all resources, with two statements for any number of events. */
async function numberEvents(
  tx: Transaction<DB>,
  { auditMac }: EventContext,
  events: readonly EventInput[],
): Promise<NumberedEvent[]> {
  const counts = new Map<Uuid, number>();
  for (const { resource } of events) counts.set(resource.id, (counts.get(resource.id) ?? 0) + 1);
  const ids = [...counts.keys()];
  const resources = sql`unnest(${ids}::uuid[], ${ids.map((id) => auditMac.counterMacPart(id))}::bytea[], ${[...counts.values()]}::bigint[])
    counter(resource_id, part, count)`;
  // `where false` locks existing rows without updating them. Locking in key order prevents deadlocks.
  await sql`
    insert into event_sequences (resource_id, last, mac) select resource_id, 0, part from ${resources} order by resource_id
    on conflict (resource_id) do update set last = event_sequences.last where false
  `.execute(tx);
  const { rows } = await sql<{ resource_id: Uuid; before: number }>`
    update event_sequences set last = last + count, mac = sha256(counter.part || int8send(last + count))
    from ${resources}
    where event_sequences.resource_id = counter.resource_id
    returning event_sequences.resource_id, event_sequences.last - counter.count as before
  `.execute(tx);
  const lastNumbers = new Map(rows.map(({ resource_id: id, before }) => [id, before]));
  return events.map((event) => {
    const sequence = (lastNumbers.get(event.resource.id) ?? 0) + 1;
    lastNumbers.set(event.resource.id, sequence);
    return { event, sequence };
  });
}

interface PreparedEvent extends NumberedEvent, ReturnType<typeof entryOf> {
  readonly contents: EventData | undefined;
  /** The part of the MAC to which the database adds the number. */
  readonly entryMacPart: Buffer;
}

async function prepareBatch(
  tx: Transaction<DB>,
  context: EventContext,
  numbered: readonly NumberedEvent[],
): Promise<PreparedEvent[]> {
  const contents = await context.printer.print(
    tx,
    numbered.map(({ event }) => event),
  );
  return numbered.map(({ event, sequence }, index) => {
    const { entry, values } = entryOf(context, event);
    const entryMacPart = context.auditMac.entryMacPart(entry, values);
    return { event, sequence, entry, values, contents: contents[index], entryMacPart };
  });
}

async function insertBatch(
  tx: Transaction<DB>,
  { now, actor }: EventContext,
  batch: readonly PreparedEvent[],
): Promise<void> {
  // JSON documents instead of arrays of JSON, which the driver would have to escape once more.
  await sql`
    with input as materialized (
      select resource_id, event_id, entry_id, name, resource_type, customer_id, sequence,
        sha256(entry_mac_part || int8send(sequence)) as mac, data, nullif(old_values, 'null') as old_values,
        nullif(new_values, 'null') as new_values, case json_typeof(previous) when 'null' then null else previous end as previous
      from rows from (
        unnest(${batch.map(({ event }) => event.resource.id)}::uuid[], ${batch.map(() => newUuid())}::uuid[],
          ${batch.map(({ entry }) => entry.id)}::uuid[], ${batch.map(({ event }) => event.name)}::text[],
          ${batch.map(({ event }) => event.resource.type)}::text[], ${batch.map(({ entry }) => entry.customer_id)}::uuid[],
          ${batch.map(({ sequence }) => sequence)}::bigint[], ${batch.map(({ entryMacPart }) => entryMacPart)}::bytea[]),
        json_array_elements(${listOf(batch.map(({ contents }) => JSON.stringify(contents?.data ?? {})))}::json),
        json_array_elements(${listOf(batch.map(({ contents }) => json(contents?.previous ?? null)))}::json),
        jsonb_array_elements(${listOf(batch.map(({ values }) => values.oldText))}::jsonb),
        jsonb_array_elements(${listOf(batch.map(({ values }) => values.newText))}::jsonb)
      ) input(resource_id, event_id, entry_id, name, resource_type, customer_id, sequence, entry_mac_part, data, previous, old_values, new_values)
    ), event as (
      insert into events_unpublished (id, name, resource_type, resource_id, sequence, customer_id, actor_type, actor_id, actor_name, data, previous, occurred_at)
      select event_id, name, resource_type, resource_id, sequence, customer_id, ${actor.type}, ${actor.id}::uuid, ${actor.name}, data, previous, ${now}::timestamptz
      from input
    ), unsealed as (
      insert into audit_unsealed (entry_id) select entry_id from input
    )
    insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
    select entry_id, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, customer_id, name, resource_type, resource_id, sequence, old_values, new_values, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, mac
    from input
  `.execute(tx);
}

/** A JSON array of JSON texts. */
function listOf(texts: readonly (string | null)[]): string {
  return `[${texts.map((text) => text ?? 'null').join(',')}]`;
}

function entryOf(
  { now, actor }: EventContext,
  { name, resource, customerId = null, before = null, after = null, details }: EventInput,
): { entry: AuditEntryMembers; values: AuditValues } {
  const differences = difference(resource.type, before, after);
  const newValues = details ? { ...differences.after, ...maskMembers(resource.type, details) } : differences.after;
  const entry: AuditEntryMembers = {
    id: newUuid(),
    actor_type: actor.type,
    actor_id: actor.id,
    actor_name: actor.name,
    client_id: actor.clientId,
    client_name: actor.clientName,
    customer_id: customerId,
    action: name,
    resource_type: resource.type,
    resource_id: resource.id,
    request_id: actor.requestId,
    address: actor.address,
    occurred_at: now,
  };
  return { entry, values: { oldText: canonicalJson(differences.before), newText: canonicalJson(newValues) } };
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}
