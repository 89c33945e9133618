import type { FoyerEvent } from './events.ts';

/** The body of a request to a webhook. */
export interface WebhookMessage {
  /** The name of the event. */
  readonly type: FoyerEvent['name'];
  readonly timestamp: string;
  readonly data: FoyerEvent;
  /** Set for a test request with an example event. */
  readonly test?: true;
}

/** The request cannot be verified as one of the platform, or is too old. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

type HeaderSource = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Older requests could be replayed. */
const toleranceSeconds = 300;

/**
 * Verifies a request to a webhook by the Standard Webhooks specification.
 * @param body exactly as it was received, not parsed
 * @param secret the secret that was shown once, `whsec_…`
 * @throws WebhookVerificationError
 */
export async function verifyWebhook(headers: HeaderSource, body: string, secret: string): Promise<WebhookMessage> {
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    readHeader(headers, name),
  );
  if (!id || !timestamp || !signatures)
    throw new WebhookVerificationError('The request has no webhook-id, webhook-timestamp or webhook-signature.');
  const age = Math.abs(Date.now() / 1000 - Number(timestamp));
  if (!(age <= toleranceSeconds))
    throw new WebhookVerificationError('The timestamp of the request is too old or too far in the future.');
  const keyBytes = fromBase64(secret.replace(/^whsec_/, ''));
  if (keyBytes.length === 0)
    throw new WebhookVerificationError('The secret is empty or not Base64. Copy it again, with “whsec_”.');
  const key = await crypto.subtle.importKey('raw', keyBytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  for (const signature of signatures.split(' ')) {
    const [version, value = ''] = signature.split(',');
    if (version !== 'v1') continue;
    // Compares in constant time.
    if (await crypto.subtle.verify('HMAC', key, fromBase64(value), signed)) return parseMessage(body);
  }
  throw new WebhookVerificationError('The signature of the request does not match.');
}

function parseMessage(body: string): WebhookMessage {
  try {
    return JSON.parse(body) as WebhookMessage;
  } catch {
    throw new WebhookVerificationError('The body of the request is not JSON.');
  }
}

function readHeader(headers: HeaderSource, name: string): string | null {
  if (headers instanceof Headers) return headers.get(name);
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : (value?.[0] ?? null);
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}
