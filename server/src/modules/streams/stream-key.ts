import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { encryptedColumn } from '../../database/encrypted-column.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';

const secretBytes = 24;

/** The media server finds the stream by the part before the underscore. */
export function createStreamKey(roomId: Uuid): string {
  return `${roomId.replaceAll('-', '')}_${randomBytes(secretBytes).toString('base64url')}`;
}

/** Compares in constant time, also texts of different lengths. */
export function isSameKey(one: string, other: string): boolean {
  return timingSafeEqual(digestOf(one), digestOf(other));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** The associated data, which binds the ciphertext to its row. */
export function keyAssociatedData(id: Uuid): string {
  return `streams:${id}:key`;
}

export function sourceAssociatedData(id: Uuid): string {
  return `streams:${id}:source_url`;
}

export function outputKeyAssociatedData(id: Uuid): string {
  return `outputs:${id}:stream_key`;
}

export const streamSecretColumns = [
  encryptedColumn('streams', 'key_sealed', keyAssociatedData),
  encryptedColumn('streams', 'source_url_sealed', sourceAssociatedData),
  encryptedColumn('outputs', 'stream_key_sealed', outputKeyAssociatedData),
];
