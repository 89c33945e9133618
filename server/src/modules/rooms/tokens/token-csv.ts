import { sql } from 'kysely';
import type { Dependencies } from '../../../dependencies.ts';
import { printCsv } from '../../../platform/http/answer/csv.ts';
import { printIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import { nextTurn } from '../../../platform/limits/next-turn.ts';
import { tenantScopeOf, type Reader } from '../../../platform/list-query/view.ts';
import { idOrNull, instantOrNull } from '../../../platform/row-members.ts';
import { tokenUrl } from '../room-url.ts';
import type { RoomRow } from '../store.ts';
import { tokensOfBatch } from './token-batch-store.ts';
import { tokenAssociatedData } from './token-encryption.ts';
import type { RoomTokenRow } from './token-store.ts';
import { batchTokenView } from '../transformer.ts';

const columns = [
  'row',
  'id',
  'role',
  'name',
  'token',
  'url',
  'not_before',
  'expires_at',
  'max_uses',
  'uses',
  'user_id',
  'last_usage',
] as const;

/** Small, so that decryption does not block other requests. */
const batchSize = 50;

/** Yields a CSV of the batch's tokens that the reader can see, in order of rows. */
export async function* printTokens(
  dependencies: Dependencies,
  room: Pick<RoomRow, 'id' | 'slug'>,
  batchId: Uuid,
  reader: Pick<Reader, 'userId' | 'views'>,
): AsyncGenerator<string> {
  yield printCsv([columns]);
  const condition = tenantScopeOf(batchTokenView, reader) ?? sql`true`;
  for (let lastRow = -1; ;) {
    const rows = await tokensOfBatch(dependencies.db, batchId, { after: lastRow, limit: batchSize, condition });
    if (rows.length > 0) yield printCsv(await Promise.all(rows.map((row) => lineOf(dependencies, room, row))));
    if (rows.length < batchSize) return;
    lastRow = rows.at(-1)?.batch_row ?? lastRow;
    await nextTurn();
  }
}

async function lineOf(
  { secretBox, publicUrl }: Dependencies,
  room: Pick<RoomRow, 'id' | 'slug'>,
  row: RoomTokenRow,
): Promise<unknown[]> {
  const token = await secretBox.open(row.token_sealed, tokenAssociatedData(row.id));
  const line: Record<(typeof columns)[number], unknown> = {
    row: row.batch_row,
    id: printIdentifier('rtok', row.id),
    role: row.role,
    name: row.name,
    token,
    url: tokenUrl(publicUrl(), room, token),
    not_before: instantOrNull(row.not_before),
    expires_at: instantOrNull(row.expires_at),
    max_uses: row.max_uses,
    uses: row.uses,
    user_id: idOrNull('user', row.user_id),
    last_usage: instantOrNull(row.last_usage),
  };
  return columns.map((name) => line[name]);
}
