import type { IncomingMessage } from 'node:http';

/** RFC 3986 3.2.2 and 3.2.3: a name or an address, and a port. */
const hostPattern = /^(?:\[[0-9A-Fa-fv:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/** The fault of the Host (RFC 9112 3.2) or Authorization field of the request; null if there is none. */
export function findHeaderFault({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  const hosts = valuesOf(rawHeaders, 'host');
  const [host] = hosts;
  if (hosts.length > 1) return 'The request has more than one Host header field.';
  // A proxy may have checked a different one than Node reads.
  if (valuesOf(rawHeaders, 'authorization').length > 1)
    return 'The request has more than one Authorization header field.';
  if (host === undefined) return httpVersion === '1.0' ? null : 'The request has no Host header field.';
  return hostPattern.test(host) ? null : 'The Host header field is invalid.';
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
