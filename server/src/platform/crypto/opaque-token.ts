import { createHash, randomBytes, randomInt } from 'node:crypto';

/** 32 random bytes in base64url behind a prefix that says what it opens: `fat` makes `fat_…`. */
export function createOpaqueToken(prefix: string): string {
  return `${prefix}_${randomBytes(32).toString('base64url')}`;
}

/** What is stored instead of the token. The token is random, so a plain SHA-256 cannot be guessed back. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Whether it could be a token (of that prefix) at all: what could not needs no look into the database. */
export function isOpaqueToken(text: string, prefix?: string): boolean {
  return text.length <= 64 && tokenShape.test(text) && (prefix === undefined || text.slice(0, -44) === prefix);
}

/** Each character of the alphabet is as likely as every other. */
export function randomCode(length: number, alphabet = tagAlphabet): string {
  let code = '';
  for (let index = 0; index < length; index++) code += alphabet.charAt(randomInt(alphabet.length));
  return code;
}

/** For tags: lower-case letters and digits. */
export const tagAlphabet = 'abcdefghijklmnopqrstuvwxyz0123456789';
/** For codes that people read out and type: nothing that is taken for something else (0 O, 1 I L). */
export const accessCodeAlphabet = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

const tokenShape = /^[a-z]{1,20}_[A-Za-z0-9_-]{43}$/;
