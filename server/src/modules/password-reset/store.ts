import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Database } from '../../database/connect.ts';
import { rowStore, removeUnlocked } from '../../database/row-store.ts';
import type { PasswordResetRequests, PasswordResets } from '../../database/tables.ts';
import type { Tx } from '../../events/change.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { SignInOrigin } from '../rooms/index.ts';

export type PasswordResetRow = Selectable<PasswordResets>;
export type RequestRow = Selectable<PasswordResetRequests>;

const resets = rowStore('password_resets', 'password reset');
const requests = rowStore('password_reset_requests', 'password reset request');

export const { insert: insertReset } = resets;

/** The administrator or user whose password is reset. */
export interface Person {
  readonly population: Population;
  readonly id: Uuid;
  readonly email: string;
  readonly locale: string;
}

/** The room where the reset was requested, if any. */
export function originOf({
  room_id,
  room_token_id,
}: Pick<RequestRow, 'room_id' | 'room_token_id'>): SignInOrigin | null {
  return room_id === null ? null : { roomId: room_id, roomTokenId: room_token_id };
}

/** The active person with the email, case-insensitive. */
export async function findActivePerson(
  db: Database,
  population: Population,
  email: string,
): Promise<Person | undefined> {
  return await db
    .selectFrom(population)
    .select(['id', 'email', 'locale'])
    .where(sql`lower(email)`, '=', sql`lower(${email}::text)`)
    .where('status', '=', 'active')
    .executeTakeFirst()
    .then((row) => row && { population, ...row });
}

/** Serializes changes of a person's links. @returns false if the person was deleted */
export async function lockPerson(tx: Tx, { population, id }: Pick<Person, 'population' | 'id'>): Promise<boolean> {
  const row = await tx.selectFrom(population).select('id').where('id', '=', id).forUpdate().executeTakeFirst();
  return row !== undefined;
}

/** Finds a link that is unused and valid. */
export async function findReset(db: Database, tokenHash: Buffer, now: string): Promise<PasswordResetRow | undefined> {
  return await resets.selectFirst(db, sql`token_hash = ${tokenHash} and ${isOpen} and expires_at > ${now}`);
}

const isOpen = sql`used_at is null and ended_at is null`;

/** @returns false if the link was used or invalidated in the meantime */
export async function markUsed(tx: Tx, id: Uuid, now: string): Promise<boolean> {
  const used = await resets.storeWhere(tx, sql`id = ${id} and ${isOpen} and expires_at > ${now}`, { used_at: now });
  return used.length > 0;
}

/** Invalidates the person's links. @returns the ids of their mails */
export async function endResets(
  tx: Tx,
  { population, id }: Pick<Person, 'population' | 'id'>,
  now: string,
): Promise<Uuid[]> {
  const isOwned = sql`${sql.ref(population === 'admins' ? 'admin_id' : 'user_id')} = ${id}`;
  const ended = await resets.storeWhere(tx, sql`${isOwned} and ${isOpen}`, { ended_at: now });
  return ended.flatMap(({ mail_id: mailId }) => mailId ?? []);
}

/**
 * Stores a request, unless a limit is reached. Advisory locks serialize the requests of an email or an address, so that
 * concurrent ones are counted.
 * @returns the time of the request that must leave the window before another is accepted; null if the request was stored
 */
export async function insertRequest(
  tx: Tx,
  row: Insertable<PasswordResetRequests>,
  limits: { readonly since: string; readonly maxPerEmail: number; readonly maxPerAddress: number },
): Promise<string | null> {
  // Always in this order, against deadlocks.
  await lockLimit(tx, `address ${row.address_group}`);
  await lockLimit(tx, `email ${row.email.toLowerCase()}`);
  const { rows } = await sql<{ blocked_since: string | null }>`
    select greatest(
      (select created_at from password_reset_requests
        where lower(email) = lower(${row.email}::text) and created_at > ${limits.since}
        order by created_at desc limit 1 offset ${sql.lit(limits.maxPerEmail - 1)}),
      (select created_at from password_reset_requests
        where address_group = ${row.address_group} and created_at > ${limits.since}
        order by created_at desc limit 1 offset ${sql.lit(limits.maxPerAddress - 1)})
    ) as blocked_since
  `.execute(tx);
  const blockedSince = rows[0]?.blocked_since ?? null;
  if (blockedSince === null) await tx.insertInto('password_reset_requests').values(row).execute();
  return blockedSince;
}

async function lockLimit(tx: Tx, name: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`password reset ${name}`}, 0))`.execute(tx);
}

export async function listPendingRequests(db: Database, limit: number): Promise<RequestRow[]> {
  return await requests.select(db, sql`answered_at is null order by id limit ${limit}`);
}

/** @returns false if another process has answered the request */
export async function markAnswered(tx: Tx, id: Uuid, now: string): Promise<boolean> {
  return (await requests.storeWhere(tx, sql`id = ${id} and answered_at is null`, { answered_at: now })).length > 0;
}

export async function removeOldRequests(db: Database, before: string): Promise<number> {
  return await removeUnlocked(db, 'password_reset_requests', sql`created_at < ${before} and answered_at is not null`);
}

export async function removeOldResets(db: Database, before: string): Promise<number> {
  return await removeUnlocked(db, 'password_resets', sql`expires_at < ${before}`);
}
