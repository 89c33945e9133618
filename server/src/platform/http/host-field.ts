import type { IncomingMessage } from 'node:http';

/** RFC 3986 3.2.2 and 3.2.3: a name or an address, and a port. */
const hostPattern = /^(?:\[[0-9A-Fa-fv:.]+\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::[0-9]*)?$/;

/** RFC 9112 3.2: what is wrong with the Host field of the request; null for nothing. */
export function hostFault({ rawHeaders, httpVersion }: IncomingMessage): string | null {
  const values = rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'host');
  const [host] = values;
  if (values.length > 1) return 'The request has more than one Host header field.';
  if (host === undefined) return httpVersion === '1.0' ? null : 'The request has no Host header field.';
  return hostPattern.test(host) ? null : 'The Host header field is invalid.';
}
