import { createHmac, timingSafeEqual } from 'node:crypto';

export interface LinkTerms {
  /** A secret of the installation. */
  readonly seed: string;
  readonly nowMs: number;
}

export interface SignedLink {
  readonly url: string;
  readonly expiresAtMs: number;
}

/**
 * A link that is good without any other credential, for at least three quarters of the time and at most all of it. For
 * a quarter of the time it stays the same, so that what it stands in can be kept by whoever read it.
 */
export function signLink(
  { seed, nowMs, minutes }: LinkTerms & { readonly minutes: number },
  publicUrl: string,
  path: string,
): SignedLink {
  const quarter = minutes * 15;
  return linkUntil(seed, (Math.floor(nowMs / 1000 / quarter) + 4) * quarter, publicUrl, path);
}

/** A link that is good without any other credential, for exactly so many minutes from now on. */
export function signNewLink(
  { seed, nowMs, minutes }: LinkTerms & { readonly minutes: number },
  publicUrl: string,
  path: string,
): SignedLink {
  return linkUntil(seed, Math.floor(nowMs / 1000) + minutes * 60, publicUrl, path);
}

/** @param expires in seconds; a path may have a query, which is signed, too */
function linkUntil(seed: string, expires: number, publicUrl: string, path: string): SignedLink {
  const url = `${publicUrl}${path}${path.includes('?') ? '&' : '?'}expires=${expires}&signature=${signatureOf(seed, path, String(expires))}`;
  return { url, expiresAtMs: expires * 1000 };
}

/** What is found at the end of such links, and the moment that may stand beside it. */
export const linkEnding = /[?&]expires=\d{1,12}&signature=[\w-]{43}(?:","expires_at":"[^"]*")?/g;

/** Whether the path was signed with that end, and has not come to it. */
export function judgeLink(
  { seed, nowMs }: LinkTerms,
  path: string,
  { expires, signature }: { readonly expires?: unknown; readonly signature?: unknown },
): 'valid' | 'expired' | 'forged' {
  if (typeof expires !== 'string' || typeof signature !== 'string') return 'forged';
  if (!/^\d{1,12}$/.test(expires) || !/^[\w-]{43}$/.test(signature)) return 'forged';
  const expected = signatureOf(seed, path, expires);
  if (!timingSafeEqual(Buffer.from(signature), Buffer.from(expected))) return 'forged';
  return Number(expires) * 1000 > nowMs ? 'valid' : 'expired';
}

function signatureOf(seed: string, path: string, expires: string): string {
  return createHmac('sha256', seed).update(`${expires}:${path}`).digest('base64url');
}
