import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { DB } from '../database/tables.ts';
import type { Actor } from '../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../platform/identity/identifier.ts';
import type { AuditEntryContent, AuditMac } from './audit-mac.ts';
import type { EventData, EventInput, EventPrinter } from './event-data.ts';
import { difference, maskedMembers } from './masked-values.ts';

/** The context that all events of a change share. */
export interface EventContext {
  readonly auditMac: AuditMac;
  readonly now: string;
  readonly actor: Actor;
  readonly printer: EventPrinter;
}

export async function insertEvent(tx: Transaction<DB>, context: EventContext, event: EventInput): Promise<void> {
  const [data] = await context.printer.print(tx, [event]);
  await sql`with ${eventQueries(context, event, sql`(select) once`, data)} select`.execute(tx);
}

/** CTEs that insert the event if `cause` returns a row. */
export function eventQueries(
  context: EventContext,
  event: EventInput,
  cause: RawBuilder<unknown>,
  contents: EventData = context.printer.printFromRows(event),
): RawBuilder<unknown> {
  const { auditMac, now, actor } = context;
  const { name, resource, customerId = null } = event;
  const { entry, oldText, newText } = entryOf(context, event);
  const counterMac = auditMac.counterMac(resource.id);
  return sql`
    numbered as (
      insert into event_sequences (resource_id, last, mac)
      select ${resource.id}::uuid, 1, sha256(${counterMac}::bytea || int8send(1::bigint)) from ${cause}
      on conflict (resource_id) do update
        set last = event_sequences.last + 1, mac = sha256(${counterMac}::bytea || int8send(event_sequences.last + 1))
      returning last
    ), event as (
      insert into events (id, name, resource_type, resource_id, sequence, customer_id, actor_type, actor_id, actor_name, data, previous, occurred_at)
      select ${newUuid()}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${customerId}::uuid, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${JSON.stringify(contents.data)}::json, ${json(contents.previous)}::json, ${now}::timestamptz
      from numbered
    ), unsealed as (
      insert into audit_unsealed (entry_id) select ${entry.id}::uuid from numbered
    ), entry as (
      insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
      select ${entry.id}::uuid, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, ${customerId}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${oldText}::jsonb, ${newText}::jsonb, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, sha256(${auditMac.entryMac(entry)}::bytea || int8send(last))
      from numbered
    )
  `;
}

/** Inserts the events in this order, with two statements for any number of resources. */
export async function insertEvents(
  tx: Transaction<DB>,
  context: EventContext,
  events: readonly EventInput[],
): Promise<void> {
  const { auditMac, now, actor } = context;
  if (events.length === 0) return;
  const contents = await context.printer.print(tx, events);
  const counts = new Map<Uuid, number>();
  const inputs = events.map((event, index) => {
    const { id } = event.resource;
    const turn = (counts.get(id) ?? 0) + 1;
    counts.set(id, turn);
    const content = entryOf(context, event);
    return { ...event, ...content, ...contents[index], id, turn, entryMac: auditMac.entryMac(content.entry) };
  });
  const ids = [...counts.keys()];
  const resources = sql`unnest(${ids}::uuid[], ${ids.map((id) => auditMac.counterMac(id))}::bytea[], ${[...counts.values()]}::bigint[])
    counter(resource_id, part, count)`;
  // `where false` locks existing rows without updating them. Locking in key order prevents deadlocks.
  await sql`
    insert into event_sequences (resource_id, last, mac) select resource_id, 0, part from ${resources} order by resource_id
    on conflict (resource_id) do update set last = event_sequences.last where false
  `.execute(tx);
  await sql`
    with input as (
      select * from unnest(${inputs.map(({ id }) => id)}::uuid[], ${inputs.map(() => newUuid())}::uuid[],
        ${inputs.map(({ entry }) => entry.id)}::uuid[], ${inputs.map(({ name }) => name)}::text[],
        ${inputs.map(({ resource }) => resource.type)}::text[], ${inputs.map(({ entry }) => entry.customer_id)}::uuid[],
        ${inputs.map(({ oldText }) => oldText)}::jsonb[], ${inputs.map(({ newText }) => newText)}::jsonb[],
        ${inputs.map(({ data = {} }) => JSON.stringify(data))}::json[], ${inputs.map(({ previous = null }) => json(previous))}::json[],
        ${inputs.map(({ entryMac }) => entryMac)}::bytea[], ${inputs.map(({ turn }) => turn)}::bigint[])
      input(resource_id, event_id, entry_id, name, resource_type, customer_id, old_values, new_values, data, previous, entry_part, turn)
    ), counted as (
      update event_sequences set last = last + count, mac = sha256(counter.part || int8send(last + count))
      from ${resources}
      where event_sequences.resource_id = counter.resource_id
      returning event_sequences.resource_id, event_sequences.last - counter.count as before
    ), numbered as (
      select input.*, counted.before + input.turn as sequence from input join counted using (resource_id)
    ), event as (
      insert into events (id, name, resource_type, resource_id, sequence, customer_id, actor_type, actor_id, actor_name, data, previous, occurred_at)
      select event_id, name, resource_type, resource_id, sequence, customer_id, ${actor.type}, ${actor.id}::uuid, ${actor.name}, data, previous, ${now}::timestamptz
      from numbered
    ), unsealed as (
      insert into audit_unsealed (entry_id) select entry_id from input
    )
    insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
    select entry_id, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, customer_id, name, resource_type, resource_id, sequence, old_values, new_values, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, sha256(entry_part || int8send(sequence))
    from numbered
  `.execute(tx);
}

function entryOf(
  { now, actor }: EventContext,
  { name, resource, customerId = null, before = null, after = null, details }: EventInput,
): { entry: AuditEntryContent; oldText: string | null; newText: string | null } {
  const differences = difference(resource.type, before, after);
  const newValues = details ? { ...differences.after, ...maskedMembers(resource.type, details) } : differences.after;
  const [oldText, newText] = [json(differences.before), json(newValues)];
  const entry: AuditEntryContent = {
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
    // Round-tripped through JSON, so that the MAC matches the values that PostgreSQL returns.
    old_values: parsed(oldText),
    new_values: parsed(newText),
    request_id: actor.requestId,
    address: actor.address,
    occurred_at: now,
  };
  return { entry, oldText, newText };
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

function parsed(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
