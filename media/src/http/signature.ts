import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedParts {
  /** Unix seconds. */
  readonly timestamp: string;
  /** Requests of the platform have one, so that no two have the same signature. */
  readonly nonce?: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** How far the clocks of platform and media server may differ. */
const toleranceSeconds = 300;

/** Platform and media server sign their requests with the shared secret. */
export function sign(secret: string, { timestamp, nonce, method, path, body }: SignedParts): string {
  const digest = createHash('sha256').update(body).digest('hex');
  const prefix = nonce === undefined ? timestamp : `${timestamp}.${nonce}`;
  return createHmac('sha256', secret).update(`${prefix}.${method}.${path}.${digest}`).digest('hex');
}

/** Whether the signature is that of the request, and its timestamp is recent. */
export function isSignatureValid(
  secret: string,
  request: SignedParts & { readonly signature: string },
  nowMs: number,
): boolean {
  if (!/^\d{1,12}$/.test(request.timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(request.timestamp)) > toleranceSeconds) return false;
  return isEqual(sign(secret, request), request.signature);
}

export type SignedRequest = Required<SignedParts> & { readonly signature: string };

/** Checks the signatures of requests, and accepts each signature once. */
export function createSignatureCheck(secret: string): (request: SignedRequest) => 'valid' | 'invalid' | 'replayed' {
  // An earlier process may have accepted requests that were signed before the start.
  const startedAt = Math.floor(Date.now() / 1000);
  /** When each signature can be forgotten, in milliseconds; oldest first. */
  const accepted = new Map<string, number>();

  return (request) => {
    const now = Date.now();
    if (!/^[0-9a-f]{32}$/.test(request.nonce) || !isSignatureValid(secret, request, now)) return 'invalid';
    for (const [signature, untilMs] of accepted) {
      if (untilMs > now) break;
      accepted.delete(signature);
    }
    if (Number(request.timestamp) < startedAt || accepted.has(request.signature)) return 'replayed';
    // The timestamp can be up to `toleranceSeconds` in the future.
    accepted.set(request.signature, now + 2 * toleranceSeconds * 1000);
    return 'valid';
  };
}

/** In constant time. */
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
