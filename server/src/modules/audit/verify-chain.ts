import { printIdentifier } from '../../platform/identity/identifier.ts';
import type { AuditEntryRow } from './store.ts';
import type { Inspection } from './inspection.ts';
import { findSequenceState, type LinkedEntry, readChain, readUnsealed } from './verify-store.ts';

/** Checks the MAC of every entry, every link and the head. @returns the number of entries */
export async function checkChain(inspection: Inspection): Promise<number> {
  const { tx, head, report } = inspection;
  const progress: ChainProgress = { last: 0, hashes: [Buffer.alloc(32)], isBroken: false, entries: 0, older: 0 };
  for await (const linked of readChain(tx)) await checkLink(inspection, progress, linked);
  checkHead(inspection, progress);
  for await (const entry of readUnsealed(tx)) {
    progress.entries += 1;
    const isValid = await checkEntry(inspection, progress, entry, null);
    if (isValid && !entry.queued) {
      report(printIdentifier('audit', entry.id), 'cut', 'the entry was removed from the chain');
    }
  }
  const missing = (head?.entriesBefore ?? 0) - progress.older;
  if (missing > 0) report('the log', 'removed', `${missing} entries from before MACs were introduced are missing`);
  return progress.entries;
}

interface ChainProgress {
  /** The number of the last link that was read; 0 before the first. */
  last: number;
  /** Valid previous hashes for the next link: the stored one, and if that was altered, the expected ones. */
  hashes: Buffer[];
  /** Whether the previous link is missing. */
  isBroken: boolean;
  /** The number of entries that were checked. */
  entries: number;
  /** Entries without a MAC, including missing ones whose link still exists. */
  older: number;
}

async function checkLink(inspection: Inspection, progress: ChainProgress, linked: LinkedEntry): Promise<void> {
  const { auditMac, report, head } = inspection;
  const { link, link_hash: hash, link_entry_id: entryId } = linked;
  if (link !== progress.last + 1) {
    const missingLinks = link === progress.last + 2 ? `link ${link - 1}` : `links ${progress.last + 1} to ${link - 1}`;
    report(missingLinks, 'removed', 'missing from the chain');
    progress.isBroken = true;
  }
  if (linked.id === null) {
    report(printIdentifier('audit', entryId), 'removed', `the entry of link ${link} was removed`);
    if (link <= (head?.entriesBefore ?? 0)) progress.older += 1;
    Object.assign(progress, { last: link, hashes: [hash], isBroken: false });
    return;
  }
  progress.entries += 1;
  const isValid = await checkEntry(inspection, progress, linked, link);
  const expected = progress.hashes.map((previousHash) =>
    auditMac.linkMac({
      previousHash,
      sequence: link,
      entry: linked,
      entrySequence: linked.sequence,
      entryMac: linked.mac,
    }),
  );
  const isLinkValid = progress.isBroken || expected.some((candidate) => candidate.equals(hash));
  if (isValid && !isLinkValid) {
    report(
      printIdentifier('audit', linked.id),
      linked.mac === null ? 'altered' : 'reordered',
      linked.mac === null
        ? `the entry does not match link ${link}`
        : `the entry does not belong at link ${link} of the chain, or the link was altered`,
    );
  }
  Object.assign(progress, { last: link, hashes: isLinkValid ? [hash] : [hash, ...expected], isBroken: false });
}

/** @returns whether the entry is unaltered */
async function checkEntry(
  inspection: Inspection,
  progress: ChainProgress,
  entry: AuditEntryRow,
  link: number | null,
): Promise<boolean> {
  const { auditMac, head, report } = inspection;
  const { sequence, mac } = entry;
  const id = printIdentifier('audit', entry.id);
  if (mac === null && sequence === null) {
    const entriesBefore = head?.entriesBefore ?? 0;
    const isOlder = link === null ? (head?.sequence ?? 0) < entriesBefore : link <= entriesBefore;
    if (isOlder) progress.older += 1;
    else report(id, 'forged', 'the entry has no MAC, although it was added after MACs were introduced');
    return isOlder;
  }
  if (mac !== null && sequence !== null && auditMac.entryMac(entry, sequence).equals(mac)) return true;
  const state = await findSequenceState(inspection.tx, entry);
  const realSequence = mac === null ? null : findRealSequence(inspection, entry, mac, state.last);
  if (realSequence !== null) {
    report(id, 'reordered', `the entry was moved from number ${realSequence} of its resource to number ${sequence}`);
  } else if (sequence === null || sequence > state.last || state.isTaken) {
    report(id, 'forged', 'the entry was not written by Foyer');
  } else {
    report(id, 'altered', 'the entry was altered');
  }
  return false;
}

const maxTriedSequences = 10_000;

/** The sequence number for which the MAC is valid; null if none up to `last` is. */
function findRealSequence({ auditMac }: Inspection, entry: AuditEntryRow, mac: Buffer, last: number): number | null {
  for (let number = 1; number <= Math.min(last, maxTriedSequences); number++) {
    if (auditMac.entryMac(entry, number).equals(mac)) return number;
  }
  return null;
}

function checkHead({ auditMac, head, report }: Inspection, { last, hashes }: ChainProgress): void {
  if (!head?.mac?.equals(auditMac.headMac(head))) {
    report(
      'the head',
      head ? 'forged' : 'removed',
      'the head does not match its MAC; no entries are sealed until this is fixed',
    );
    return;
  }
  if (last < head.sequence) {
    report('the chain', 'cut', `it ends at link ${last} instead of ${head.sequence}`);
  } else if (last > head.sequence) {
    report('the chain', 'forged', `it has ${last} links, but Foyer wrote ${head.sequence}`);
  } else if (!hashes[0]?.equals(head.hash)) {
    report(`link ${last}`, 'altered', 'the last link does not match the head');
  }
}
