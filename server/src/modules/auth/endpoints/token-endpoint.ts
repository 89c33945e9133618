import { isScope } from '@foyer/contract/conventions/scope.ts';
import { createHash } from 'node:crypto';
import type { Dependencies } from '../../../dependencies.ts';
import { Failure } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { hashToken } from '../../../platform/crypto/opaque-token.ts';
import { endReusedCode, exchangeCode } from '../authorization-code/authorization-codes.ts';
import { findCode, markCodeUsed } from '../authorization-code/authorization-store.ts';
import { beginSession } from '../sessions/begin-session.ts';
import { checkCredentials, signInFailure } from '../sessions/check-credentials.ts';
import { authenticateClient, invalidRequest, type ProtocolRequest } from '../clients/client-authentication.ts';
import type { OauthClientRow } from '../clients/client-store.ts';
import { areScopesAllowed, findDisallowedScope, intersectScopes, parseScopes } from '../tokens/scopes.ts';
import { type IssuedTokens, issueClientTokens, renewTokens } from '../tokens/tokens.ts';

export interface TokenRequest extends ProtocolRequest {
  readonly userAgent: string | null;
}

interface GrantRequest {
  readonly actor: Actor;
  readonly client: OauthClientRow;
  readonly body: ProtocolRequest['body'];
  readonly userAgent: string | null;
}

type Grant = (dependencies: Dependencies, request: GrantRequest) => Promise<IssuedTokens>;

/** The token endpoint (RFC 6749, 3.2). @throws 400 or 401 with an `error` of the RFC */
export async function answerTokenRequest(
  dependencies: Dependencies,
  actor: Actor,
  { authorization, body, userAgent }: TokenRequest,
): Promise<IssuedTokens> {
  const { grant_type: type } = body;
  if (type === undefined) throw invalidRequest('The grant_type is missing.');
  const client = await authenticateClient(dependencies.db, { authorization, body });
  const grant = typeof type === 'string' ? grants.get(type) : undefined;
  if (!grant) throw refusal('unsupported_grant_type', 'This grant_type is not supported.');
  if (!client.grants.some((allowedGrant) => allowedGrant === type))
    throw refusal('unauthorized_client', 'The client may not use this grant_type.');
  return await grant(dependencies, { actor, client, body, userAgent });
}

const grants: ReadonlyMap<string, Grant> = new Map([
  ['authorization_code', authorizationCodeGrant],
  ['client_credentials', clientCredentialsGrant],
  ['password', passwordGrant],
  ['refresh_token', refreshTokenGrant],
]);

/** RFC 6749, 4.1.3, with PKCE (RFC 7636, 4.6). */
async function authorizationCodeGrant(dependencies: Dependencies, request: GrantRequest): Promise<IssuedTokens> {
  const { db, clock } = dependencies;
  const { actor, client, body } = request;
  const code = requiredText(body, 'code', visibleText);
  const hash = hashToken(code);
  const row = await findCode(db, hash);
  if (row?.client_id !== client.id) throw refusal('invalid_grant', 'The code is unknown.');
  if (row.used_at === null) {
    if (Date.parse(row.expires_at) <= clock.nowMs()) throw refusal('invalid_grant', 'The code has expired.');
    if (row.redirect_uri !== (body['redirect_uri'] ?? null))
      throw refusal('invalid_grant', 'The redirect_uri differs from that of the authorization request.');
  }
  if (row.used_at !== null || !(await markCodeUsed(db, hash, clock.now()))) {
    await endReusedCode(dependencies, actor, code);
    throw refusal('invalid_grant', 'The code was used before. Its tokens have been revoked.');
  }
  // Checked after the code is marked as used, so that each code allows one attempt to guess its verifier.
  checkCodeVerifier(row.code_challenge, body);
  // The scopes of the client may have been reduced since the consent.
  const scopes = atLeastOne(intersectScopes(row.scopes, client.scopes));
  const tokens = await exchangeCode(dependencies, actor, { client, code, scopes });
  if (!tokens) throw refusal('invalid_grant', 'The code was used before, or its owner is inactive.');
  return tokens;
}

