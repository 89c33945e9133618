import { isScope } from '@foyer/contract/conventions/scope.ts';
import OAuth2Server from '@node-oauth/oauth2-server';
import type { Dependencies } from '../../../dependencies.ts';
import { Failure, unavailable } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { hashToken } from '../../../platform/crypto/opaque-token.ts';
import { endReusedCode, exchangeCode } from '../authorization-code/authorization-codes.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { type AuthorizationCodeRow, findCode, useCode } from '../authorization-code/authorization-store.ts';
import { checkCredentials, signInFailure } from '../sessions/check-credentials.ts';
import {
  authenticateClient,
  clientRefused,
  invalidRequest,
  type ProtocolRequest,
} from '../clients/client-authentication.ts';
import type { OauthClientRow } from '../clients/client-store.ts';
import { areWithin, firstBeyond, intersectScopes, parseScopes } from '../tokens/scopes.ts';
import { findRefreshToken, type ProvenOwner } from '../store.ts';
import { type IssuedTokens, issueClientTokens, renewTokens } from '../tokens/tokens.ts';

export interface TokenRequest extends ProtocolRequest {
  readonly userAgent: string | null;
}

/** Whoever the library carries from one step of a grant to the next. */
type Bearer =
  | { readonly kind: 'login'; readonly owner: ProvenOwner }
  | { readonly kind: 'consent'; readonly code: string }
  | { readonly kind: 'client' }
  | { readonly kind: 'renewal'; readonly refreshToken: string };

/**
 * The token endpoint of RFC 6749. The library speaks the protocol; clients, codes and tokens are ours.
 * @throws 400 or 401 with the `error` that the RFC names.
 */
export async function answerTokenRequest(
  services: Dependencies,
  actor: Actor,
  given: TokenRequest,
): Promise<IssuedTokens> {
  // First the request, then the client: without a grant type there is nothing that a client could be refused.
  if (given.body['grant_type'] === undefined) throw invalidRequest('The grant_type is missing.');
  const client = await authenticateClient(services.db, given);
  let issued: IssuedTokens | null = null;
  const server = new OAuth2Server({
    model: modelFor(services, actor, given, client, (tokens) => {
      issued = tokens;
    }),
    accessTokenLifetime: services.settings().access_token_seconds,
    refreshTokenLifetime: services.settings().refresh_token_seconds,
    // The client has been authenticated above, in the same way for every endpoint of the protocol.
    requireClientAuthentication: {
      authorization_code: false,
      client_credentials: false,
      password: false,
      refresh_token: false,
    },
  });
  const request = new OAuth2Server.Request({
    method: 'POST',
    query: {},
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '1' },
    body: { ...given.body, client_id: client.id, client_secret: client.id },
  });
  try {
    await server.token(request, new OAuth2Server.Response());
  } catch (error) {
    throw oauthFailure(error);
  }
  if (!issued) throw new Error('the grant issued no token');
  return issued;
}

type Model = OAuth2Server.PasswordModel &
  OAuth2Server.RefreshTokenModel &
  OAuth2Server.ClientCredentialsModel &
  OAuth2Server.AuthorizationCodeModel;

function modelFor(
  services: Dependencies,
  actor: Actor,
  given: TokenRequest,
  client: OauthClientRow,
  keep: (tokens: IssuedTokens) => void,
): Model {
  const { db, clock } = services;
  const shown = { id: client.id, grants: client.grants };
  return {
    async getClient() {
      return shown;
    },
    async getUser(name, password) {
      if (!client.first_party)
        throw new OAuth2Server.UnauthorizedClientError('Only first-party clients take passwords.');
      const otp = given.body['otp'];
      const population = client.population;
      const check = await checkCredentials(
        services,
        population,
        name,
        password,
        typeof otp === 'string' ? otp : null,
        actor.address,
      );
      if ('refusal' in check) throw signInFailure(check.refusal);
      return { kind: 'login', owner: check.owner } satisfies Bearer;
    },
    async getUserFromClient() {
      if (!client.confidential || client.population !== 'admins')
        throw new OAuth2Server.UnauthorizedClientError(
          'Only confidential clients of administrators act for themselves.',
        );
      return { kind: 'client' } satisfies Bearer;
    },
    async validateScope(user, _client, requested) {
      return grantableScopes((user as Bearer).kind, client.scopes, requested ?? []);
    },
    async getAuthorizationCode(code) {
      const row = await findCode(db, hashToken(code));
      if (!row) return null;
      if (row.client_id === client.id && row.used_at !== null) {
        await endReusedCode(services, actor, code);
        return null;
      }
      if (row.client_id !== client.id || Date.parse(row.expires_at) <= clock.nowMs()) return null;
      requireSameRedirect(row, given.body['redirect_uri']);
      return {
        authorizationCode: code,
        // By our own clock it has not expired.
        expiresAt: new Date(Date.now() + 60_000),
        redirectUri: '',
        scope: row.scopes,
        client: shown,
        user: { kind: 'consent', code } satisfies Bearer,
        ...(row.code_challenge ? { codeChallenge: row.code_challenge, codeChallengeMethod: 'S256' } : {}),
      };
    },
    async saveAuthorizationCode() {
      return null;
    },
    async revokeAuthorizationCode({ authorizationCode }) {
      if (await useCode(db, hashToken(authorizationCode), clock.now())) return true;
      await endReusedCode(services, actor, authorizationCode);
      return false;
    },
    // The token is looked at, locked and renewed in one transaction when the new pair is saved.
    async getRefreshToken(refreshToken) {
      const found = await findRefreshToken(db, hashToken(refreshToken));
      if (!found) return null;
      const bearer: Bearer = { kind: 'renewal', refreshToken };
      const requested = parseScopes(given.body['scope']) ?? [];
      const scope = areWithin(requested, found.scopes) ? [...found.scopes, ...requested] : found.scopes;
      return { refreshToken, scope, client: { id: found.client_id, grants: [] }, user: bearer };
    },
    async revokeToken() {
      return true;
    },
    async saveToken(token, _client, user) {
      keep(await tokensFor(services, actor, given, client, user as Bearer, token.scope ?? []));
      return { ...token, client: shown, user };
    },
    async getAccessToken() {
      return null;
    },
  };
}

