import { newRow } from '../../../database/row-store.ts';
import { sql } from 'kysely';
import { inOneStatement, type ChangeServices } from '../../../events/change.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { refuseOutdated } from './check-credentials.ts';
import type { OauthClientRow } from '../clients/client-store.ts';
import type { LiveFamilyRow } from '../tokens/own-token-store.ts';
import { insertSession } from './sign-in-store.ts';
import type { ProvenOwner } from '../store.ts';
import { cutUserAgent, ownerAsActor, type IssuedTokens, generateTokens } from '../tokens/tokens.ts';

/** A sign-in whose credentials were verified. */
export interface Login {
  readonly kind: 'session' | 'password';
  readonly client: OauthClientRow;
  readonly owner: ProvenOwner;
  readonly scopes: readonly string[];
  readonly userAgent: string | null;
}

/**
 * Starts a token family after a sign-in.
 * @throws the failure of a refused sign-in, if the password or the second factor was changed since it was checked
 */
export async function beginSession(services: ChangeServices, actor: Actor, login: Login): Promise<IssuedTokens> {
  const { kind, client, owner, scopes } = login;
  const isAdmin = owner.population === 'admins';
  return await inOneStatement(services, ownerAsActor(actor, login), async ({ db, now, insertEventQueries }) => {
    const { issued, access, refresh } = generateTokens(services, now, scopes, client.grants.includes('refresh_token'));
    const family: LiveFamilyRow = {
      ...newRow(now),
      kind,
      name: null,
      client_id: client.id,
      client_name: client.name,
      client_scopes: client.scopes,
      population: owner.population,
      admin_id: isAdmin ? owner.id : null,
      user_id: isAdmin ? null : owner.id,
      scopes: [...scopes],
      address: actor.address,
      user_agent: cutUserAgent(login.userAgent),
      last_used_at: null,
      revoked_at: null,
      expires_at: (refresh ?? access).expiresAt,
    };
    const { row } = owner;
    const signIn = rowEvent(isAdmin ? 'admin.logged_in' : 'user.logged_in', { before: row, after: row });
    const created = rowEvent('oauth_token.created', { after: family });
    const cause = sql`family`;
    const eventQueries = sql`${insertEventQueries(signIn, cause)}, ${insertEventQueries(created, cause, 'session_')}`;
    refuseOutdated(owner.proof, await insertSession(db, { family, owner, access, refresh }, eventQueries));
    return issued;
  });
}
