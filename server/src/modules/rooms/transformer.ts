import { Room } from '@foyer/contract/resources/rooms/room.ts';
import { RoomAccessCode } from '@foyer/contract/resources/rooms/room-access-code.ts';
import { RoomToken, RoomTokenBatch } from '@foyer/contract/resources/rooms/room-token.ts';
import { sql } from 'kysely';
import { defineView, type ViewDefinition } from '../../platform/list-query/view.ts';
import { roomUrl, tokenUrl } from './room-url.ts';
import { tokenAssociatedData } from './tokens/token-encryption.ts';
import type { RoomAccessCodeRow, RoomRow } from './store.ts';
import type { TokenBatchRow } from './tokens/token-batch-store.ts';
import type { PrintedTokenRow } from './tokens/token-store.ts';

export const roomView = defineView<typeof Room.fields, RoomRow>({
  resource: Room,
  table: 'rooms',
  // URLs sort like ids: their prefix is the same for all rooms.
  orders: { url: sql.ref('rooms.id') },
  transform: (row, reader) => ({ url: roomUrl(reader.publicUrl, row) }),
});

/** Bounded, because decryption shares its thread pool with password hashing. */
const decryptionBatchSize = 200;

const tokens: ViewDefinition<typeof RoomToken.fields, PrintedTokenRow> = {
  resource: RoomToken,
  table: 'room_tokens',
  from: sql`room_tokens join rooms on rooms.id = room_tokens.room_id`,
  select: sql`room_tokens.*, rooms.slug`,
  hydrate: async (rows, reader) => {
    for (let start = 0; start < rows.length; start += decryptionBatchSize) {
      await Promise.all(
        rows.slice(start, start + decryptionBatchSize).map(async (row) => {
          row.token ??= await reader.openSecret(row.token_sealed, tokenAssociatedData(row.id));
        }),
      );
    }
  },
  transform: ({ token = '', room_id: id, slug }, reader) => ({
    token,
    url: tokenUrl(reader.publicUrl, { id, slug }, token),
  }),
};

export const roomTokenView = defineView(tokens);

/** The tokens of a batch, in the order of its rows. */
export const batchTokenView = defineView({
  ...tokens,
  key: { expression: sql.ref('room_tokens.batch_row'), descending: false },
});

export const roomTokenBatchView = defineView<typeof RoomTokenBatch.fields, TokenBatchRow>({
  resource: RoomTokenBatch,
  table: 'room_token_batches',
  orders: { progress: sql`((made + failed) * 100 / total)` },
  // All columns except `rows` and `actor`.
  select: sql`room_token_batches.id, room_token_batches.room_id, room_token_batches.name, room_token_batches.status,
    total, made, failed, failures, finished_at, room_token_batches.created_at, room_token_batches.updated_at`,
  transform: (row) => ({
    progress: Math.floor(((row.made + row.failed) * 100) / row.total),
    failures: [...row.failures],
  }),
});

export const roomAccessCodeView = defineView<typeof RoomAccessCode.fields, RoomAccessCodeRow>({
  resource: RoomAccessCode,
  table: 'room_access_codes',
});
