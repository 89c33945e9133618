import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { InvalidationBus, Invalidation, CacheKey } from '../database/invalidation-bus.ts';
import { afterCommit } from '../database/one-transaction.ts';
import type { DB } from '../database/tables.ts';
import type { CalendarDate } from '../platform/time/calendar-date.ts';
import type { Clock } from '../platform/time/clock.ts';
import type { Actor } from '../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../platform/identity/identifier.ts';
import type { TotalCache } from '../platform/list-query/total-cache.ts';
import type { Settings } from '../platform/settings.ts';
import type { AuditMac, AuditEntryContent } from './audit-mac.ts';
import type { EventName } from './event-names.ts';
import { difference } from './masked-values.ts';
import type { ReactionName, ReactionSubjects } from './reaction-subjects.ts';

export type Tx = Transaction<DB>;

/** A running transaction. Its writes, events and audit entries commit together. */
export interface Change {
  readonly tx: Tx;
  /** The instant of everything that this change writes. */
  readonly now: string;
  /** The calendar day of the system's time zone. */
  readonly today: CalendarDate;
  readonly actor: Actor;
  /** Inserts one event, numbered without gaps per resource, and one audit entry. */
  emit(event: EventInput): Promise<void>;
  /** Inserts all events, in this order, of one or many resources, in two statements. */
  emitAll(events: readonly EventInput[]): Promise<void>;
  /** Parts of a `with` clause that insert the event and its audit entry if `cause`, one of its queries, has a row. */
  insertingEvent(event: EventInput, cause: RawBuilder<unknown>): RawBuilder<unknown>;
  /** After the commit, and before the request is answered, every process drops what it cached under this key. */
  invalidate(cacheKey: CacheKey): void;
  /** Runs the reactions of later modules in this transaction. */
  react<Name extends ReactionName>(name: Name, subject: ReactionSubjects[Name]): Promise<void>;
}

export type RunReactions = <Name extends ReactionName>(
  change: Change,
  name: Name,
  subject: ReactionSubjects[Name],
) => Promise<void>;

export interface EventInput {
  readonly name: EventName;
  readonly resource: { readonly type: string; readonly id: Uuid };
  readonly customerId?: Uuid | null;
  /** The row before and after; only what differs is kept, and secrets are masked. */
  readonly before?: object | null;
  readonly after?: object | null;
}

export interface ChangeServices {
  readonly db: Database;
  readonly clock: Clock;
  readonly totals: TotalCache;
  readonly invalidations: InvalidationBus;
  readonly settings: () => Settings;
  readonly auditMac: AuditMac;
  readonly runReactions: RunReactions;
}

export const system: Actor = {
  type: 'system',
  id: null,
  name: 'system',
  clientId: null,
  clientName: null,
  requestId: null,
  address: null,
};

/** Runs a change of state in one transaction. */
export async function inTransaction<Outcome>(
  services: ChangeServices,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  const cacheKeys = new Set<CacheKey>();
  let invalidation: Invalidation | null = null;
  const outcome = await services.db.transaction().execute(async (tx) => {
    const now = services.clock.now();
    const self: Change = {
      tx,
      now,
      today: services.clock.today(services.settings().system_timezone),
      actor,
      emit: (event) => insertEvent(tx, services.auditMac, now, actor, event),
      emitAll: (events) => insertEvents(tx, services.auditMac, now, actor, events),
      insertingEvent: (event, cause) => eventQueries(services.auditMac, now, actor, event, cause),
      invalidate: (cacheKey) => cacheKeys.add(cacheKey),
      react: (name, subject) => services.runReactions(self, name, subject),
    };
    const result = await act(self);
    if (cacheKeys.size > 0) invalidation = await services.invalidations.publish(tx, [...cacheKeys]);
    return result;
  });
  await afterCommit(async () => {
    services.totals.clear();
    if (invalidation) await services.invalidations.waitForAcknowledgement(invalidation);
  });
  return outcome;
}

/** Runs a part of a change in a savepoint: when it fails, only this part is rolled back. @throws as `act` does */
export async function inSavepoint<Outcome>({ tx }: Pick<Change, 'tx'>, act: () => Promise<Outcome>): Promise<Outcome> {
  await sql`savepoint part`.execute(tx);
  try {
    const outcome = await act();
    await sql`release savepoint part`.execute(tx);
    return outcome;
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx);
    await sql`release savepoint part`.execute(tx);
    throw error;
  }
}

