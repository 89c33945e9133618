import { createHmac, timingSafeEqual } from 'node:crypto';

export interface LinkContext {
  /** A secret of the installation. */
  readonly key: string;
  readonly nowMs: number;
}

export interface SignedLink {
  readonly url: string;
  readonly expiresAtMs: number;
}

/**
 * Signs a link that needs no other credential. The link is valid for at least three quarters of the time and at most
 * all of it. It stays the same for a quarter of the time, so that answers that contain it can be cached.
 */
export function signLink(
  { key, nowMs, minutes }: LinkContext & { readonly minutes: number },
  publicUrl: string,
  path: string,
): SignedLink {
  const quarterSeconds = minutes * 15;
  return signExpiringLink(key, (Math.floor(nowMs / 1000 / quarterSeconds) + 4) * quarterSeconds, publicUrl, path);
}

/** Signs a link that needs no other credential and is valid for exactly this many minutes. */
export function signNewLink(
  { key, nowMs, minutes }: LinkContext & { readonly minutes: number },
  publicUrl: string,
  path: string,
): SignedLink {
  return signExpiringLink(key, Math.floor(nowMs / 1000) + minutes * 60, publicUrl, path);
}

/** @param path may have a query, which is signed as well @param expires in seconds */
function signExpiringLink(key: string, expires: number, publicUrl: string, path: string): SignedLink {
  const url = `${publicUrl}${path}${path.includes('?') ? '&' : '?'}expires=${expires}&signature=${signatureOf(key, path, String(expires))}`;
  return { url, expiresAtMs: expires * 1000 };
}

/** Matches the end of signed links, and the expiry that may be printed after the link. */
export const linkEnding = /[?&]expires=\d{1,12}&signature=[\w-]{43}(?:","expires_at":"[^"]*")?/g;

/** Whether the signature of the path is valid and has not expired. */
export function verifyLink(
  { key, nowMs }: LinkContext,
  path: string,
  { expires, signature }: { readonly expires?: unknown; readonly signature?: unknown },
): 'valid' | 'expired' | 'forged' {
  if (typeof expires !== 'string' || typeof signature !== 'string') return 'forged';
  if (!/^\d{1,12}$/.test(expires) || !/^[\w-]{43}$/.test(signature)) return 'forged';
  const expected = signatureOf(key, path, expires);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return 'forged';
  return Number(expires) * 1000 > nowMs ? 'valid' : 'expired';
}

function signatureOf(key: string, path: string, expires: string): string {
  return createHmac('sha256', key).update(`${expires}:${path}`).digest('base64url');
}
