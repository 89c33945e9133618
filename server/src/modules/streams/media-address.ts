import { hostOf, isPrivateHost } from '../../platform/network/private-host.ts';

/** The protocols of sources and of outputs. */
export const sourceProtocols = ['rtmp', 'rtmps', 'srt', 'rtsp', 'https'] as const;
export const outputProtocols = ['rtmp', 'rtmps'] as const;

interface AddressRules {
  readonly protocols: readonly string[];
  /** Whether it can contain a user name and password. */
  readonly allowsCredentials: boolean;
  readonly isPrivateAllowed: boolean;
}

/** The reason why the media server may not connect to the address, or null. The server checks again when it connects. */
export async function findAddressFault(
  text: string,
  { protocols, allowsCredentials, isPrivateAllowed }: AddressRules,
): Promise<string | null> {
  // The media server's parser could end the host at another character, such as `\`, and connect to a host that was not
  // checked here.
  if (!/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(text) || !URL.canParse(text))
    return 'The url field is not a valid address.';
  const url = new URL(text);
  if (!protocols.includes(url.protocol.slice(0, -1)) || !text.includes('://'))
    return `The url field must begin with ${protocols.map((name) => `${name}://`).join(', ')}.`;
  if (!allowsCredentials && (url.username !== '' || url.password !== ''))
    return 'The url field must not contain a user name or password.';
  // URL only normalizes a host such as 127.1 for http, although connecting to it works with every protocol.
  const httpUrl = `http://${url.host}/`;
  if (url.hostname === '' || !URL.canParse(httpUrl)) return 'The url field has no host.';
  if (!isPrivateAllowed && (await isPrivateHost(hostOf(new URL(httpUrl)))))
    return 'The url field refers to a host that is not public.';
  return null;
}

const mask = '********';
const secretParameters = /([?&](?:passphrase|password|token|key|secret|streamid)=)[^&#]*/gi;

/** The address with its passwords masked. */
export function maskAddress(text: string): string {
  return text.replace(/^([a-z]+:\/\/[^/?#@:]*):[^/?#]*@/i, `$1:${mask}@`).replaceAll(secretParameters, `$1${mask}`);
}
