import { type Insertable, type RawBuilder, type Selectable, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { RoomTokenBatches, RoomTokens } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { notFound } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import type { TokenInput } from './token-options.ts';
import { removeRoomTokens, type RoomTokenRow, selectRoomTokens } from './token-store.ts';

/** A batch without `rows` and `actor`, which only the job needs. */
export type TokenBatchRow = Omit<Selectable<RoomTokenBatches>, 'rows' | 'actor' | 'failures'> & {
  readonly failures: readonly TokenFailure[];
};

/** A row for which no token was created. */
export interface TokenFailure {
  readonly row: number;
  readonly message: string;
}

const batchColumns = [
  'id',
  'room_id',
  'name',
  'status',
  'total',
  'made',
  'failed',
  'failures',
  'finished_at',
  'created_at',
  'updated_at',
] as const;

export async function insertTokenBatch(tx: Tx, row: Insertable<RoomTokenBatches>): Promise<TokenBatchRow> {
  const inserted = await tx
    .insertInto('room_token_batches')
    .values(row)
    .returning(batchColumns)
    .executeTakeFirstOrThrow();
  return toBatch(inserted);
}

/** @throws 404 */
export async function requireTokenBatch(db: Database | Tx, roomId: Uuid, id: Uuid): Promise<TokenBatchRow> {
  const row = await selectBatch(db, roomId, id).executeTakeFirst();
  if (!row) throw notFound('The batch was not found.');
  return toBatch(row);
}

/** Locks the batch, so that the job creates no tokens of it until the transaction ends. @throws 404 */
export async function lockTokenBatch(tx: Tx, roomId: Uuid, id: Uuid): Promise<TokenBatchRow> {
  const row = await selectBatch(tx, roomId, id).forUpdate().executeTakeFirst();
  if (!row) throw notFound('The batch was not found.');
  return toBatch(row);
}

function selectBatch(db: Database | Tx, roomId: Uuid, id: Uuid) {
  return db.selectFrom('room_token_batches').select(batchColumns).where('id', '=', id).where('room_id', '=', roomId);
}

function toBatch(row: object): TokenBatchRow {
  return row as TokenBatchRow;
}

/** The roles of the batch's tokens, created or not. */
export async function rolesOfBatch(tx: Tx, id: Uuid): Promise<RoomRole[]> {
  const { rows } = await sql<{ role: RoomRole }>`
    select role from room_tokens where batch_id = ${id}
    union
    select input->>'role' from room_token_batches, jsonb_array_elements(rows) input where id = ${id}
  `.execute(tx);
  return rows.map(({ role }) => role);
}

export interface OpenBatch {
  readonly id: Uuid;
  readonly room_id: Uuid;
  readonly actor: Actor;
}

/** Unfinished batches, the oldest first. */
export async function listOpenBatches(db: Database): Promise<OpenBatch[]> {
  const rows = await db
    .selectFrom('room_token_batches')
    .select(['id', 'room_id', 'actor'])
    .where('status', '<>', 'done')
    .orderBy('id')
    .limit(100)
    .execute();
  return rows as unknown as OpenBatch[];
}

export interface NextRows {
  /** The number of rows before `rows`. */
  readonly processed: number;
  readonly rows: readonly TokenInput[];
}

/** Locks the batch and reads its next rows. Undefined if it is done or locked by another worker. */
export async function lockNextRows(tx: Tx, id: Uuid, limit: number): Promise<NextRows | undefined> {
  const { rows } = await sql<NextRows>`
    with locked as (
      select made + failed as processed, rows from room_token_batches
      where id = ${id} and status <> 'done' for update skip locked
    )
    select processed, (
      select coalesce(jsonb_agg(input order by n), '[]')
      from jsonb_array_elements(locked.rows) with ordinality as listed(input, n)
      where n > processed and n <= processed + ${limit}::int
    ) as rows from locked
  `.execute(tx);
  return rows[0];
}

export async function insertRoomTokens(tx: Tx, rows: readonly Insertable<RoomTokens>[]): Promise<RoomTokenRow[]> {
  if (rows.length === 0) return [];
  return await tx
    .insertInto('room_tokens')
    .values([...rows])
    .returningAll()
    .execute();
}

/** Counts created tokens and failures; after the last row the batch is done. */
export async function storeProgress(
  tx: Tx,
  id: Uuid,
  { created, failures }: { readonly created: number; readonly failures: readonly TokenFailure[] },
  now: string,
): Promise<TokenBatchRow> {
  const count = created + failures.length;
  const { rows } = await sql<object>`
    update room_token_batches set made = made + ${created}, failed = failed + ${failures.length},
      failures = failures || ${JSON.stringify(failures)}::jsonb, updated_at = ${now},
      status = case when made + failed + ${count} = total then 'done' else 'running' end,
      rows = case when made + failed + ${count} = total then null else rows end,
      finished_at = case when made + failed + ${count} = total then ${now}::timestamptz end
    where id = ${id}
    returning ${sql.join(batchColumns.map((name) => sql.ref(name)))}
  `.execute(tx);
  return toBatch(rows[0] ?? {});
}

const removalBatchSize = 1000;

/** Removes the tokens of a room or a batch, some at a time, to bound the memory use. */
export async function* removeTokensOf(
  tx: Tx,
  owner: 'room_id' | 'batch_id',
  ownerId: Uuid,
): AsyncGenerator<RoomTokenRow[]> {
  const position = owner === 'batch_id' ? 'batch_row' : 'id';
  let lastPosition: Uuid | number | null = null;
  for (;;) {
    const tokens: { id: Uuid; position: Uuid | number | null }[] = await tx
      .selectFrom('room_tokens')
      .select(['id', `${position} as position`])
      .where(owner, '=', ownerId)
      .$if(lastPosition !== null, (query) => query.where(position, '>', lastPosition))
      .orderBy(position)
      .limit(removalBatchSize)
      .execute();
    if (tokens.length === 0) return;
    yield await removeRoomTokens(tx, idsOf(tokens));
    lastPosition = tokens.at(-1)?.position ?? null;
  }
}

/** The caller locks the room. @returns the removed batches */
export async function removeBatchesOf(tx: Tx, roomId: Uuid): Promise<TokenBatchRow[]> {
  const rows = await tx
    .deleteFrom('room_token_batches')
    .where('room_id', '=', roomId)
    .returning(batchColumns)
    .execute();
  return rows.map(toBatch);
}

export async function removeTokenBatch(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('room_token_batches').where('id', '=', id).execute();
}

/** The batch's tokens that meet the condition, in order of rows, from the row after `after`. */
export async function tokensOfBatch(
  db: Database,
  batchId: Uuid,
  { after, limit, condition }: { after: number; limit: number; condition: RawBuilder<unknown> },
): Promise<RoomTokenRow[]> {
  const isNext = sql`batch_id = ${batchId} and batch_row > ${after} and ${condition}`;
  return await selectRoomTokens(db, sql`${isNext} order by batch_row limit ${limit}`);
}
