import { printResourceId } from './resource-prefixes.ts';
import type { Inspection } from './inspection.ts';
import { findResourceType, listMissingSequences, type SequenceSummary, readSequences } from './verify-store.ts';

/** Checks that no entry is missing between the first and the last sequence number of each resource. */
export async function checkSequences(inspection: Inspection): Promise<void> {
  const { tx, auditMac, report } = inspection;
  for await (const summary of readSequences(tx)) {
    if (isComplete(summary) && isCounterValid(summary, auditMac)) continue;
    const subject = await printSubject(inspection, summary);
    if (summary.last === null) {
      report(subject, 'removed', 'the sequence counter is missing');
      continue;
    }
    if (!isCounterValid(summary, auditMac)) report(subject, 'altered', 'the sequence counter was altered');
    const missing = await listMissingSequences(tx, summary, maxNamed + 1);
    if (missing.length > 0) report(subject, 'removed', missingEntriesText(missing));
  }
}

function isComplete({ last, entries, older, lowest, highest, sum }: SequenceSummary): boolean {
  if (last === null || entries !== last) return false;
  if (older === last) return true;
  return lowest === older + 1 && highest === last && sum * 2 === (lowest + last) * (last - older);
}

/** A counter from before MACs were introduced gets its MAC with the next change of the resource. */
function isCounterValid(
  { resource_id, last, mac, entries, older }: SequenceSummary,
  auditMac: Inspection['auditMac'],
): boolean {
  if (last === null) return false;
  return mac === null ? entries === older : mac.equals(auditMac.counterMac(resource_id, last));
}

async function printSubject(
  { tx }: Inspection,
  { resource_id: id, resource_type: type }: SequenceSummary,
): Promise<string> {
  return printResourceId(type ?? (await findResourceType(tx, id)) ?? '', id);
}

const maxNamed = 20;

function missingEntriesText(missing: readonly number[]): string {
  const named = missing.slice(0, maxNamed).join(', ');
  if (missing.length > maxNamed) return `entries ${named} and more of this resource are missing`;
  return missing.length === 1
    ? `entry ${named} of this resource is missing`
    : `entries ${named} of this resource are missing`;
}
