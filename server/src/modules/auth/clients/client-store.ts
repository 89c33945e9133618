import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { OauthClients } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';
import { notFound } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';

export type OauthClientRow = Selectable<OauthClients>;
/** `secret` only if it was just created. */
export type PrintedClientRow = OauthClientRow & { secret?: string };

export async function findClient(db: Database | Tx, id: Uuid): Promise<OauthClientRow | undefined> {
  return await db.selectFrom('oauth_clients').selectAll().where('id', '=', id).executeTakeFirst();
}

/** @throws 404 */
export async function requireClient(db: Database | Tx, id: Uuid): Promise<OauthClientRow> {
  const row = await findClient(db, id);
  if (!row) throw notFound('The OAuth client was not found.');
  return row;
}

/** @throws 404 */
export async function lockClient(tx: Tx, id: Uuid): Promise<OauthClientRow> {
  const row = await tx.selectFrom('oauth_clients').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
  if (!row) throw notFound('The OAuth client was not found.');
  return row;
}

export async function proxyClient(db: Database | Tx, population: Population): Promise<OauthClientRow> {
  return await db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('population', '=', population)
    .where('proxy', '=', true)
    .executeTakeFirstOrThrow();
}

/** Undefined if this proxy client already exists. */
export async function insertClient(tx: Tx, row: Insertable<OauthClients>): Promise<OauthClientRow | undefined> {
  return await tx
    .insertInto('oauth_clients')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
}

export async function storeClient(tx: Tx, id: Uuid, changes: Updateable<OauthClients>): Promise<OauthClientRow> {
  return await tx
    .updateTable('oauth_clients')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function removeClient(tx: Tx, id: Uuid): Promise<void> {
  await tx.deleteFrom('oauth_clients').where('id', '=', id).execute();
}
