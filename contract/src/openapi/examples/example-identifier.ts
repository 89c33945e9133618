import type { IdentifierPrefix } from '../../conventions/identifier-prefixes.ts';

/** The three forms of an example identifier. They are derived from the prefix alone, so that the documents do not change. */
export function exampleIdentifier(prefix: IdentifierPrefix): { id: string; uuid: string; ulid: string } {
  const seed = hash(prefix);
  const random =
    pseudoRandomHex(seed, 3) +
    '9' +
    pseudoRandomHex(seed + 101, 3) +
    pseudoRandomHex(seed + 907, 6) +
    pseudoRandomHex(seed + 331, 6);
  const hex = `019c2294${(0x31ae + (seed % 50_000)).toString(16)}7${random}`;
  const uuid = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
  const ulid = printUlid(BigInt(`0x${hex}`));
  return { id: `${prefix}_${ulid}`, uuid, ulid };
}

const crockford = '0123456789abcdefghjkmnpqrstvwxyz';

function printUlid(value: bigint): string {
  let rest = value;
  let text = '';
  for (let index = 0; index < 26; index++) {
    text = crockford.charAt(Number(rest & 31n)) + text;
    rest >>= 5n;
  }
  return text;
}

/** FNV-1a, so that the examples stay the same when a prefix is added. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

/** Hexadecimal digits that look random but depend only on the seed. */
function pseudoRandomHex(seed: number, digits: number): string {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) ^ Math.imul(seed + 0x9e37, 0x297a2d39);
  return (mixed >>> 0).toString(16).padStart(8, '0').slice(0, digits);
}
