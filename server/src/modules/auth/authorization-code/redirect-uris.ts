import { parseUrl } from '../../../platform/text/read-url.ts';

/** The fault of a redirect address; null for a valid one. */
export function redirectUriFault(address: string): string | null {
  const url = parseUrl(address);
  if (!url) return 'The redirect uri must be an absolute address.';
  if (address.includes('#')) return 'The redirect uri must not contain a fragment.';
  if (address.includes('*')) return 'The redirect uri must not contain wildcards.';
  if (!isPrintable.test(address)) return 'The redirect uri must be ASCII. Percent-encode other characters.';
  if (url.username !== '' || url.password !== '') return 'The redirect uri must not contain a user name or password.';
  if (url.protocol === 'https:') return null;
  if (url.protocol === 'http:' && (isLoopback(url) || url.hostname === 'localhost')) return null;
  return 'The redirect uri must be https, or http on a loopback address.';
}

/**
 * Whether the address exactly matches a registered one (RFC 9700, 4.1.3). Only the port of a loopback address may
 * differ, since native apps use a free port (RFC 8252, 7.3).
 */
export function isRegistered(address: string, registered: readonly string[]): boolean {
  if (registered.includes(address)) return true;
  if (!parseUrl(address)) return false;
  const portless = withoutLoopbackPort(address);
  return portless !== null && registered.some((candidate) => withoutLoopbackPort(candidate) === portless);
}

function withoutLoopbackPort(address: string): string | null {
  const match = loopbackAddress.exec(address);
  return match ? `${match[1]}${match[2] ?? ''}` : null;
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === '127.0.0.1' || hostname === '[::1]';
}

const loopbackAddress = /^(http:\/\/(?:127\.0\.0\.1|\[::1\]))(?::[0-9]{1,5})?([/?].*)?$/s;
const isPrintable = /^[\u0021-\u007E]+$/;
