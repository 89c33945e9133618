import { encryptedColumn } from '../../../database/encrypted-column.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

/** What a sealed token is bound to: moved to another row it does not open. */
export function tokenAssociatedData(id: Uuid): string {
  return `room_tokens:${id}:token`;
}

export const roomTokenColumn = encryptedColumn('room_tokens', 'token_sealed', tokenAssociatedData);