/** A change that is a single statement, and so its own transaction. */
export interface StatementChange {
  readonly db: Database;
  /** The instant of everything that this change writes. */
  readonly now: string;
  /** Parts of a `with` clause that insert the event and its audit entry if `cause`, one of its queries, has a row. */
  insertingEvent(event: EventInput, cause: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** Runs a change of state as a single statement, in one round trip. */
export async function inOneStatement<Outcome>(
  { db, clock, totals, auditMac }: ChangeServices,
  actor: Actor,
  act: (change: StatementChange) => Promise<Outcome>,
): Promise<Outcome> {
  const now = clock.now();
  const outcome = await act({
    db,
    now,
    insertingEvent: (event, cause) => eventQueries(auditMac, now, actor, event, cause),
  });
  await afterCommit(() => totals.clear());
  return outcome;
}

/**
 * Runs `act` in a transaction that is rolled back, without events, to learn its outcome.
 * @throws as the change does
 */
export async function dryRun<Outcome>(
  { db, clock, settings, runReactions }: Pick<ChangeServices, 'db' | 'clock' | 'settings' | 'runReactions'>,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  const done: { outcome: Outcome }[] = [];
  const undo = new Error('The dry run is rolled back.');
  try {
    await db.transaction().execute(async (tx) => {
      const self: Change = {
        tx,
        now: clock.now(),
        today: clock.today(settings().system_timezone),
        actor,
        emit: () => Promise.resolve(),
        emitAll: () => Promise.resolve(),
        insertingEvent: () => sql`unrecorded as (select)`,
        invalidate: () => {},
        react: (name, subject) => runReactions(self, name, subject),
      };
      const outcome = await act(self);
      done.push({ outcome });
      throw undo;
    });
  } catch (error) {
    const [result] = done;
    if (error === undo && result) return result.outcome;
    throw error;
  }
  throw new Error('A dry run was not rolled back.');
}

async function insertEvent(tx: Tx, codes: AuditMac, now: string, actor: Actor, event: EventInput): Promise<void> {
  await sql`with ${eventQueries(codes, now, actor, event, sql`(select) once`)} select`.execute(tx);
}

/** Parts of a `with` clause that insert the event for the row of `cause`, or nothing where it has no row. */
function eventQueries(
  codes: AuditMac,
  now: string,
  actor: Actor,
  event: EventInput,
  cause: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { name, resource, customerId = null } = event;
  const { entry, oldText, newText } = entryOf(now, actor, event);
  const counterMac = codes.counterMac(resource.id);
  return sql`
    numbered as (
      insert into event_sequences (resource_id, last, mac)
      select ${resource.id}::uuid, 1, sha256(${counterMac}::bytea || int8send(1::bigint)) from ${cause}
      on conflict (resource_id) do update
        set last = event_sequences.last + 1, mac = sha256(${counterMac}::bytea || int8send(event_sequences.last + 1))
      returning last
    ), event as (
      insert into events (id, name, resource_type, resource_id, sequence, customer_id, payload, occurred_at)
      select ${newUuid()}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${customerId}::uuid, ${newText ?? '{}'}::jsonb, ${now}::timestamptz
      from numbered
    ), unsealed as (
      insert into audit_unsealed (entry_id) select ${entry.id}::uuid from numbered
    ), entry as (
      insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
      select ${entry.id}::uuid, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, ${customerId}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${oldText}::jsonb, ${newText}::jsonb, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, sha256(${codes.entryMac(entry)}::bytea || int8send(last))
      from numbered
    )
  `;
}

/** Inserts all events, in this order, of one or many resources, in two statements. */
async function insertEvents(
  tx: Tx,
  codes: AuditMac,
  now: string,
  actor: Actor,
  events: readonly EventInput[],
): Promise<void> {
  if (events.length === 0) return;
  const counts = new Map<Uuid, number>();
  const given = events.map((event) => {
    const { id } = event.resource;
    const turn = (counts.get(id) ?? 0) + 1;
    counts.set(id, turn);
    const made = entryOf(now, actor, event);
    return { ...event, ...made, id, turn, entryMac: codes.entryMac(made.entry) };
  });
  const ids = [...counts.keys()];
  const resources = sql`unnest(${ids}::uuid[], ${ids.map((id) => codes.counterMac(id))}::bytea[], ${[...counts.values()]}::bigint[])
    counter(resource_id, part, count)`;
  // An update whose condition is false only locks the row: all counters are locked in the order of their keys.
  await sql`
    insert into event_sequences (resource_id, last, mac) select resource_id, 0, part from ${resources} order by resource_id
    on conflict (resource_id) do update set last = event_sequences.last where false
  `.execute(tx);
  await sql`
    with given as (
      select * from unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(() => newUuid())}::uuid[],
        ${given.map(({ entry }) => entry.id)}::uuid[], ${given.map(({ name }) => name)}::text[],
        ${given.map(({ resource }) => resource.type)}::text[], ${given.map(({ entry }) => entry.customer_id)}::uuid[],
        ${given.map(({ oldText }) => oldText)}::jsonb[], ${given.map(({ newText }) => newText)}::jsonb[],
        ${given.map(({ entryMac }) => entryMac)}::bytea[], ${given.map(({ turn }) => turn)}::bigint[])
      given(resource_id, event_id, entry_id, name, resource_type, customer_id, old_values, new_values, entry_part, turn)
    ), counted as (
      update event_sequences set last = last + count, mac = sha256(counter.part || int8send(last + count))
      from ${resources}
      where event_sequences.resource_id = counter.resource_id
      returning event_sequences.resource_id, event_sequences.last - counter.count as before
    ), numbered as (
      select given.*, counted.before + given.turn as sequence from given join counted using (resource_id)
    ), event as (
      insert into events (id, name, resource_type, resource_id, sequence, customer_id, payload, occurred_at)
      select event_id, name, resource_type, resource_id, sequence, customer_id, coalesce(new_values, '{}'), ${now}::timestamptz
      from numbered
    ), unsealed as (
      insert into audit_unsealed (entry_id) select entry_id from given
    )
    insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
    select entry_id, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, customer_id, name, resource_type, resource_id, sequence, old_values, new_values, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, sha256(entry_part || int8send(sequence))
    from numbered
  `.execute(tx);
}

function entryOf(
  now: string,
  actor: Actor,
  { name, resource, customerId = null, before = null, after = null }: EventInput,
): { entry: AuditEntryContent; oldText: string | null; newText: string | null } {
  const differences = difference(resource.type, before, after);
  const [oldText, newText] = [json(differences.before), json(differences.after)];
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
    // As it will be read back from JSON.
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
