import { printIdentifier } from '../../platform/identity/identifier.ts';
import type { AuditEntryRow } from './store.ts';
import type { Inspection } from './inspection.ts';
import { findPlaceOf, type LinkedEntry, readChain, readUnsealed } from './verify-store.ts';

/** Checks every entry against its code, every link against the one before, and the end. @returns how many entries. */
export async function checkChain(inspection: Inspection): Promise<number> {
  const { tx, head, find } = inspection;
  const walk: Walk = { last: 0, hashes: [Buffer.alloc(32)], isBroken: false, entries: 0, older: 0 };
  for await (const linked of readChain(tx)) await checkLink(inspection, walk, linked);
  checkHead(inspection, walk);
  for await (const entry of readUnsealed(tx)) {
    walk.entries += 1;
    const isSound = await checkEntry(inspection, walk, entry, null);
    if (isSound && !entry.waits) {
      find(printIdentifier('audit', entry.id), 'cut', 'the entry was taken out of the chain');
    }
  }
  const lost = (head?.entriesBefore ?? 0) - walk.older;
  if (lost > 0) find('the log', 'removed', `${lost} of the entries that are older than the codes are gone`);
  return walk.entries;
}

/** How far the chain was read. */
interface Walk {
  last: number;
  /** What the next link may build on: the hash as it is stored, and as it would be without tampering. */
  hashes: Buffer[];
  /** The link before is missing or holds nothing that can be checked. */
  isBroken: boolean;
  entries: number;
  /** Entries from before there were codes, also those whose link alone is left. */
  older: number;
}

async function checkLink(inspection: Inspection, walk: Walk, linked: LinkedEntry): Promise<void> {
  const { codes, find, head } = inspection;
  const { link, link_hash: hash, link_entry_id: entryId } = linked;
  if (link !== walk.last + 1) {
    const missing = link === walk.last + 2 ? `link ${link - 1}` : `links ${walk.last + 1} to ${link - 1}`;
    find(missing, 'removed', 'missing in the chain');
    walk.isBroken = true;
  }
  if (linked.id === null) {
    find(printIdentifier('audit', entryId), 'removed', `the entry of link ${link} was removed`);
    if (link <= (head?.entriesBefore ?? 0)) walk.older += 1;
    Object.assign(walk, { last: link, hashes: [hash], isBroken: false });
    return;
  }
  walk.entries += 1;
  const isSound = await checkEntry(inspection, walk, linked, link);
  const expected = walk.hashes.map((previousHash) =>
    codes.link({ previousHash, sequence: link, entry: linked, entrySequence: linked.sequence, entryMac: linked.mac }),
  );
  const isInPlace = walk.isBroken || expected.some((each) => each.equals(hash));
  if (isSound && !isInPlace) {
    find(
      printIdentifier('audit', linked.id),
      linked.mac === null ? 'altered' : 'reordered',
      linked.mac === null
        ? `the entry is not what link ${link} was made of`
        : `the entry does not belong at link ${link} of the chain, or the link was altered`,
    );
  }
  Object.assign(walk, { last: link, hashes: isInPlace ? [hash] : [hash, ...expected], isBroken: false });
}

/** @returns whether the entry itself is what was written. */
async function checkEntry(
  inspection: Inspection,
  walk: Walk,
  entry: AuditEntryRow,
  link: number | null,
): Promise<boolean> {
  const { codes, head, find } = inspection;
  const { sequence, mac } = entry;
  const id = printIdentifier('audit', entry.id);
  if (mac === null && sequence === null) {
    const before = head?.entriesBefore ?? 0;
    const isOlder = link === null ? (head?.sequence ?? 0) < before : link <= before;
    if (isOlder) walk.older += 1;
    else find(id, 'forged', 'the entry has no code, though there were codes already');
    return isOlder;
  }
  if (mac !== null && sequence !== null && codes.entry(entry, sequence).equals(mac)) return true;
  const place = await findPlaceOf(inspection.tx, entry);
  const number = mac === null ? null : trueNumber(inspection, entry, mac, place.last);
  if (number !== null) {
    find(id, 'reordered', `the entry is number ${number} of its resource, and stands as number ${sequence}`);
  } else if (sequence === null || sequence > place.last || place.isTaken) {
    find(id, 'forged', 'the entry was not written by Foyer, and takes a number that is none of its own');
  } else {
    find(id, 'altered', 'the entry is not what was written');
  }
  return false;
}

/** So many numbers are tried. */
const mostTried = 10_000;

/** The number with which the code is right. */
function trueNumber({ codes }: Inspection, entry: AuditEntryRow, mac: Buffer, last: number): number | null {
  for (let number = 1; number <= Math.min(last, mostTried); number++) {
    if (codes.entry(entry, number).equals(mac)) return number;
  }
  return null;
}

function checkHead({ codes, head, find }: Inspection, { last, hashes }: Walk): void {
  if (!head?.mac?.equals(codes.head(head))) {
    find(
      'the head',
      head ? 'forged' : 'removed',
      'the end of the chain was tampered with; nothing is sealed until that is mended',
    );
    return;
  }
  if (last < head.sequence) {
    find('the chain', 'cut', `it ends at link ${last}, and had ${head.sequence}`);
  } else if (last > head.sequence) {
    find('the chain', 'forged', `it has ${last} links, of which Foyer made ${head.sequence}`);
  } else if (!hashes[0]?.equals(head.hash)) {
    find(`link ${last}`, 'altered', 'the last link is not the one that was made');
  }
}
