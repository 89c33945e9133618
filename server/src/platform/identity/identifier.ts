import type { IdentifierPrefix } from '@foyer/contract/conventions/identifier-prefixes.ts';
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/**
 * One 128-bit value per row (a UUIDv7), written in three forms:
 * `uuid` as usual, `ulid` as 26 lower-case Crockford base-32 characters, `id` as prefix, `_`, ulid.
 */
export type Uuid = string;

/** A new key, greater than every earlier key of this process. */
export function newUuid(): Uuid {
  const nowMs = Date.now();
  const random = nextRandom();
  if (nowMs > lastKey.msecs) lastKey = { msecs: nowMs, seq: random.readUInt32BE() >>> 1 };
  else lastKey = { msecs: lastKey.msecs, seq: lastKey.seq + 1 };
  return v7({ random, ...lastKey });
}

/** The millisecond of the latest key, and its sequence number, which starts at a random number in each millisecond. */
let lastKey = { msecs: 0, seq: 0 };

/** Random bytes for 256 keys: a call for each key would take longer than the rest of its generation. */
const randomBytes = Buffer.alloc(256 * 16);
let usedBytes = randomBytes.length;

function nextRandom(): Buffer {
  if (usedBytes === randomBytes.length) {
    randomFillSync(randomBytes);
    usedBytes = 0;
  }
  usedBytes += 16;
  return randomBytes.subarray(usedBytes - 16, usedBytes);
}

export function idsOf(rows: readonly { readonly id: Uuid }[]): Uuid[] {
  return rows.map(({ id }) => id);
}

export function printIdentifier(prefix: IdentifierPrefix, uuid: Uuid): string {
  return `${prefix}_${printUlid(uuid)}`;
}

/** Caches ULIDs, since rows of a list often refer to the same few customers, accounts and subscriptions. */
const ulidCache = new Map<Uuid, string>();
/** A larger cache would move its texts to the old generation of the heap, where garbage collection takes longer. */
const maxCached = 256;

export function printUlid(uuid: Uuid): string {
  const cached = ulidCache.get(uuid);
  if (cached !== undefined) return cached;
  if (ulidCache.size >= maxCached) ulidCache.clear();
  const ulid = encodeUlid(uuid);
  ulidCache.set(uuid, ulid);
  return ulid;
}

/** Crockford base 32: the first of the 26 characters holds three bits, the others five. */
function encodeUlid(uuid: Uuid): string {
  let text = '';
  let bits = 2;
  let pending = 0;
  for (let index = 0; index < 36; index++) {
    const code = uuid.charCodeAt(index);
    if (code === 45) continue;
    pending = (pending << 4) | (code > 96 ? code - 87 : code - 48);
    bits += 4;
    if (bits >= 5) {
      bits -= 5;
      text += crockford.charAt((pending >>> bits) & 31);
      pending &= (1 << bits) - 1;
    }
  }
  return text;
}

/** Parses the `id` (with this prefix), the `uuid` or the `ulid`, in upper or lower case; null for other texts. */
export function parseIdentifier(prefix: IdentifierPrefix, text: string): Uuid | null {
  if (text.length > 48) return null;
  const lower = text.toLowerCase();
  if (uuidPattern.test(lower)) return lower;
  if (lower.length === 26) return parseUlid(lower);
  const marker = `${prefix}_`;
  return lower.startsWith(marker) && lower.length === marker.length + 26 ? parseUlid(lower.slice(marker.length)) : null;
}

/** Parses the `id` of any resource, the `uuid` or the `ulid`. The prefix is null for the latter two. */
export function parseAnyIdentifier(text: string): { prefix: string | null; uuid: Uuid } | null {
  const [, prefix = null, key = ''] = /^(?:([a-z]{1,20})_)?(.+)$/is.exec(text) ?? [];
  const uuid = text.length > 48 ? null : prefix === null ? parseIdentifier('audit', key) : parseUlid(key.toLowerCase());
  return uuid === null ? null : { prefix: prefix?.toLowerCase() ?? null, uuid };
}

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';
const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const ulidPattern = /^[0-7][0-9a-hjkmnp-tv-z]{25}$/;

function parseUlid(text: string): Uuid | null {
  if (!ulidPattern.test(text)) return null;
  let hex = '';
  let bits = -2;
  let pending = 0;
  for (const character of text) {
    pending = (pending << 5) | crockford.indexOf(character);
    bits += 5;
    while (bits >= 4) {
      bits -= 4;
      hex += ((pending >>> bits) & 15).toString(16);
      pending &= (1 << bits) - 1;
    }
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
