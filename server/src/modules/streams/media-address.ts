import { hostOf, isPrivateHost } from '../../platform/network/private-host.ts';

/** The protocols of sources and of outputs. */
export const sourceProtocols = ['rtmp', 'rtmps', 'srt', 'rtsp', 'https'] as const;
export const outputProtocols = ['rtmp', 'rtmps'] as const;

interface AddressRules {
  readonly protocols: readonly string[];
  /** Whether it can contain a user name and password. */
  readonly takesUser: boolean;
  readonly isPrivateAllowed: boolean;
}

/** Why the media server may not connect to the address; null if nothing is wrong. It checks again when it connects. */
export async function findAddressFault(
  text: string,
  { protocols, takesUser, isPrivateAllowed }: AddressRules,
): Promise<string | null> {
  // A parser of another program may read other characters as the end of the host.
  if (!/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text) || !URL.canParse(text)) return 'The url is not a valid address.';
  const url = new URL(text);
  if (!protocols.includes(url.protocol.slice(0, -1)) || !text.includes('://'))
    return `The url must begin with ${protocols.map((name) => `${name}://`).join(', ')}.`;
  if (!takesUser && (url.username !== '' || url.password !== ''))
    return 'The url must not contain a user name or password.';
  // Of these protocols, a host such as 127.1 is not normalized, but connecting to it works.
  const asHttp = `http://${url.host}/`;
  if (url.hostname === '' || !URL.canParse(asHttp)) return 'The url has no host.';
  if (!isPrivateAllowed && (await isPrivateHost(hostOf(new URL(asHttp)))))
    return 'The url leads to an address that is not public.';
  return null;
}

const mask = '********';
const secretParameters = /([?&](?:passphrase|password|token|key|secret|streamid)=)[^&#]*/gi;

/** The address with its passwords masked. */
export function maskAddress(text: string): string {
  return text.replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#@]*@/i, `$1:${mask}@`).replaceAll(secretParameters, `$1${mask}`);
}
