import { createHash, timingSafeEqual } from 'node:crypto';
import { refusal } from './refusals.ts';

export interface SignedCall {
  /** The path after the prefix: `create`. */
  call: string;
  /** The raw query of the request line, one character per byte. */
  rawQuery: string;
  /** The decoded parameter `checksum`, from query or body. */
  checksum: string | undefined;
}

export type ChecksumAlgorithm = 'sha1' | 'sha256' | 'sha384' | 'sha512';

/** Throws a `checksumError` unless one of the secrets signed exactly these bytes. */
export function verifyChecksum(
  signed: SignedCall,
  secrets: readonly string[],
  algorithms: readonly ChecksumAlgorithm[] = ['sha1', 'sha256', 'sha384', 'sha512'],
): void {
  const checksum = clean(signed.checksum ?? '').toLowerCase();
  if (checksum === '') throw refusal('checksumMissing');
  const algorithm = algorithmByLength.get(checksum.length);
  if (!algorithm || !algorithms.includes(algorithm)) throw refusal('checksumMismatch');
  const query = removeChecksum(signed.rawQuery, clean(signed.checksum ?? ''));
  const received = Buffer.from(checksum);
  let isValid = false;
  for (const secret of secrets) {
    const expected = checksumOf(algorithm, signed.call, query, secret);
    const bytes = Buffer.from(expected);
    if (bytes.length === received.length && timingSafeEqual(bytes, received)) isValid = true;
  }
  if (!isValid) throw refusal('checksumMismatch');
}

/** The query has one character per byte. */
export function checksumOf(algorithm: ChecksumAlgorithm, call: string, query: string, secret: string): string {
  return createHash(algorithm).update(call).update(query, 'latin1').update(secret).digest('hex');
}

/** Removes the parameter as a server does, in this order. The query is not normalized otherwise. */
function removeChecksum(rawQuery: string, checksum: string): string {
  if (checksum === '') return clean(rawQuery);
  return clean(rawQuery)
    .replaceAll(`&checksum=${checksum}`, '')
    .replaceAll(`checksum=${checksum}&`, '')
    .replaceAll(`checksum=${checksum}`, '');
}

const algorithmByLength = new Map<number, ChecksumAlgorithm>([
  [40, 'sha1'],
  [64, 'sha256'],
  [96, 'sha384'],
  [128, 'sha512'],
]);

/** Removes control characters, then trims. */
export function clean(text: string): string {
  // oxlint-disable-next-line no-control-regex
  return text.replace(/[\u0000-\u001f\u007f]/g, '').trim();
}
