import { encryptedColumn } from '../../../database/encrypted-column.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { createOpaqueToken, hashToken } from '../../../platform/crypto/opaque-token.ts';
import { newUuid, type Uuid } from '../../../platform/identity/identifier.ts';
import type { RoomTokenRow } from './token-store.ts';

/** Binds the ciphertext to its row: a copy in another row cannot be decrypted. */
export function tokenAssociatedData(id: Uuid): string {
  return `room_tokens:${id}:token`;
}

/** A new token that is not stored yet. */
export interface TokenDraft {
  readonly token: string;
  readonly columns: Pick<RoomTokenRow, 'id' | 'token_hash' | 'token_sealed'>;
}

/** The token is stored encrypted, with a hash for look-ups. */
export async function draftToken({ secretBox }: Pick<Dependencies, 'secretBox'>): Promise<TokenDraft> {
  const [id, token] = [newUuid(), createOpaqueToken('frm')];
  const sealed = await secretBox.seal(token, tokenAssociatedData(id));
  return { token, columns: { id, token_hash: hashToken(token), token_sealed: sealed } };
}

export const roomTokenColumn = encryptedColumn('room_tokens', 'token_sealed', tokenAssociatedData);
