import { accessCodeAlphabet, hashToken, randomCode } from '../../platform/crypto/opaque-token.ts';

const count = 10;
const groups = 4;
const groupLength = 4;

/** Ten new codes such as `7KXM-Q2RD-93TB-HVWA`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () =>
    Array.from({ length: groups }, () => randomCode(groupLength, accessCodeAlphabet)).join('-'),
  );
}

/** Ignores case and separators. With 79 random bits a plain hash withstands a dictionary attack. */
export function hashRecoveryCode(code: string): Buffer {
  return hashToken(code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''));
}
