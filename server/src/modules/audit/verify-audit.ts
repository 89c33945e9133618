import type { Database } from '../../database/connect.ts';
import type { AuditMac } from '../../events/audit-mac.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { checkChain } from './verify-chain.ts';
import { checkSequences } from './verify-sequences.ts';
import { ChainHeadInvalid, sealEntries } from './seal-entries.ts';
import type { Inspection, Tampering } from './inspection.ts';
import { readHead } from './store.ts';
import { findLink, readLostUnsealed } from './verify-store.ts';

/** `subject` is the id of the entry if it is known. */
export interface Finding {
  readonly subject: string;
  readonly tampering: Tampering;
  readonly text: string;
}

export interface Verdict {
  /** The number of entries that were checked. */
  readonly entries: number;
  readonly findings: number;
  /** The end of the chain as `sequence:hash`. Store it outside the database to detect a rollback later. */
  readonly head: string;
}

/**
 * Checks every entry, the chain and its head in one snapshot, without blocking writers.
 * @param since a head printed by an earlier run, which must still be in the chain
 */
export async function verifyAudit(
  { db, auditMac }: { readonly db: Database; readonly auditMac: AuditMac },
  onFinding: (finding: Finding) => void,
  since: HeadReference | null = null,
): Promise<Verdict> {
  await sealPendingEntries(db, auditMac);
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      let findings = 0;
      const head = await readHead(tx);
      const inspection: Inspection = {
        tx,
        auditMac,
        head,
        report(subject, tampering, text) {
          findings += 1;
          onFinding({ subject, tampering, text });
        },
      };
      const entries = await checkChain(inspection);
      for await (const { entry_id: id } of readLostUnsealed(tx)) {
        inspection.report(printIdentifier('audit', id), 'removed', 'the entry was removed before it was sealed');
      }
      await checkSequences(inspection);
      if (since) await checkStoredHead(inspection, since);
      return { entries, findings, head: printHead(head) };
    });
}

export interface HeadReference {
  readonly sequence: number;
  readonly hash: Buffer;
}

/** Parses `sequence:hash`; null for any other text. */
export function parseHead(text: string): HeadReference | null {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  return sequence === undefined || hash === undefined
    ? null
    : { sequence: Number(sequence), hash: Buffer.from(hash, 'hex') };
}

function printHead(head: HeadReference | null): string {
  return head ? `${head.sequence}:${head.hash.toString('hex')}` : 'none';
}

/** An invalid head is not extended; `checkChain` reports it. */
async function sealPendingEntries(db: Database, auditMac: AuditMac): Promise<void> {
  try {
    await sealEntries(db, auditMac);
  } catch (error) {
    if (!(error instanceof ChainHeadInvalid)) throw error;
  }
}

async function checkStoredHead({ tx, report }: Inspection, since: HeadReference): Promise<void> {
  const hash = since.sequence === 0 ? Buffer.alloc(32) : await findLink(tx, since.sequence);
  if (hash === null) {
    report(`link ${since.sequence}`, 'cut', 'the chain ends before the head given with --since');
  } else if (!hash.equals(since.hash)) {
    report(`link ${since.sequence}`, 'forged', 'the chain does not contain the head given with --since');
  }
}