/** RFC 6749, 4.3. */
async function passwordGrant(dependencies: Dependencies, request: GrantRequest): Promise<IssuedTokens> {
  const { actor, client, body, userAgent } = request;
  const requested = requestedScopes(body);
  const username = requiredText(body, 'username', unicodeText);
  const password = requiredText(body, 'password', unicodeText);
  if (!client.first_party) throw refusal('unauthorized_client', 'Only first-party clients can use passwords.');
  const otp = typeof body['otp'] === 'string' ? body['otp'] : null;
  const check = await checkCredentials(dependencies, {
    population: client.population,
    name: username,
    password,
    otp,
    address: actor.address,
  });
  if ('refusal' in check) throw signInFailure(check.refusal);
  const scopes = grantableScopes(client, requested);
  return await beginSession(dependencies, actor, { kind: 'password', client, owner: check.owner, scopes, userAgent });
}

/** RFC 6749, 4.4. */
async function clientCredentialsGrant(dependencies: Dependencies, request: GrantRequest): Promise<IssuedTokens> {
  const { actor, client, body, userAgent } = request;
  const requested = requestedScopes(body);
  if (!client.confidential || client.population !== 'admins')
    throw refusal('unauthorized_client', 'Only confidential clients of administrators can act for themselves.');
  const scopes = grantableScopes(client, requested);
  if (scopes.includes('*'))
    throw refusal(
      'invalid_scope',
      'A client that acts for itself cannot have the scope *. List the scopes that it needs.',
    );
  return await issueClientTokens(dependencies, actor, { client, scopes, userAgent });
}

/** RFC 6749, 6. */
async function refreshTokenGrant(dependencies: Dependencies, request: GrantRequest): Promise<IssuedTokens> {
  const { actor, client, body } = request;
  const token = requiredText(body, 'refresh_token', visibleText);
  const requested = requestedScopes(body);
  const renewal = await renewTokens(dependencies, actor, token, {
    accepts: (row) => row.client_id === client.id,
    narrow: (granted) => (requested === null ? granted : areScopesAllowed(requested, granted) ? requested : null),
  });
  if ('tokens' in renewal) return renewal.tokens;
  if (renewal.refusal === 'scope') throw refusal('invalid_scope', 'The scope exceeds the one that was granted.');
  throw refusal('invalid_grant', renewal.refusal);
}

function checkCodeVerifier(challenge: string | null, body: GrantRequest['body']): void {
  if (challenge === null) {
    if (body['code_verifier'] === undefined) return;
    throw refusal('invalid_grant', 'The authorization request had no code_challenge.');
  }
  if (body['code_verifier'] === undefined) throw refusal('invalid_grant', 'The code_verifier is missing.');
  const verifier = requiredText(body, 'code_verifier', /^[\w.~-]{43,128}$/);
  if (createHash('sha256').update(verifier).digest('base64url') !== challenge)
    throw refusal('invalid_grant', 'The code_verifier does not match the code_challenge.');
}

/** Null if the request has none. */
function requestedScopes({ scope }: GrantRequest['body']): readonly string[] | null {
  if (scope === undefined) return null;
  if (typeof scope !== 'string' || !scopeText.test(scope.trim()))
    throw refusal('invalid_scope', 'The scope is malformed.');
  return parseScopes(scope);
}

/** The requested scopes; without a request, all scopes of the client. */
function grantableScopes({ scopes: allowed }: OauthClientRow, requested: readonly string[] | null): readonly string[] {
  const scopes = requested ?? allowed;
  const disallowed = findDisallowedScope(scopes, allowed);
  if (disallowed === null) return atLeastOne(scopes);
  // Without quotation marks: an error_description must not contain any (RFC 6749, 5.2).
  const sentence = isScope(disallowed)
    ? `The client may not request the scope ${disallowed}.`
    : `There is no scope ${disallowed}.`;
  throw refusal('invalid_scope', sentence);
}

function atLeastOne(scopes: readonly string[]): readonly string[] {
  if (scopes.length === 0) throw refusal('invalid_scope', 'The client may not have any of these scopes.');
  return scopes;
}

/** The character sets of RFC 6749, appendix A. */
const visibleText = /^[\x20-\x7e]+$/;
const unicodeText = /^[\t\x20-\x7e\u0080-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]+$/u;
const scopeText = /^[\x20\x21\x23-\x5b\x5d-\x7e]+$/;

function requiredText(body: GrantRequest['body'], name: string, format: RegExp): string {
  const text = body[name];
  if (text === undefined) throw invalidRequest(`The ${name} is missing.`);
  if (typeof text !== 'string' || !format.test(text)) throw invalidRequest(`The ${name} is malformed.`);
  return text;
}

function refusal(oauthError: string, sentence: string): Failure {
  return new Failure('oauth-refused', sentence, { oauthError });
}
