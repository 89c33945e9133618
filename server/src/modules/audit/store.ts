import { type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowOrNotFound, isTrue } from '../../database/row-store.ts';
import type { AuditEntries } from '../../database/tables.ts';
import type { AuditMac, AuditHead } from '../../events/audit-mac.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

export type AuditEntryRow = Selectable<AuditEntries>;
export type PrintedEntryRow = AuditEntryRow & { sealed: boolean };

export async function findSealedKey(db: Database): Promise<string | null> {
  const row = await db.selectFrom('audit_keys').select('sealed').executeTakeFirst();
  return row?.sealed ?? null;
}

/** Does nothing if a key exists. Also computes the first MAC of the head. */
export async function insertKey(tx: Tx, sealed: string, auditMac: AuditMac): Promise<void> {
  const inserted = await tx
    .insertInto('audit_keys')
    .values({ sealed, created_at: sql`clock_timestamp()` })
    .onConflict((conflict) => conflict.doNothing())
    .returning('only_one')
    .executeTakeFirst();
  if (!inserted) return;
  const head = await lockHead(tx);
  if (head) await storeHead(tx, head, auditMac);
}

export async function replaceSealedKey(db: Database, from: string, to: string): Promise<void> {
  await db.updateTable('audit_keys').set({ sealed: to }).where('sealed', '=', from).execute();
}

export interface StoredHead extends AuditHead {
  readonly mac: Buffer | null;
}

/** Locks the head, so that one transaction at a time adds to the chain. */
export async function lockHead(tx: Tx): Promise<StoredHead | null> {
  return await readHeadRow(tx.selectFrom('audit_heads').selectAll().forUpdate().executeTakeFirst());
}

export async function readHead(db: Database | Tx): Promise<StoredHead | null> {
  return await readHeadRow(db.selectFrom('audit_heads').selectAll().executeTakeFirst());
}

async function readHeadRow(
  query: Promise<{ sequence: number; hash: Buffer; entries_before: number; mac: Buffer | null } | undefined>,
): Promise<StoredHead | null> {
  const row = await query;
  return row ? { sequence: row.sequence, hash: row.hash, entriesBefore: row.entries_before, mac: row.mac } : null;
}

export async function storeHead(tx: Tx, head: AuditHead, auditMac: AuditMac): Promise<void> {
  await tx
    .updateTable('audit_heads')
    .set({ sequence: head.sequence, hash: head.hash, mac: auditMac.headMac(head) })
    .execute();
}

export async function hasLinksAfter(tx: Tx, sequence: number): Promise<boolean> {
  return await isTrue(tx, sql`exists(select from audit_seals where sequence > ${sequence})`);
}

/** The oldest queued entries. */
export async function listUnsealed(tx: Tx, limit: number, filter: 'all' | 'without MAC'): Promise<AuditEntryRow[]> {
  return await tx
    .selectFrom('audit_unsealed')
    .innerJoin('audit_entries', 'audit_entries.id', 'audit_unsealed.entry_id')
    .selectAll('audit_entries')
    .where(sql<boolean>`not exists (select from audit_seals link where link.entry_id = audit_entries.id)`)
    .$if(filter === 'without MAC', (query) => query.where('audit_entries.mac', 'is', null))
    .orderBy('audit_unsealed.entry_id')
    .limit(limit)
    .execute();
}

export async function insertSeals(
  tx: Tx,
  seals: readonly { readonly sequence: number; readonly entryId: Uuid; readonly hash: Buffer }[],
): Promise<void> {
  const entryIds = seals.map(({ entryId }) => entryId);
  await sql`
    insert into audit_seals (sequence, entry_id, hash)
    select * from unnest(${seals.map(({ sequence }) => sequence)}::bigint[], ${entryIds}::uuid[], ${seals.map(({ hash }) => hash)}::bytea[])
  `.execute(tx);
  await sql`delete from audit_unsealed where entry_id = any(${entryIds}::uuid[])`.execute(tx);
}

/** @throws 404 */
export async function requireEntry(db: Database, id: Uuid): Promise<PrintedEntryRow> {
  const row = await db
    .selectFrom('audit_entries')
    .leftJoin('audit_seals', 'audit_seals.entry_id', 'audit_entries.id')
    .selectAll('audit_entries')
    .select(sql<boolean>`audit_seals.entry_id is not null`.as('sealed'))
    .where('audit_entries.id', '=', id)
    .executeTakeFirst();
  return rowOrNotFound(row, 'audit entry');
}
