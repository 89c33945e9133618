import type { Database } from '../../database/connect.ts';
import type { AuditMac } from '../../events/audit-mac.ts';
import { printIdentifier } from '../../platform/identity/identifier.ts';
import { checkChain } from './verify-chain.ts';
import { checkNumbers } from './verify-numbers.ts';
import { HeadForged, sealEntries } from './seal-entries.ts';
import { readHead } from './store.ts';
import type { Inspection, Tampering } from './inspection.ts';
import { findLink, readLostUnsealed } from './verify-store.ts';

/** One sign of tampering; `subject` is the id of the entry wherever it is known. */
export interface Finding {
  readonly subject: string;
  readonly tampering: Tampering;
  readonly text: string;
}

export interface Verdict {
  /** How many entries there are. */
  readonly entries: number;
  readonly findings: number;
  /** The end of the chain as `sequence:hash`, to be noted where nobody who writes into the database can. */
  readonly head: string;
}

/**
 * Checks every entry, the chain and its end, in one snapshot and in flat memory, while others go on writing.
 * @param since a head that was noted before, `sequence:hash`: it must still be in the chain.
 */
export async function verifyAudit(
  { db, auditMac: codes }: { readonly db: Database; readonly auditMac: AuditMac },
  tell: (finding: Finding) => void,
  since: NotedHead | null = null,
): Promise<Verdict> {
  await sealWhatWaits(db, codes);
  return await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (tx) => {
      let findings = 0;
      const head = await readHead(tx);
      const inspection: Inspection = {
        tx,
        codes,
        head,
        find(subject, tampering, text) {
          findings += 1;
          tell({ subject, tampering, text });
        },
      };
      const entries = await checkChain(inspection);
      for await (const { entry_id: id } of readLostUnsealed(tx)) {
        inspection.find(printIdentifier('audit', id), 'removed', 'the entry was removed before it was sealed');
      }
      await checkNumbers(inspection);
      if (since) await checkNoted(inspection, since);
      return { entries, findings, head: printHead(head) };
    });
}

export interface NotedHead {
  readonly sequence: number;
  readonly hash: Buffer;
}

/** Reads `sequence:hash`; null when it is none. */
export function parseHead(text: string): NotedHead | null {
  const [, sequence, hash] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? [];
  return sequence === undefined || hash === undefined
    ? null
    : { sequence: Number(sequence), hash: Buffer.from(hash, 'hex') };
}

function printHead(head: NotedHead | null): string {
  return head ? `${head.sequence}:${head.hash.toString('hex')}` : 'none';
}

/** An end that was tampered with is found by the inspection; nothing is added to it. */
async function sealWhatWaits(db: Database, codes: AuditMac): Promise<void> {
  try {
    await sealEntries(db, codes);
  } catch (error) {
    if (!(error instanceof HeadForged)) throw error;
  }
}

async function checkNoted({ tx, find }: Inspection, noted: NotedHead): Promise<void> {
  const hash = noted.sequence === 0 ? Buffer.alloc(32) : await findLink(tx, noted.sequence);
  if (hash === null) {
    find(`link ${noted.sequence}`, 'cut', 'the chain does not reach the head that was noted');
  } else if (!hash.equals(noted.hash)) {
    find(`link ${noted.sequence}`, 'forged', 'the chain is not the one whose head was noted');
  }
}
