import { timingSafeEqual } from 'node:crypto';
import type { Database } from '../../../database/connect.ts';
import { Failure } from '../../../platform/failures.ts';
import { parseIdentifier } from '../../../platform/identity/identifier.ts';
import { hashToken } from '../../../platform/crypto/opaque-token.ts';
import { findClient, type OauthClientRow } from './client-store.ts';

/** A request to an endpoint of the OAuth protocol. */
export interface ProtocolRequest {
  readonly authorization: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ClientCredentials {
  readonly id: string | null;
  readonly secret: string | null;
}

/**
 * The credentials of the client, from HTTP Basic or the body (RFC 6749, 2.3.1), never both.
 * @throws 400 `invalid_request`, 401 `invalid_client`
 */
export function clientCredentialsOf({ authorization, body }: ProtocolRequest): ClientCredentials {
  const inBody = { id: textOf(body['client_id']), secret: textOf(body['client_secret']) };
  // A bearer token does not identify the client; some libraries send it with every request.
  const isBearer = authorization !== undefined && /^bearer /i.test(authorization);
  if (authorization === undefined || (isBearer && inBody.id !== null)) return inBody;
  const inHeader = readBasic(authorization);
  if (!inHeader)
    throw invalidClient('The Authorization header must be HTTP Basic, with the id and secret of the client.');
  if (inBody.secret !== null) throw invalidRequest('The client must use only one authentication method.');
  if (inBody.id !== null && inBody.id !== inHeader.id)
    throw invalidRequest('The client_id differs from the one in the Authorization header.');
  return inHeader;
}

/**
 * Finds the client of a request. A confidential client is authenticated; a public one only identifies itself.
 * @throws 400 `invalid_request`, 401 `invalid_client`
 */
export async function authenticateClient(db: Database, request: ProtocolRequest): Promise<OauthClientRow> {
  const { id, secret } = clientCredentialsOf(request);
  if (id === null) throw invalidClient('The client_id is missing.');
  const client = await findVerifiedClient(db, id, secret);
  if (!client) throw invalidClient('The client is unknown, or its secret is wrong.');
  return client;
}

/** Null for an unknown client or a wrong secret. A secret for a public client is wrong, too. */
export async function findVerifiedClient(
  db: Database,
  id: string,
  secret: string | null,
): Promise<OauthClientRow | null> {
  const uuid = parseIdentifier('client', id);
  const client = uuid ? await findClient(db, uuid) : undefined;
  if (!client) return null;
  if (!client.confidential) return secret === null ? client : null;
  const hash = hashToken(secret ?? '');
  return client.secret_hash && timingSafeEqual(hash, client.secret_hash) ? client : null;
}

export function invalidClient(sentence: string): Failure {
  return new Failure('oauth-client-refused', sentence, { oauthError: 'invalid_client' });
}

export function invalidRequest(sentence: string): Failure {
  return new Failure('oauth-refused', sentence, { oauthError: 'invalid_request' });
}

/** The id and the secret are form-encoded before they are encoded in base64 (RFC 6749, 2.3.1). */
function readBasic(authorization: string): ClientCredentials | null {
  const [, encoded] = /^basic +([A-Za-z0-9+/_=-]+) *$/i.exec(authorization) ?? [];
  if (encoded === undefined) return null;
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? [];
  if (!id || secret === undefined) return null;
  try {
    return { id: formDecode(id), secret: secret === '' ? null : formDecode(secret) };
  } catch {
    return null;
  }
}

function formDecode(text: string): string {
  return decodeURIComponent(text.replaceAll('+', ' '));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
