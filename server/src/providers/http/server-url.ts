import { parseUrl } from '../../platform/text/read-url.ts';
import type { ParsedProperty } from '../provider-type.ts';

const maximumLength = 2048;

/**
 * Parses the address of a server, given as the property `name`. The path is normalized by `pathOf`. Plain http is accepted
 * only for a loopback address.
 */
export function parseServerUrl(name: string, text: string, pathOf: (pathname: string) => string): ParsedProperty {
  const refuse = (problem: string) => ({ ok: false, message: `The ${name} property ${problem}.` }) as const;
  const tooLong = refuse(`must not be longer than ${maximumLength} characters`);
  const noAddress = refuse('must be an address such as https://meet.example.com');
  if (text.length > maximumLength) return tooLong;
  // The URL parser silently repairs these texts, and the result may not be the address that was meant.
  if (/[\s\\]/.test(text) || hasControlCharacter(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)) return noAddress;
  const url = parseUrl(text);
  if (!url) return noAddress;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must begin with https://');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return refuse('must use https; http is only allowed for loopback addresses');
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return refuse('must not contain a user name or password');
  if (/[?#]/.test(text)) return refuse('must not contain a query or a fragment');
  const normalized = `${url.origin}${pathOf(url.pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, ''))}`;
  return normalized.length > maximumLength ? tooLong : { ok: true, value: normalized };
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}
