import { type Transaction, sql } from 'kysely';
import type { Database } from '../database/connect.ts';
import type { Bulletin, Topic } from '../database/bulletin.ts';
import type { DB } from '../database/tables.ts';
import type { CalendarDate } from '../platform/calendar-date.ts';
import type { Clock } from '../platform/clock.ts';
import { secretMask } from '@foyer/contract/provider-types.ts';
import type { Actor } from '../platform/http/call.ts';
import { newUuid, type Uuid } from '../platform/identifier.ts';
import type { TotalCache } from '../platform/list-query/total-cache.ts';
import type { Settings } from '../platform/settings.ts';
import type { EventName } from './event-names.ts';

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
  /** After the commit, every process drops what it remembers of the topic, before this change answers. */
  announce(topic: Topic): void;
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
  const outcome = await services.db.transaction().execute(async (tx) => {
    const now = services.clock.now();
    const result = await act({
      tx,
      now,
      today: services.clock.today(services.settings().system_timezone),
      actor,
      emit: (happening) => record(tx, now, actor, happening),
      announce: (topic) => topics.add(topic),
    });
    for (const topic of topics) await services.bulletin.publish(tx, topic);
    return result;
  });
  services.totals.clear();
  if (topics.size > 0) await services.bulletin.delivered([...topics]);
  return outcome;
}

async function record(tx: Tx, now: string, actor: Actor, happening: Happening): Promise<void> {
  const { resource } = happening;
  const customerId = happening.customerId ?? null;
  const differences = difference(happening.before ?? null, happening.after ?? null);
  await sql`
    with numbered as (
      insert into event_sequences (resource_id, last) values (${resource.id}, 1)
      on conflict (resource_id) do update set last = event_sequences.last + 1
      returning last
    ), event as (
      insert into events (id, name, resource_type, resource_id, sequence, customer_id, payload, occurred_at)
      select ${newUuid()}, ${happening.name}, ${resource.type}, ${resource.id}::uuid, last, ${customerId}::uuid, ${JSON.stringify(differences.after ?? {})}::jsonb, ${now}::timestamptz
      from numbered
    )
    insert into audit_entries (id, actor_type, actor_id, actor_name, action, resource_type, resource_id, customer_id, old_values, new_values, request_id, address, occurred_at)
    values (${newUuid()}, ${actor.type}, ${actor.id}, ${actor.name}, ${happening.name}, ${resource.type}, ${resource.id}, ${customerId}, ${json(differences.before)}, ${json(differences.after)}, ${actor.requestId}, ${actor.address}, ${now})
  `.execute(tx);
}

function json(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

const secretColumns = new Set(['password_hash', 'secret_hash', 'token_hash', 'token_sealed']);
const ownColumns = new Set(['id', 'created_at', 'updated_at']);

/** What differs between two rows; of a new or a removed row, everything. */
export function difference(
  before: object | null,
  after: object | null,
): { before: Record<string, unknown> | null; after: Record<string, unknown> | null } {
  if (!before || !after) return { before: before && masked(before), after: after && masked(after) };
  const older = masked(before);
  const newer = masked(after);
  const names = new Set([...Object.keys(older), ...Object.keys(newer)]);
  const changed = [...names].filter((name) => {
    const [from, to] = [(before as Record<string, unknown>)[name], (after as Record<string, unknown>)[name]];
    return !ownColumns.has(name) && JSON.stringify(from) !== JSON.stringify(to);
  });
  return {
    before: Object.fromEntries(changed.map((name) => [name, older[name] ?? null])),
    after: Object.fromEntries(changed.map((name) => [name, newer[name] ?? null])),
  };
}

function masked(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, secretColumns.has(name) && value !== null ? secretMask : value]),
  );
}
