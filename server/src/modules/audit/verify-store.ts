import { type RawBuilder, sql } from 'kysely';
import type { AuditEntryRow } from './store.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

/** A link with its entry, or with `id` null if the entry is missing. */
export type LinkedEntry = { link: number; link_entry_id: Uuid; link_hash: Buffer } & (AuditEntryRow | { id: null });

/** The whole chain in order, including links whose entry is missing. */
export function readChain(tx: Tx): AsyncGenerator<LinkedEntry> {
  return readAll(
    tx,
    'audit_chain',
    sql`
    select link.sequence as link, link.entry_id as link_entry_id, link.hash as link_hash, entry.*
    from audit_seals link left join audit_entries entry on entry.id = link.entry_id
    order by link.sequence`,
  );
}

/** Entries without a link, and whether they are still in the queue. */
export function readUnsealed(tx: Tx): AsyncGenerator<AuditEntryRow & { queued: boolean }> {
  return readAll(
    tx,
    'audit_unlinked',
    sql`
    select entry.*, queue.entry_id is not null as queued
    from audit_entries entry left join audit_unsealed queue on queue.entry_id = entry.id
    where not exists (select from audit_seals link where link.entry_id = entry.id)
    order by entry.id`,
  );
}

/** Queued entries that are missing. */
export function readLostUnsealed(tx: Tx): AsyncGenerator<{ entry_id: Uuid }> {
  return readAll(
    tx,
    'audit_lost',
    sql`
    select entry_id from audit_unsealed
    where not exists (select from audit_entries entry where entry.id = entry_id)
      and not exists (select from audit_seals link where link.entry_id = audit_unsealed.entry_id)
    order by entry_id`,
  );
}

/** The counter of a resource compared with its entries. */
export interface SequenceSummary {
  readonly resource_id: Uuid;
  readonly resource_type: string | null;
  /** The sequence number of the last change; null if the counter is missing. */
  readonly last: number | null;
  readonly mac: Buffer | null;
  readonly entries: number;
  /** Entries from before MACs were introduced; they have no sequence number. */
  readonly older: number;
  /** The lowest and highest sequence number, and the sum of all. */
  readonly lowest: number | null;
  readonly highest: number | null;
  readonly sum: number;
}

export function readSequences(tx: Tx): AsyncGenerator<SequenceSummary> {
  return readAll(
    tx,
    'audit_numbers',
    sql`
    select coalesce(counter.resource_id, summary.resource_id) as resource_id, resource_type, last, mac,
      coalesce(entries, 0) as entries, coalesce(older, 0) as older, lowest, highest, coalesce(sequence_sum, 0) as sum
    from event_sequences counter full join (
      select resource_id, max(resource_type) as resource_type, count(*) as entries, count(*) filter (where sequence is null) as older,
        min(sequence) as lowest, max(sequence) as highest, sum(sequence)::bigint as sequence_sum
      from audit_entries where resource_id is not null group by resource_id
    ) summary on summary.resource_id = counter.resource_id`,
  );
}

/** Sequence numbers that no entry of the resource has, in ascending order. */
export async function listMissingSequences(tx: Tx, { resource_id, older, last }: SequenceSummary, limit: number) {
  const { rows } = await sql<{ number: number }>`
    select number from generate_series(${older + 1}::bigint, ${last}::bigint) number
    where not exists (select from audit_entries where resource_id = ${resource_id}::uuid and sequence = number)
    order by number limit ${limit}`.execute(tx);
  return rows.map(({ number }) => number);
}

/** The type of a resource without entries, from its events. */
export async function findResourceType(tx: Tx, id: Uuid): Promise<string | null> {
  const row = await tx.selectFrom('events').select('resource_type').where('resource_id', '=', id).executeTakeFirst();
  return row?.resource_type ?? null;
}

/** The last sequence number of the entry's resource, and whether another entry has the same number. */
export async function findSequenceState(tx: Tx, entry: AuditEntryRow): Promise<{ last: number; isTaken: boolean }> {
  const { rows } = await sql<{ last: number | null; taken: boolean }>`
    select (select last from event_sequences where resource_id = ${entry.resource_id}::uuid) as last,
      exists (
        select from audit_entries
        where resource_id = ${entry.resource_id}::uuid and sequence = ${entry.sequence}::bigint and id <> ${entry.id}::uuid
      ) as taken`.execute(tx);
  return { last: rows[0]?.last ?? 0, isTaken: rows[0]?.taken ?? false };
}

export async function findLink(tx: Tx, sequence: number): Promise<Buffer | null> {
  const row = await tx.selectFrom('audit_seals').select('hash').where('sequence', '=', sequence).executeTakeFirst();
  return row?.hash ?? null;
}

const batchSize = 500;

/** Reads in batches through a cursor, so memory use is constant and other statements can run in between. */
async function* readAll<Row>(tx: Tx, name: string, statement: RawBuilder<unknown>): AsyncGenerator<Row> {
  const cursor = sql.raw(name);
  await sql`declare ${cursor} no scroll cursor for ${statement}`.execute(tx);
  for (;;) {
    const { rows } = await sql<Row>`fetch ${sql.raw(String(batchSize))} from ${cursor}`.execute(tx);
    yield* rows;
    if (rows.length < batchSize) break;
  }
  await sql`close ${cursor}`.execute(tx);
}
