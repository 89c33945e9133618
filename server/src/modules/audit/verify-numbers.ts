import { printResourceId } from './resource-prefixes.ts';
import type { Inspection } from './inspection.ts';
import { findResourceType, listMissingNumbers, type Numbers, readNumbers } from './verify-store.ts';

/** Checks that each resource has every entry that it was given a number for. */
export async function checkNumbers(inspection: Inspection): Promise<void> {
  const { tx, codes, find } = inspection;
  for await (const numbers of readNumbers(tx)) {
    if (isWhole(numbers) && isCounterSound(numbers, codes)) continue;
    const subject = await nameOf(inspection, numbers);
    if (numbers.last === null) {
      find(subject, 'removed', 'how often it was changed is gone');
      continue;
    }
    if (!isCounterSound(numbers, codes)) find(subject, 'altered', 'how often it was changed was altered');
    const missing = await listMissingNumbers(tx, numbers, mostNamed + 1);
    if (missing.length > 0) find(subject, 'removed', sentence(missing));
  }
}

function isWhole({ last, entries, older, lowest, highest, total }: Numbers): boolean {
  if (last === null || entries !== last) return false;
  if (older === last) return true;
  return lowest === older + 1 && highest === last && total * 2 === (lowest + last) * (last - older);
}

/** A counter from before there were codes has none until the next change. */
function isCounterSound({ resource_id, last, mac, entries, older }: Numbers, codes: Inspection['codes']): boolean {
  if (last === null) return false;
  return mac === null ? entries === older : mac.equals(codes.counter(resource_id, last));
}

async function nameOf({ tx }: Inspection, { resource_id: id, resource_type: type }: Numbers): Promise<string> {
  return printResourceId(type ?? (await findResourceType(tx, id)) ?? '', id);
}

const mostNamed = 20;

function sentence(missing: readonly number[]): string {
  const named = missing.slice(0, mostNamed).join(', ');
  if (missing.length > mostNamed) return `the entries number ${named} and more of this resource are missing`;
  return missing.length === 1
    ? `the entry number ${named} of this resource is missing`
    : `the entries number ${named} of this resource are missing`;
}
