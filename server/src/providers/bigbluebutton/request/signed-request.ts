import { createHash } from 'node:crypto';
import type { ProviderRequest } from '../../http/transport.ts';

export const checksumAlgorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

export interface Signer {
  /** Ends in `/api`. */
  readonly apiUrl: string;
  readonly secret: string;
  readonly algorithm: ChecksumAlgorithm;
}

export type Parameters = Readonly<Record<string, string>>;

/** The checksum covers exactly the query that is sent. */
export function signedUrl(signer: Signer, call: string, parameters: Parameters): string {
  return sign(signer, call, encodeParameters(parameters));
}

/** The parameters are the body; the checksum covers the query of the URL, which is empty. */
export function signedForm(signer: Signer, call: string, parameters: Parameters): ProviderRequest {
  return { url: sign(signer, call, ''), form: encodeParameters(parameters) };
}

function sign({ apiUrl, secret, algorithm }: Signer, call: string, query: string): string {
  const checksum = createHash(algorithm).update(`${call}${query}${secret}`).digest('hex');
  return `${apiUrl}/${call}?${query}${query === '' ? '' : '&'}checksum=${checksum}`;
}

export function encodeParameters(parameters: Parameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
}

/** Strict RFC 3986, since later encoding by a URL parser would break the checksum. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
