import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

export interface SignedParts {
  /** Unix seconds. */
  readonly timestamp: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly body: Uint8Array;
}

/** In seconds, in either direction. */
const tolerance = 300;

/** Platform and media server sign their requests with the shared secret. */
export function sign(secret: string, { timestamp, method, path, body }: SignedParts): string {
  const digest = createHash('sha256').update(body).digest('hex');
  return createHmac('sha256', secret).update(`${timestamp}.${method}.${path}.${digest}`).digest('hex');
}

export function isSigned(
  secret: string,
  request: SignedParts & { readonly signature: string },
  nowMs: number,
): boolean {
  if (!/^\d{1,12}$/.test(request.timestamp)) return false;
  if (Math.abs(nowMs / 1000 - Number(request.timestamp)) > tolerance) return false;
  return isEqual(sign(secret, request), request.signature);
}

/** In constant time. */
export function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
