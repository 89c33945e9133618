import type { Database } from '../../../database/connect.ts';
import { parseIdentifier } from '../../../platform/identity/identifier.ts';
import { findClient, type OauthClientRow } from '../clients/client-store.ts';
import { isRegistered } from './redirect-uris.ts';
import { areScopesAllowed, parseScopes } from '../tokens/scopes.ts';

/** A valid authorization request. */
export interface AuthorizationRequest {
  readonly client: OauthClientRow;
  /** The redirect address. */
  readonly target: string;
  /** As in the request; null if the request had none, so that the only registered address is used. */
  readonly redirectUri: string | null;
  readonly state: string | null;
  readonly scopes: readonly string[];
  /** The PKCE challenge of the method S256. */
  readonly codeChallenge: string | null;
}

/** The errors of RFC 6749, 4.1.2.1. */
export type AuthorizationError =
  | 'access_denied'
  | 'invalid_request'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_response_type';

export type AuthorizationResult =
  | { readonly kind: 'valid'; readonly request: AuthorizationRequest }
  /** The error is not sent to the client, because the client is unknown or the redirect address is not registered. */
  | { readonly kind: 'unusable'; readonly reason: 'client' | 'redirect-uri' }
  | {
      readonly kind: 'refused';
      readonly target: string;
      readonly state: string | null;
      readonly error: AuthorizationError;
      readonly description: string;
    };

/**
 * Reads an authorization request (RFC 6749, 4.1.1; RFC 7636, 4.3). Checks the client and the redirect address first.
 */
export async function readAuthorizationRequest(db: Database, query: URLSearchParams): Promise<AuthorizationResult> {
  const client = await findRequestingClient(db, query);
  if (!client) return { kind: 'unusable', reason: 'client' };
  const address = redirectTargetOf(client, query);
  if (!address) return { kind: 'unusable', reason: 'redirect-uri' };
  const { target, redirectUri } = address;
  const states = valuesOf(query, 'state');
  const state = states.length === 1 ? (states[0] ?? null) : null;
  const refuse = (error: AuthorizationError, description: string) =>
    ({ kind: 'refused', target, state, error, description }) as const;

  const repeatedName = [...query.keys()].find((name) => query.getAll(name).length > 1);
  if (repeatedName !== undefined) return refuse('invalid_request', 'A parameter is sent more than once.');
  const responseType = valueOf(query, 'response_type');
  if (responseType === null) return refuse('invalid_request', 'The response_type is missing.');
  if (responseType !== 'code') return refuse('unsupported_response_type', 'The response_type must be code.');
  if ((valueOf(query, 'response_mode') ?? 'query') !== 'query')
    return refuse('invalid_request', 'The response_mode must be query.');
  if (!client.grants.includes('authorization_code'))
    return refuse('unauthorized_client', 'The client may not use the authorization code grant.');
  const codeChallenge = valueOf(query, 'code_challenge');
  const fault = challengeFault(client, codeChallenge, valueOf(query, 'code_challenge_method'));
  if (fault !== null) return refuse('invalid_request', fault);
  const scopes = parseScopes(valueOf(query, 'scope')) ?? client.scopes;
  if (scopes.length === 0 || !areScopesAllowed(scopes, client.scopes))
    return refuse('invalid_scope', 'The scope is unknown, or the client may not request it.');
  return { kind: 'valid', request: { client, target, redirectUri, state, scopes, codeChallenge } };
}

/** Adds the parameters of the answer and the issuer (RFC 9207) to the redirect address. */
export function answerAddress(
  target: string,
  issuer: string,
  state: string | null,
  answer: Readonly<Record<string, string>>,
): string {
  const parameters = new URLSearchParams({ ...answer, ...(state === null ? {} : { state }), iss: issuer });
  return `${target}${target.includes('?') ? '&' : '?'}${parameters.toString()}`;
}

async function findRequestingClient(db: Database, query: URLSearchParams): Promise<OauthClientRow | null> {
  const values = valuesOf(query, 'client_id');
  const id = values.length === 1 ? parseIdentifier('client', values[0] ?? '') : null;
  const client = id === null ? undefined : await findClient(db, id);
  return client && !client.proxy ? client : null;
}

function redirectTargetOf(
  { redirect_uris: registered }: OauthClientRow,
  query: URLSearchParams,
): Pick<AuthorizationRequest, 'target' | 'redirectUri'> | null {
  const values = valuesOf(query, 'redirect_uri');
  const [address] = values;
  if (values.length > 1) return null;
  if (address !== undefined)
    return isRegistered(address, registered) ? { target: address, redirectUri: address } : null;
  const [registeredAddress] = registered;
  return registered.length === 1 && registeredAddress !== undefined
    ? { target: registeredAddress, redirectUri: null }
    : null;
}

function challengeFault(client: OauthClientRow, challenge: string | null, method: string | null): string | null {
  if (challenge === null) {
    if (method !== null) return 'The code_challenge is missing.';
    return client.confidential ? null : 'The client must send a code_challenge (PKCE).';
  }
  // Without a method, RFC 7636 means `plain`, which exposes the verifier in the request.
  if (method !== 'S256') return 'The code_challenge_method must be S256.';
  return challengeShape.test(challenge) ? null : 'The code_challenge must be a SHA-256 hash in base64url.';
}

const challengeShape = /^[A-Za-z0-9_-]{43}$/;

/** A parameter without a value counts as omitted (RFC 6749, 3.1). */
function valuesOf(query: URLSearchParams, name: string): string[] {
  return query.getAll(name).filter((value) => value !== '');
}

function valueOf(query: URLSearchParams, name: string): string | null {
  return valuesOf(query, name)[0] ?? null;
}
