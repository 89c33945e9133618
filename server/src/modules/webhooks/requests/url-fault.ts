import { isIP } from 'node:net';
import { hostOf, isLocalName, isPrivateHost, isPrivateLiteral } from '../../../platform/network/private-host.ts';
import { isLoopbackAddress } from '../../../platform/network/public-address.ts';

/**
 * Why no request may be sent to the URL, or null. A name that cannot be resolved now is accepted: every
 * connection checks the addresses again.
 */
export async function findUrlFault(text: string, isPrivateAllowed: boolean): Promise<string | null> {
  const fault = findLiteralFault(text, isPrivateAllowed);
  if (fault !== null || isPrivateAllowed) return fault;
  return (await isPrivateHost(hostOf(new URL(text)))) ? notPublic : null;
}

/** The fault of the URL, without a DNS lookup; null if there is none. */
export function findLiteralFault(text: string, isPrivateAllowed: boolean): string | null {
  if (!URL.canParse(text)) return 'The url field is not a valid address.';
  const url = new URL(text);
  const host = hostOf(url);
  if (url.username !== '' || url.password !== '') return 'The url field must not contain a user name or password.';
  if (url.protocol === 'http:') return isPrivateAllowed && isLoopback(host) ? null : notEncrypted;
  if (url.protocol !== 'https:') return notEncrypted;
  return !isPrivateAllowed && isPrivateLiteral(host) ? notPublic : null;
}

const notEncrypted =
  'The url field must begin with https://. Only a loopback address may begin with http://, while the setting webhooks_allow_private_addresses is on.';
const notPublic =
  'The url field refers to a host that is not public. The setting webhooks_allow_private_addresses allows such hosts.';

function isLoopback(host: string): boolean {
  return isIP(host) === 0 ? isLocalName(host) : isLoopbackAddress(host);
}
