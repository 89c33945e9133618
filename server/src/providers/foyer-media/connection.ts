import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { parseCaCertificate } from '../ca-certificate.ts';
import type { CircuitBreaker } from '../circuit-breaker.ts';
import { rejectionFailure } from '../http/http-failure.ts';
import type { HttpAnswer, Transport, ErrorHints } from '../http/transport.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { ProviderConnection } from '../provider-type.ts';

export interface MediaConnection {
  readonly providerId: string;
  readonly hostUrl: string;
  readonly publicUrl: string;
  readonly secret: string;
  readonly transport: Transport;
  readonly breaker: CircuitBreaker;
}

export interface MediaRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** The path with its query. */
  readonly path: string;
  readonly json?: unknown;
  readonly file?: { readonly type: string; readonly bytes: Uint8Array };
}

export type Json = Readonly<Record<string, unknown>>;

export const addressAdvice = 'Check the address of the media server and that it runs.';
const errorHints: ErrorHints = { address: addressAdvice, gateway: 'Check that the media server runs.' };

/** @throws ProviderFailure `misconfigured` for properties that cannot be used. */
export function connectMedia({ providerId, properties, breaker, transport }: ProviderConnection): MediaConnection {
  const { host_url: hostUrl, public_url: publicUrl, secret, ca_certificate: ca } = properties;
  const misconfigured = (message: string) => new ProviderFailure('misconfigured', providerId, message);
  if (typeof hostUrl !== 'string' || hostUrl === '') throw misconfigured('The provider has no address.');
  if (typeof secret !== 'string' || secret === '') throw misconfigured('The provider has no secret.');
  const parsedCa = typeof ca === 'string' ? parseCaCertificate(ca) : null;
  if (parsedCa?.ok === false) throw misconfigured(parsedCa.message);
  return {
    providerId,
    hostUrl,
    publicUrl: typeof publicUrl === 'string' && publicUrl !== '' ? publicUrl : hostUrl,
    secret,
    transport: transport(errorHints, parsedCa?.value ?? null),
    breaker,
  };
}

/**
 * Sends a signed request, and repeats it once if the connection failed, since every request is idempotent.
 * @returns the JSON of the answer; an empty object if it has none
 * @throws ProviderFailure; `refused` with the code of the media server as `messageKey`
 */
export async function requestMedia(connection: MediaConnection, request: MediaRequest): Promise<Json> {
  return await connection.breaker.run(async () => {
    try {
      return await requestMediaOnce(connection, request);
    } catch (error) {
      if (error instanceof ProviderFailure && error.kind === 'unreachable')
        return await requestMediaOnce(connection, request);
      throw error;
    }
  });
}

/** One attempt that the circuit breaker does not count. */
export async function requestMediaOnce(connection: MediaConnection, request: MediaRequest): Promise<Json> {
  const { providerId, hostUrl, secret, transport } = connection;
  const { method, path, json, file } = request;
  const content = file?.bytes ?? (json === undefined ? null : Buffer.from(JSON.stringify(json)));
  const url = `${hostUrl}${path}`;
  const timestamp = String(Math.floor(Date.now() / 1000));
  // Against replay: the media server accepts each signature once.
  const nonce = randomBytes(16).toString('hex');
  const { pathname, search } = new URL(url);
  const signedRequest = { timestamp, nonce, method, path: `${pathname}${search}`, body: content ?? Buffer.alloc(0) };
  const answer = await transport.send(providerId, {
    url,
    form: null,
    custom: { method, content, contentType: file?.type ?? 'application/json' },
    headers: {
      'x-foyer-timestamp': timestamp,
      'x-foyer-nonce': nonce,
      'x-foyer-signature': sign(secret, signedRequest),
    },
    accept: 'application/json',
  });
  return readAnswer(providerId, answer);
}

interface SignedRequest {
  readonly timestamp: string;
  readonly nonce?: string;
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
}

function sign(secret: string, { timestamp, nonce, method, path, body }: SignedRequest): string {
  const digest = createHash('sha256').update(body).digest('hex');
  const time = nonce === undefined ? timestamp : `${timestamp}.${nonce}`;
  return createHmac('sha256', secret).update(`${time}.${method}.${path}.${digest}`).digest('hex');
}

/** How far the clocks may differ, in either direction. */
const clockToleranceSeconds = 300;

/** Whether the media server with this secret signed the request within the last five minutes. */
export function isSignatureValid(
  secret: string,
  request: SignedRequest & { signature: string; nowMs: number },
): boolean {
  if (!/^\d{1,12}$/.test(request.timestamp)) return false;
  if (Math.abs(request.nowMs / 1000 - Number(request.timestamp)) > clockToleranceSeconds) return false;
  const [expected, actual] = [Buffer.from(sign(secret, request)), Buffer.from(request.signature)];
  return expected.length === actual.length && timingSafeEqual(expected, actual);
}

export function readAnswer(providerId: string, answer: HttpAnswer): Json {
  const json = answer.text === '' ? {} : parse(answer.text);
  if (answer.status < 300 && json) return json;
  const error = json?.['error'] as Json | undefined;
  const { code, message } = error ?? {};
  if (answer.status === 401)
    throw new ProviderFailure('checksum', providerId, 'Wrong secret. Copy it again from FOYER_MEDIA_SECRET.');
  if (typeof code === 'string')
    throw new ProviderFailure('refused', providerId, typeof message === 'string' ? message.slice(0, 500) : '', {
      messageKey: code.slice(0, 100),
    });
  if (answer.status >= 400) throw rejectionFailure(providerId, answer.status, addressAdvice);
  throw new ProviderFailure(
    'malformed',
    providerId,
    `The server did not return an answer of the media server API. ${addressAdvice}`,
  );
}

function parse(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null;
  } catch {
    return null;
  }
}
