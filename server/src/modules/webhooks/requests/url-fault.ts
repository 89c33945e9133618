import { lookup as lookupName } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';

const lookupMs = 1500;

/**
 * Why no request is sent to the URL; null if nothing is wrong. A name that cannot be resolved now is accepted: every
 * connection checks the addresses again.
 */
export async function findUrlFault(text: string, isPrivateAllowed: boolean): Promise<string | null> {
  const fault = findLiteralFault(text, isPrivateAllowed);
  if (fault !== null || isPrivateAllowed) return fault;
  const host = hostOf(new URL(text));
  if (isIP(host) !== 0) return null;
  const addresses = await resolve(host);
  return addresses.every(isPublicAddress) ? null : notPublic;
}

/** What is wrong with the URL itself, without resolving its name. */
export function findLiteralFault(text: string, isPrivateAllowed: boolean): string | null {
  if (!URL.canParse(text)) return 'The url is not a valid address.';
  const url = new URL(text);
  const host = hostOf(url);
  if (url.username !== '' || url.password !== '') return 'The url must not contain a user name or password.';
  if (url.protocol === 'http:')
    return isPrivateAllowed && isLoopback(host) ? null : 'The url must begin with https://.';
  if (url.protocol !== 'https:') return 'The url must begin with https://.';
  if (isPrivateAllowed) return null;
  if (isIP(host) === 0) return isLocalName(host) ? notPublic : null;
  return isPublicAddress(host) ? null : notPublic;
}

const notPublic = 'The url leads to an address that is not public.';

/** An IPv6 address without its brackets, a name without the dot at its end. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? isLocalName(host) : isLoopbackAddress(host);
}

function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

async function resolve(host: string): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never[]>((done) => (timer = setTimeout(() => done([]), lookupMs)));
  const found = lookupName(host, { all: true }).then(
    (addresses) => addresses.map(({ address }) => address),
    () => [],
  );
  const addresses = await Promise.race([found, late]);
  clearTimeout(timer);
  return addresses;
}
