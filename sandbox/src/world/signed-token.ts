import { createHmac } from 'node:crypto';

/** A compact JWT whose key is the shared secret, in the format of BigBlueButton's own scripts. */
export function signToken(claims: object, secret: string, algorithm: 'HS256' | 'HS512'): string {
  const parts = [{ alg: algorithm }, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signedText = parts.join('.');
  const digest = algorithm === 'HS256' ? 'sha256' : 'sha512';
  return `${signedText}.${createHmac(digest, secret).update(signedText).digest('base64url')}`;
}
