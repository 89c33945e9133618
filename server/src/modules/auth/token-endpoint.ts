import OAuth2Server from '@node-oauth/oauth2-server';
import { timingSafeEqual } from 'node:crypto';
import type { ChangeServices } from '../../events/change.ts';
import { Failure, unavailable } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import { parseIdentifier } from '../../platform/identifier.ts';
import { hashToken } from '../../platform/opaque-token.ts';
import { checkCredentials } from './check-credentials.ts';
import { findClient, findRefreshToken, type OauthClientRow, type Owner } from './store.ts';
import { type IssuedTokens, issueTokens, renewTokens } from './tokens.ts';

export interface TokenRequest {
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Whoever the library carries from one step of a grant to the next. */
type Bearer =
  | { readonly kind: 'login'; readonly owner: Owner }
  | { readonly kind: 'renewal'; readonly refreshToken: string };

/**
 * The token endpoint of RFC 6749. The library speaks the protocol; tokens are ours.
 * @throws 400 or 401 with the `error` that the RFC names.
 */
export async function answerTokenRequest(
  services: ChangeServices,
  actor: Actor,
  given: TokenRequest,
): Promise<IssuedTokens> {
  let issued: IssuedTokens | null = null;
  const server = new OAuth2Server({
    model: modelFor(services, actor, requestedScopesOf(given.body), (tokens) => {
      issued = tokens;
    }),
    accessTokenLifetime: services.settings().access_token_seconds,
    refreshTokenLifetime: services.settings().refresh_token_seconds,
  });
  const request = new OAuth2Server.Request({
    method: 'POST',
    query: {},
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': '1',
      ...(given.authorization ? { authorization: given.authorization } : {}),
    },
    body: given.body,
  });
  try {
    await server.token(request, new OAuth2Server.Response());
  } catch (error) {
    throw oauthFailure(error);
  }
  if (!issued) throw new Error('the grant issued no token');
  return issued;
}

function modelFor(
  services: ChangeServices,
  actor: Actor,
  requestedScopes: readonly string[] | null,
  keep: (tokens: IssuedTokens) => void,
): OAuth2Server.PasswordModel & OAuth2Server.RefreshTokenModel {
  const { db } = services;
  return {
    async getClient(id, secret) {
      const client = await verifiedClient(services, id, secret);
      return client ? { id: client.id, grants: client.grants, row: client } : null;
    },
    async getUser(name, password, client) {
      const row = client['row'] as OauthClientRow;
      if (!row.first_party) return null;
      const owner = await checkCredentials(db, row.population as Owner['population'], name, password);
      return owner ? ({ kind: 'login', owner } satisfies Bearer) : null;
    },
    async validateScope(_user, client, requested) {
      return allowedScopes((client['row'] as OauthClientRow).scopes, requested);
    },
    // The token is looked at, locked and renewed in one transaction when the new pair is saved.
    async getRefreshToken(refreshToken) {
      const found = await findRefreshToken(db, hashToken(refreshToken));
      if (!found) return null;
      const bearer: Bearer = { kind: 'renewal', refreshToken };
      const scope = found.scopes.includes('*') ? [...found.scopes, ...(requestedScopes ?? [])] : found.scopes;
      return { refreshToken, scope, client: { id: found.client_id, grants: [] }, user: bearer };
    },
    async revokeToken() {
      return true;
    },
    async saveToken(token, client, user) {
      const bearer = user as Bearer;
      const scopes = token.scope ?? [];
      const tokens =
        bearer.kind === 'login'
          ? await issueTokens(services, actor, client.id, bearer.owner, scopes)
          : await renew(services, actor, client.id, bearer.refreshToken, scopes);
      keep(tokens);
      return { ...token, client, user };
    },
    async getAccessToken() {
      return null;
    },
  };
}

async function verifiedClient(
  services: ChangeServices,
  id: string,
  secret: string | null,
): Promise<OauthClientRow | null> {
  const uuid = parseIdentifier('client', id);
  const client = uuid ? await findClient(services.db, uuid) : undefined;
  if (!client) return null;
  if (!client.confidential) return client;
  const hash = hashToken(secret ?? '');
  return client.secret_hash && timingSafeEqual(hash, client.secret_hash) ? client : null;
}

async function renew(
  services: ChangeServices,
  actor: Actor,
  clientId: string,
  refreshToken: string,
  scopes: readonly string[],
): Promise<IssuedTokens> {
  const renewal = await renewTokens(
    services,
    actor,
    refreshToken,
    (row) => row.client_id === clientId,
    (granted) => (scopes.length === 0 ? granted : reducedScopes(granted, scopes)),
  );
  if ('tokens' in renewal) return renewal.tokens;
  if (renewal.refusal === 'scope')
    throw new OAuth2Server.InvalidScopeError('The scope is wider than the one that was granted.');
  throw new OAuth2Server.InvalidGrantError(renewal.refusal);
}

/** What the client may ask for; the library answers `invalid_scope` to null. */
function allowedScopes(allowed: readonly string[], requested: readonly string[] | undefined): string[] | null {
  if (!requested || requested.length === 0) return [...allowed];
  return requested.every((scope) => allowed.includes('*') || allowed.includes(scope)) ? [...requested] : null;
}

function reducedScopes(granted: readonly string[], requested: readonly string[]): readonly string[] | null {
  return requested.every((scope) => granted.includes('*') || granted.includes(scope)) ? requested : null;
}

function oauthFailure(error: unknown): unknown {
  if (!(error instanceof OAuth2Server.OAuthError)) return error;
  const inner: unknown = (error as { inner?: unknown }).inner;
  if (error.name === 'server_error')
    return inner instanceof Error ? inner : unavailable('busy', 'The token endpoint cannot answer now.');
  const code = error.name === 'invalid_client' ? 'oauth-client-refused' : 'oauth-refused';
  return new Failure(code, error.message, { oauthError: error.name });
}

function requestedScopesOf(body: TokenRequest['body']): string[] | null {
  return typeof body['scope'] === 'string' ? body['scope'].split(' ').filter((scope) => scope !== '') : null;
}
