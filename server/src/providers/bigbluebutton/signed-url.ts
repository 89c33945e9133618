import { createHash } from 'node:crypto';

export const checksumAlgorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

export interface Signer {
  /** Ends in `/bigbluebutton/api`. */
  readonly apiUrl: string;
  readonly secret: string;
  readonly algorithm: ChecksumAlgorithm;
}

export type Parameters = Readonly<Record<string, string>>;

/** The checksum covers exactly the query that is sent. */
export function signedUrl({ apiUrl, secret, algorithm }: Signer, call: string, parameters: Parameters): string {
  const query = Object.entries(parameters)
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join('&');
  const checksum = createHash(algorithm).update(`${call}${query}${secret}`).digest('hex');
  return `${apiUrl}/${call}?${query}${query === '' ? '' : '&'}checksum=${checksum}`;
}

/** RFC 3986 to the letter: what a URL parser would encode afterwards would break the checksum. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
