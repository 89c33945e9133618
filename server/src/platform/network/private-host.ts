import { lookup as lookupName } from 'node:dns/promises';
import { isIP } from 'node:net';
import { withTimeout } from '../time/with-timeout.ts';
import { isPublicAddress } from './public-address.ts';

const lookupMs = 1500;

/**
 * Whether the host is an address that is not public, or a name that resolves to one. A name that cannot be resolved now
 * is accepted, since the addresses are checked again when connecting.
 */
export async function isPrivateHost(host: string): Promise<boolean> {
  if (isPrivateLiteral(host)) return true;
  if (isIP(host) !== 0) return false;
  const addresses = await resolve(host);
  return !addresses.every(isPublicAddress);
}

/** Like `isPrivateHost`, without resolving a name. */
export function isPrivateLiteral(host: string): boolean {
  return isIP(host) === 0 ? isLocalName(host) || isPrivateName(host) : !isPublicAddress(host);
}

/** Whether the name is in a domain that does not exist on the public internet, such as `metadata.google.internal`. */
function isPrivateName(host: string): boolean {
  return ['.internal', '.local', '.home.arpa'].some((domain) => host.endsWith(domain));
}

export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

/** An IPv6 address without its brackets, a name without the dot at its end. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

async function resolve(host: string): Promise<string[]> {
  const resolved = lookupName(host, { all: true }).then(
    (addresses) => addresses.map(({ address }) => address),
    () => [],
  );
  return await withTimeout(lookupMs, resolved, () => []);
}
