import { parseUrl } from '../../platform/text/read-url.ts';
import { ProviderFailure } from '../provider-failure.ts';
import type { ErrorHints } from './error-hints.ts';

/** A proxy responds with these when the server behind it does not respond. */
const gatewayErrors: ReadonlySet<number> = new Set([502, 503, 504]);

/** The failure for a 5xx status. A 500 may be caused by this one request alone. */
export function serverFailure(providerId: string, status: number, errorHints: ErrorHints): ProviderFailure {
  if (!gatewayErrors.has(status)) return rejectionFailure(providerId, status, errorHints.address);
  const message = `The server is down behind its web server (HTTP status ${status}). ${errorHints.gateway}`;
  return new ProviderFailure('unreachable', providerId, message);
}

/** The web server or a proxy rejected the request. After a 4xx status the provider has not acted on it. */
export function rejectionFailure(providerId: string, status: number, addressAdvice: string): ProviderFailure {
  const message = `The server rejected the request with HTTP status ${status}. ${adviceFor(status, addressAdvice)}`;
  return new ProviderFailure('http-error', providerId, message, { mayHaveArrived: status >= 500 });
}

function adviceFor(status: number, addressAdvice: string): string {
  if (status === 401 || status === 403)
    return 'Check that its web server and firewall allow this machine to use the API.';
  if (status === 404) return addressAdvice;
  if (status === 414 || status === 431)
    return 'The request is too long for its web server. Shorten the texts of the room.';
  if (status === 429) return 'The server limits the number of requests. Raise the limit for this machine.';
  return status >= 500 ? 'Check the log of the server.' : 'Check the address and the settings of its web server.';
}

/** The message only names the origin, since the rest of the location may contain a signed query. */
export function redirectFailure(
  providerId: string,
  location: string | string[] | undefined,
  requestUrl: string,
  errorHints: ErrorHints,
): ProviderFailure {
  const target = typeof location === 'string' ? parseUrl(location, requestUrl) : null;
  const isOtherOrigin = target !== null && target.origin !== 'null' && target.origin !== new URL(requestUrl).origin;
  const message = isOtherOrigin
    ? `The server redirects its API to ${target.origin}. Use that address instead.`
    : `The server redirects its API. ${errorHints.address}`;
  return new ProviderFailure('redirected', providerId, message);
}

export function oversizeFailure(providerId: string, maximumBytes: number): ProviderFailure {
  const size = maximumBytes < 1_048_576 ? `${maximumBytes / 1024} KiB` : `${maximumBytes / 1_048_576} MiB`;
  const message = `The server answered with more than ${size}. Check the address, and how many meetings or recordings it lists.`;
  return new ProviderFailure('oversize', providerId, message);
}
