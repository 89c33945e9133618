import type { Database } from '../../database/connect.ts';
import type { AuditMac, AuditHead } from '../../events/audit-mac.ts';
import type { Tx } from '../../events/change.ts';
import { type AuditEntryRow, hasLinksAfter, insertSeals, listUnsealed, lockHead, storeHead } from './store.ts';
import { inBatches } from '../../platform/in-batches.ts';

/** The head does not match its MAC or the chain. Adding entries would hide the tampering. */
export class ChainHeadInvalid extends Error {}

/** Entries per transaction, which limits how long the lock on the head is held. */
const batchSize = 500;

/**
 * Adds all queued entries to the chain, oldest first. Safe to run on several nodes at once.
 * @returns the number of entries added
 * @throws ChainHeadInvalid
 */
export async function sealEntries(db: Database, auditMac: AuditMac): Promise<number> {
  // Repeats until a batch is empty: a batch can be short although entries remain, since those without a MAC come first.
  return await inBatches(1, () => db.transaction().execute((tx) => sealBatch(tx, auditMac)));
}

async function sealBatch(tx: Tx, auditMac: AuditMac): Promise<number> {
  const head = await lockHead(tx);
  if (!head?.mac?.equals(auditMac.headMac(head)) || (await hasLinksAfter(tx, head.sequence))) {
    throw new ChainHeadInvalid('The end of the audit log was tampered with: run `foyer audit verify`.');
  }
  const entries = await listNextEntries(tx, head);
  if (entries.length === 0) return 0;
  const links = createLinks(head, entries, auditMac);
  await insertSeals(tx, links);
  const last = links.at(-1);
  if (last) await storeHead(tx, { ...head, sequence: last.sequence, hash: last.hash }, auditMac);
  return entries.length;
}

/** Entries without a MAC are added first, because only the first `entriesBefore` links may refer to them. */
async function listNextEntries(tx: Tx, { sequence, entriesBefore }: AuditHead): Promise<AuditEntryRow[]> {
  const remaining = entriesBefore - sequence;
  const withoutMac = remaining > 0 ? await listUnsealed(tx, Math.min(batchSize, remaining), 'without MAC') : [];
  return withoutMac.length > 0 ? withoutMac : await listUnsealed(tx, batchSize, 'all');
}

function createLinks(head: AuditHead, entries: readonly AuditEntryRow[], auditMac: AuditMac) {
  let { sequence, hash } = head;
  return entries.map((entry) => {
    sequence += 1;
    hash = auditMac.linkMac({
      previousHash: hash,
      sequence,
      entry,
      entrySequence: entry.sequence,
      entryMac: entry.mac,
    });
    return { sequence, entryId: entry.id, hash };
  });
}
