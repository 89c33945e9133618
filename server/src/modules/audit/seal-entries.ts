import type { Database } from '../../database/connect.ts';
import type { AuditMac, AuditHead } from '../../events/audit-mac.ts';
import type { Tx } from '../../events/change.ts';
import { type AuditEntryRow, hasLinksAfter, insertSeals, listUnsealed, lockHead, storeHead } from './store.ts';

/** The end of the chain is not the one that was stored: adding to it would cover the traces. */
export class HeadForged extends Error {}

/** So many entries per transaction: others wait for the head no longer than that. */
const batch = 500;

/**
 * Adds every entry that does not stand in the chain to its end, the oldest first. Any number of nodes may do so at once.
 * @returns how many it added. @throws HeadForged
 */
export async function sealEntries(db: Database, codes: AuditMac): Promise<number> {
  let total = 0;
  for (;;) {
    const added = await db.transaction().execute((tx) => sealBatch(tx, codes));
    total += added;
    if (added === 0) return total;
  }
}

async function sealBatch(tx: Tx, codes: AuditMac): Promise<number> {
  const head = await lockHead(tx);
  if (!head?.mac?.equals(codes.head(head)) || (await hasLinksAfter(tx, head.sequence))) {
    throw new HeadForged('The end of the audit log was tampered with: run `foyer audit verify`.');
  }
  const entries = await nextEntries(tx, head);
  if (entries.length === 0) return 0;
  const links = linksAfter(head, entries, codes);
  await insertSeals(tx, links);
  const last = links.at(-1);
  if (last) await storeHead(tx, { ...head, sequence: last.sequence, hash: last.hash }, codes);
  return entries.length;
}

/** Entries from before there were codes come first: only the first links may hold entries without one. */
async function nextEntries(tx: Tx, { sequence, entriesBefore }: AuditHead): Promise<AuditEntryRow[]> {
  const left = entriesBefore - sequence;
  const older = left > 0 ? await listUnsealed(tx, Math.min(batch, left), 'without a code') : [];
  return older.length > 0 ? older : await listUnsealed(tx, batch, 'all');
}

function linksAfter(head: AuditHead, entries: readonly AuditEntryRow[], codes: AuditMac) {
  let { sequence, hash } = head;
  return entries.map((entry) => {
    sequence += 1;
    hash = codes.link({ previousHash: hash, sequence, entry, entrySequence: entry.sequence, entryMac: entry.mac });
    return { sequence, entryId: entry.id, hash };
  });
}
