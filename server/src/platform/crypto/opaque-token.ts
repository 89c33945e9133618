import { createHash, randomBytes, randomInt } from 'node:crypto';

/** 32 random bytes in base64url, after a prefix that names the kind of token: `fat_…`. */
export function createOpaqueToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** The hash that is stored. Tokens are random, so a plain SHA-256 cannot be reversed. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Whether the text has the format of a token, so that other texts need no query. */
export function isOpaqueToken(text: string, prefix?: string): boolean {
  return text.length <= 64 && tokenShape.test(text) && (prefix === undefined || text.slice(0, -44) === prefix);
}

/** All characters of the alphabet are equally likely. */
export function randomCode(length: number, alphabet = tagAlphabet): string {
  let code = '';
  for (let index = 0; index < length; index++) code += alphabet.charAt(randomInt(alphabet.length));
  return code;
}

/** For tags: lower-case letters and digits. */
export const tagAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** For codes that people read out and type: no characters that look alike (0 O, 1 I L). */
export const accessCodeAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

const tokenShape = /^[a-z]{1,20}_[A-Za-z0-9_-]{43}$/;