async function tokensFor(
  services: Dependencies,
  actor: Actor,
  { userAgent, body }: TokenRequest,
  client: OauthClientRow,
  bearer: Bearer,
  scopes: readonly string[],
): Promise<IssuedTokens> {
  switch (bearer.kind) {
    case 'login':
      return await beginSession(services, actor, { kind: 'password', client, owner: bearer.owner, scopes, userAgent });
    case 'client':
      return await issueClientTokens(services, actor, { client, scopes, userAgent });
    case 'consent': {
      const tokens = await exchangeCode(services, actor, client, bearer.code, scopes);
      if (!tokens) throw new OAuth2Server.InvalidGrantError('The code was used before, or its owner is inactive.');
      return tokens;
    }
    case 'renewal': {
      const requested = parseScopes(body['scope']);
      return await renew(services, actor, client.id, bearer.refreshToken, requested);
    }
  }
}

async function renew(
  services: Dependencies,
  actor: Actor,
  clientId: string,
  refreshToken: string,
  requested: readonly string[] | null,
): Promise<IssuedTokens> {
  const renewal = await renewTokens(
    services,
    actor,
    refreshToken,
    (row) => row.client_id === clientId,
    (granted) => (requested === null ? granted : areWithin(requested, granted) ? requested : null),
  );
  if ('tokens' in renewal) return renewal.tokens;
  if (renewal.refusal === 'scope')
    throw new OAuth2Server.InvalidScopeError('The scope is wider than the one that was granted.');
  throw new OAuth2Server.InvalidGrantError(renewal.refusal);
}

/**
 * What the client is given of what it asks for, by default all that it may; the library answers `invalid_scope` to null.
 * @throws `invalid_scope` naming the scope.
 */
function grantableScopes(
  kind: Bearer['kind'],
  allowed: readonly string[],
  requested: readonly string[],
): string[] | null {
  // What was consented to may have become more than the client may.
  if (kind === 'consent') return atLeastOne(intersectScopes(requested, allowed));
  const wanted = requested.length === 0 ? allowed : [...new Set(requested)];
  const beyond = firstBeyond(wanted, allowed);
  if (beyond !== null) throw new OAuth2Server.InvalidScopeError(beyondSentence(beyond));
  if (kind === 'client' && wanted.includes('*'))
    throw new OAuth2Server.InvalidScopeError(
      'A client that acts for itself cannot have the scope *. Name the scopes that it needs.',
    );
  return atLeastOne(wanted);
}

/** Without quotes: RFC 6749 lets an `error_description` have none. */
function beyondSentence(scope: string): string {
  return isScope(scope) ? `The client may not ask for the scope ${scope}.` : `There is no scope ${scope}.`;
}

function atLeastOne(scopes: readonly string[]): string[] | null {
  return scopes.length === 0 ? null : [...scopes];
}

/** The request for the code and the one for the tokens name the same address (RFC 6749, 4.1.3). */
function requireSameRedirect({ redirect_uri: asked }: AuthorizationCodeRow, given: unknown): void {
  if (asked === null ? given === undefined : given === asked) return;
  throw new OAuth2Server.InvalidGrantError('The redirect_uri is another one than that of the authorization request.');
}

/** The library wraps what is none of its own errors. */
function oauthFailure(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError)) return error;
  const inner: unknown = (error as { inner?: unknown }).inner;
  if (error.name === 'server_error')
    return inner instanceof Error ? inner : unavailable('busy', 'The token endpoint cannot answer now.');
  if (error.name === 'invalid_client') return clientRefused(error.message);
  return new Failure('oauth-refused', error.message, { oauthError: error.name });
}
