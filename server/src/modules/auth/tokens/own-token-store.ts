import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import type { Tx } from '../../../events/change.ts';
import type { Principal } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { ownerColumn, removeSessionsOfOwner, type TokenFamilyRow } from '../store.ts';

/** A token family with the columns of the list of sessions. */
export type LiveFamilyRow = TokenFamilyRow & {
  readonly client_name: string;
  readonly client_scopes: string[];
  readonly updated_at: string;
};

export const liveFamilyFrom = sql`token_families join oauth_clients on oauth_clients.id = token_families.client_id`;
export const liveFamilySelect = sql`token_families.*, oauth_clients.name as client_name,
  oauth_clients.scopes as client_scopes, coalesce(token_families.last_used_at, token_families.created_at) as updated_at`;

export async function findLiveFamily(
  db: Database,
  ownership: RawBuilder<unknown>,
  id: Uuid,
): Promise<LiveFamilyRow | undefined> {
  const { rows } = await sql<LiveFamilyRow>`
    select ${liveFamilySelect} from ${liveFamilyFrom} where token_families.id = ${id} and ${ownership}
  `.execute(db);
  return rows[0];
}

export async function removeSessionsOf(tx: Tx, { kind, population, id }: Principal): Promise<void> {
  if (kind === 'client') return;
  await removeSessionsOfOwner(tx, ownerColumn(population), id);
}
