import { createHash, createHmac } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AuditEntries } from '../database/tables.ts';
import { printInstant } from '../platform/time/instant.ts';

/** The members of an audit entry that its MAC covers, without its values. */
export type AuditEntryMembers = Readonly<
  Omit<Selectable<AuditEntries>, 'sequence' | 'mac' | 'old_values' | 'new_values'>
>;

/** The content of an audit entry that its MAC covers. */
export interface AuditEntryContent extends AuditEntryMembers {
  /** JSON values. */
  readonly old_values: unknown;
  readonly new_values: unknown;
}

/** The values of an audit entry as canonical JSON, which is `null` if there are none. */
export interface AuditValues {
  readonly oldText: string;
  readonly newText: string;
}

/** The last link of the chain, and the number of entries that are older than the MACs. */
export interface AuditHead {
  /** 0 if there is no link yet. */
  readonly sequence: number;
  readonly hash: Buffer;
  readonly entriesBefore: number;
}

/** A link of the chain, with the entry that it holds. */
export interface AuditLink {
  readonly previousHash: Buffer;
  readonly sequence: number;
  readonly entry: AuditEntryContent;
  readonly entrySequence: number | null;
  readonly entryMac: Buffer | null;
}

/**
 * HMAC-SHA-256 of audit entries and chain links, 32 bytes each. The MACs show tampering, because they cannot be
 * computed without the key.
 */
export interface AuditMac {
  /**
   * The part of an entry's MAC that does not depend on its number. The MAC is the SHA-256 of this part and the number
   * as eight bytes; the database computes it in the statement that assigns the number, and never sees the key.
   */
  entryMacPart(entry: AuditEntryMembers, values: AuditValues): Buffer;
  entryMac(entry: AuditEntryContent, sequence: number): Buffer;
  /** Like `entryMacPart`, for the last event number of a resource. */
  counterMacPart(resourceId: string): Buffer;
  counterMac(resourceId: string, lastNumber: number): Buffer;
  linkMac(link: AuditLink): Buffer;
  headMac(head: AuditHead): Buffer;
}

export function createAuditMac(key: Uint8Array): AuditMac {
  const keyOf = (purpose: string) => createHmac('sha256', key).update(purpose).digest();
  const keys = { entry: keyOf('entry'), counter: keyOf('counter'), link: keyOf('link'), head: keyOf('head') };
  const entryMacPart = (entry: AuditEntryMembers, values: AuditValues) =>
    createHmac('sha256', keys.entry).update(canonicalEntry(entry, values)).digest();
  const counterMacPart = (resourceId: string) => createHmac('sha256', keys.counter).update(resourceId).digest();
  return {
    entryMacPart,
    entryMac: (entry, sequence) => addNumber(entryMacPart(entry, valuesOf(entry)), sequence),
    counterMacPart,
    counterMac: (resourceId, lastNumber) => addNumber(counterMacPart(resourceId), lastNumber),
    linkMac: ({ previousHash, sequence, entry, entrySequence, entryMac }) =>
      createHmac('sha256', keys.link)
        .update(previousHash)
        .update(canonicalJson([sequence, entrySequence, entryMac?.toString('hex') ?? null]))
        .update(canonicalEntry(entry, valuesOf(entry)))
        .digest(),
    headMac: ({ sequence, hash, entriesBefore }) =>
      createHmac('sha256', keys.head)
        .update(canonicalJson([sequence, hash.toString('hex'), entriesBefore]))
        .digest(),
  };
}

/** A text that does not depend on how the database formats the values: JSON with sorted keys. */
export function canonicalEntry(entry: AuditEntryMembers, { oldText, newText }: AuditValues): string {
  return (
    `{"action":${canonicalJson(entry.action)},"actor_id":${canonicalJson(entry.actor_id)},` +
    `"actor_name":${canonicalJson(entry.actor_name)},"actor_type":${canonicalJson(entry.actor_type)},` +
    `"address":${canonicalJson(entry.address)},"client_id":${canonicalJson(entry.client_id)},` +
    `"client_name":${canonicalJson(entry.client_name)},"customer_id":${canonicalJson(entry.customer_id)},` +
    `"id":${canonicalJson(entry.id)},"new_values":${newText},` +
    `"occurred_at":"${printInstant(entry.occurred_at)}","old_values":${oldText},` +
    `"request_id":${canonicalJson(entry.request_id)},"resource_id":${canonicalJson(entry.resource_id)},` +
    `"resource_type":${canonicalJson(entry.resource_type)}}`
  );
}

export function valuesOf({ old_values: oldValues, new_values: newValues }: AuditEntryContent): AuditValues {
  return { oldText: canonicalJson(oldValues), newText: canonicalJson(newValues) };
}

/** `JSON.stringify` with sorted keys. A lone surrogate is written as the database stores it. */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.toWellFormed());
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value);
  const members = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const name of Object.keys(members).sort()) {
    const member = members[name];
    if (member !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `{${text}}`;
}

function addNumber(part: Buffer, number: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(BigInt(number));
  return createHash('sha256').update(part).update(bytes).digest();
}
