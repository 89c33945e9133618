import { type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { Bulletin, News, Topic } from '../database/bulletin.ts';
import { afterCommit } from '../database/one-transaction.ts';
import type { DB } from '../database/tables.ts';
import type { CalendarDate } from '../platform/calendar-date.ts';
import type { Clock } from '../platform/clock.ts';
import type { Actor } from '../platform/http/call.ts';
import { newUuid, type Uuid } from '../platform/identifier.ts';
import type { TotalCache } from '../platform/list-query/total-cache.ts';
import type { Settings } from '../platform/settings.ts';
import type { AuditCodes, AuditContent } from './audit-codes.ts';
import type { EventName } from './event-names.ts';
import { difference } from './masked-values.ts';
import type { ReactionName, ReactionSubjects, RunReactions } from './reactions.ts';

export type Tx = Transaction<DB>;

/** A transaction under way: what it writes, its events and its audit entries are one. */
export interface Change {
  readonly tx: Tx;
  /** The instant of everything that this change writes. */
  readonly now: string;
  /** The calendar day of the system's time zone. */
  readonly today: CalendarDate;
  readonly actor: Actor;
  /** Records what happened to a resource: one event, numbered without gaps per resource, and one audit entry. */
  emit(happening: Happening): Promise<void>;
  /** The same for all that happened, in this order, to one resource or to many: in two statements. */
  emitAll(happenings: readonly Happening[]): Promise<void>;
  /** The parts of a `with` clause that record the happening if `cause`, one of its queries, has a row. */
  recorded(happening: Happening, cause: RawBuilder<unknown>): RawBuilder<unknown>;
  /** After the commit, every process drops what it remembers of the topic, before this change answers. */
  announce(topic: Topic): void;
  /** Runs the reactions of later modules in this transaction. */
  react<Name extends ReactionName>(name: Name, subject: ReactionSubjects[Name]): Promise<void>;
}

export interface Happening {
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
  readonly bulletin: Bulletin;
  readonly settings: () => Settings;
  readonly auditCodes: AuditCodes;
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

/** Runs a change of state in one transaction; nothing of it is seen unless all of it commits. */
export async function change<Outcome>(
  services: ChangeServices,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  const topics = new Set<Topic>();
  let news: News | null = null;
  const outcome = await services.db.transaction().execute(async (tx) => {
    const now = services.clock.now();
    const self: Change = {
      tx,
      now,
      today: services.clock.today(services.settings().system_timezone),
      actor,
      emit: (happening) => record(tx, services.auditCodes, now, actor, happening),
      emitAll: (happenings) => recordAll(tx, services.auditCodes, now, actor, happenings),
      recorded: (happening, cause) => recorded(services.auditCodes, now, actor, happening, cause),
      announce: (topic) => topics.add(topic),
      react: (name, subject) => services.runReactions(self, name, subject),
    };
    const result = await act(self);
    if (topics.size > 0) news = await services.bulletin.publish(tx, [...topics]);
    return result;
  });
  await afterCommit(async () => {
    services.totals.clear();
    if (news) await services.bulletin.delivered(news);
  });
  return outcome;
}

/** A part of a change of which nothing remains where it fails, while the change goes on. @throws what it threw */
export async function partOf<Outcome>({ tx }: Pick<Change, 'tx'>, act: () => Promise<Outcome>): Promise<Outcome> {
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

/** A change that is one statement, and so a transaction by itself. */
export interface ChangeAtOnce {
  readonly db: Database;
  /** The instant of everything that this change writes. */
  readonly now: string;
  /** The parts of a `with` clause that record the happening if `cause`, one of its queries, has a row. */
  recorded(happening: Happening, cause: RawBuilder<unknown>): RawBuilder<unknown>;
}

/** Runs a change of state that one statement makes: the same promise as `change`, in one round trip. */
export async function changeAtOnce<Outcome>(
  { db, clock, totals, auditCodes }: ChangeServices,
  actor: Actor,
  act: (change: ChangeAtOnce) => Promise<Outcome>,
): Promise<Outcome> {
  const now = clock.now();
  const outcome = await act({
    db,
    now,
    recorded: (happening, cause) => recorded(auditCodes, now, actor, happening, cause),
  });
  await afterCommit(() => totals.clear());
  return outcome;
}

/**
 * What `act` would come to as a change of now: it runs in a transaction that is rolled back, and nobody is told.
 * @throws as the change does
 */
export async function rehearse<Outcome>(
  { db, clock, settings, runReactions }: Pick<ChangeServices, 'db' | 'clock' | 'settings' | 'runReactions'>,
  actor: Actor,
  act: (change: Change) => Promise<Outcome>,
): Promise<Outcome> {
  const done: { outcome: Outcome }[] = [];
  const undo = new Error('The rehearsal is over.');
  try {
    await db.transaction().execute(async (tx) => {
      const self: Change = {
        tx,
        now: clock.now(),
        today: clock.today(settings().system_timezone),
        actor,
        emit: () => Promise.resolve(),
        emitAll: () => Promise.resolve(),
        recorded: () => sql`unrecorded as (select)`,
        announce: () => {},
        react: (name, subject) => runReactions(self, name, subject),
      };
      const outcome = await act(self);
      done.push({ outcome });
      throw undo;
    });
  } catch (error) {
    const [rehearsed] = done;
    if (error === undo && rehearsed) return rehearsed.outcome;
    throw error;
  }
  throw new Error('A rehearsal was not undone.');
}

async function record(tx: Tx, codes: AuditCodes, now: string, actor: Actor, happening: Happening): Promise<void> {
  await sql`with ${recorded(codes, now, actor, happening, sql`(select) once`)} select`.execute(tx);
}

/** The parts of a `with` clause that record the happening for the row of `cause`; where that has none, nothing. */
function recorded(
  codes: AuditCodes,
  now: string,
  actor: Actor,
  happening: Happening,
  cause: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { name, resource, customerId = null } = happening;
  const { entry, oldText, newText } = entryOf(now, actor, happening);
  const counterPart = codes.counterPart(resource.id);
  return sql`
    numbered as (
      insert into event_sequences (resource_id, last, mac)
      select ${resource.id}::uuid, 1, sha256(${counterPart}::bytea || int8send(1::bigint)) from ${cause}
      on conflict (resource_id) do update
        set last = event_sequences.last + 1, mac = sha256(${counterPart}::bytea || int8send(event_sequences.last + 1))
      returning last
    ), event as (
      insert into events (id, name, resource_type, resource_id, sequence, customer_id, payload, occurred_at)
      select ${newUuid()}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${customerId}::uuid, ${newText ?? '{}'}::jsonb, ${now}::timestamptz
      from numbered
    ), unsealed as (
      insert into audit_unsealed (entry_id) select ${entry.id}::uuid from numbered
    ), entry as (
      insert into audit_entries (id, actor_type, actor_id, actor_name, client_id, client_name, customer_id, action, resource_type, resource_id, sequence, old_values, new_values, request_id, address, occurred_at, mac)
      select ${entry.id}::uuid, ${actor.type}, ${actor.id}::uuid, ${actor.name}, ${actor.clientId}::uuid, ${actor.clientName}, ${customerId}::uuid, ${name}, ${resource.type}, ${resource.id}::uuid, last, ${oldText}::jsonb, ${newText}::jsonb, ${actor.requestId}, ${actor.address}, ${now}::timestamptz, sha256(${codes.entryPart(entry)}::bytea || int8send(last))
      from numbered
    )
  `;
}

/** All that happened, in this order, in two statements, whatever it is that it happened to. */
async function recordAll(
  tx: Tx,
  codes: AuditCodes,
  now: string,
  actor: Actor,
  happenings: readonly Happening[],
): Promise<void> {
  if (happenings.length === 0) return;
  const counts = new Map<Uuid, number>();
  const given = happenings.map((happening) => {
    const { id } = happening.resource;
    const turn = (counts.get(id) ?? 0) + 1;
    counts.set(id, turn);
    const made = entryOf(now, actor, happening);
    return { ...happening, ...made, id, turn, entryPart: codes.entryPart(made.entry) };
  });
  const ids = [...counts.keys()];
  const resources = sql`unnest(${ids}::uuid[], ${ids.map((id) => codes.counterPart(id))}::bytea[], ${[...counts.values()]}::bigint[])
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
        ${given.map(({ entryPart }) => entryPart)}::bytea[], ${given.map(({ turn }) => turn)}::bigint[])
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
  { name, resource, customerId = null, before = null, after = null }: Happening,
): { entry: AuditContent; oldText: string | null; newText: string | null } {
  const differences = difference(resource.type, before, after);
  const [oldText, newText] = [json(differences.before), json(differences.after)];
  const entry: AuditContent = {
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
    // As it will be read back: what JSON does not know is gone.
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
