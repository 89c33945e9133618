import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { Selectable } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { rowStore } from '../../../database/row-store.ts';
import type { OauthClients } from '../../../database/tables.ts';
import type { Tx } from '../../../events/change.ts';

export type OauthClientRow = Selectable<OauthClients>;
/** `secret` is only set right after it was created. */
export type ClientRowWithSecret = OauthClientRow & { secret?: string };

export const {
  find: findClient,
  require: requireClient,
  lock: lockClient,
  insertUnlessTaken: insertClient,
  store: storeClient,
  remove: removeClient,
} = rowStore('oauth_clients', 'OAuth client');

/** The client that the login endpoints of the population use. */
export async function requireProxyClient(db: Database | Tx, population: Population): Promise<OauthClientRow> {
  return await db
    .selectFrom('oauth_clients')
    .selectAll()
    .where('population', '=', population)
    .where('proxy', '=', true)
    .executeTakeFirstOrThrow();
}
