import { parseUrl } from '../../platform/text/read-url.ts';

import type { ParsedProperty } from '../provider-type.ts';

const maximumLength = 2048;

/**
 * Reads the address of a meeting server. The path of the API may be left out, in part or as a whole; the value ends in `/api`.
 * Plain http is accepted only for a loopback address.
 */
export function parseHostUrl(text: string): ParsedProperty {
  if (text.length > maximumLength) return tooLong;
  // The URL parser silently repairs these, and the result may be another address than the one that was meant.
  if (/[\s\\]/.test(text) || hasControlCharacter(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text)) return noAddress;
  const url = parseUrl(text);
  if (!url) return noAddress;
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return refuse('must begin with https://');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    return refuse('must use https; plain http only to a loopback address');
  if (/^[^/]*\/\/[^/?#]*@/.test(text)) return refuse('must not contain a user name or password');
  if (/[?#]/.test(text)) return refuse('must not contain a query or a fragment');
  const normalized = `${url.origin}${apiPath(url.pathname)}`;
  return normalized.length > maximumLength ? tooLong : { ok: true, value: normalized };
}

function apiPath(pathname: string): string {
  const path = pathname.replaceAll(/\/{2,}/g, '/').replace(/\/$/, '');
  if (path.endsWith('/api')) return path;
  return path.endsWith('/bigbluebutton') ? `${path}/api` : `${path}/bigbluebutton/api`;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}

function hasControlCharacter(text: string): boolean {
  return /\p{Cc}/u.test(text);
}

function refuse(problem: string): ParsedProperty {
  return { ok: false, message: `The host_url property ${problem}.` };
}

const tooLong = refuse(`must not be longer than ${maximumLength} characters`);
const noAddress = refuse('must be an address such as https://meet.example.com');
