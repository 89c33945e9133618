import { encryptedColumn } from '../../../database/encrypted-column.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** Binds the ciphertext to its row: copied to another row, it does not decrypt. */
export function tokenAssociatedData(id: Uuid): string {
  return `room_tokens:${id}:token`;
}

export const roomTokenColumn = encryptedColumn('room_tokens', 'token_sealed', tokenAssociatedData);
