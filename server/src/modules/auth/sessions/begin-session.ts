import { inOneStatement, type ChangeServices } from '../../../events/change.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { newUuid } from '../../../platform/identity/identifier.ts';
import { refuseOutdated } from './check-credentials.ts';
import type { OauthClientRow } from '../clients/client-store.ts';
import { insertSession } from './sign-in-store.ts';
import type { ProvenOwner } from '../store.ts';
import { cutUserAgent, grantee, type IssuedTokens, newTokens } from '../tokens/tokens.ts';

/** A verified person, and the client of the sign-in. */
export interface Login {
  readonly kind: 'session' | 'password';
  readonly client: OauthClientRow;
  readonly owner: ProvenOwner;
  readonly scopes: readonly string[];
  readonly userAgent: string | null;
}

/**
 * Starts a token family after a sign-in.
 * @throws as a refused sign-in, when the password or the second factor was changed since it was checked
 */
export async function beginSession(services: ChangeServices, actor: Actor, login: Login): Promise<IssuedTokens> {
  const { kind, client, owner, scopes } = login;
  const isAdmin = owner.population === 'admins';
  return await inOneStatement(services, grantee(actor, login), async ({ db, now, insertEventQueries }) => {
    const { issued, access, refresh } = newTokens(services, now, scopes, client.grants.includes('refresh_token'));
    const current = await insertSession(
      db,
      {
        id: newUuid(),
        kind,
        clientId: client.id,
        owner,
        scopes,
        address: actor.address,
        userAgent: cutUserAgent(login.userAgent),
        access,
        refresh,
        now,
      },
      (cause) =>
        insertEventQueries(
          {
            name: isAdmin ? 'admin.logged_in' : 'user.logged_in',
            resource: { type: isAdmin ? 'Admin' : 'User', id: owner.id },
            before: owner.row,
            after: owner.row,
          },
          cause,
        ),
    );
    refuseOutdated(owner.proof, current);
    return issued;
  });
}
