import { accessCodeAlphabet, hashToken, randomCode } from '../../platform/crypto/opaque-token.ts';

const codeCount = 10;
const groupCount = 4;
const groupLength = 4;

/** Ten new codes such as `7KXM-Q2RD-93TB-HVWA`. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: codeCount }, () =>
    Array.from({ length: groupCount }, () => randomCode(groupLength, accessCodeAlphabet)).join('-'),
  );
}

/** Ignores case and separators. With 79 random bits a plain hash withstands a dictionary attack. */
export function hashRecoveryCode(code: string): Buffer {
  return hashToken(code.toUpperCase().replaceAll(/[^A-Z0-9]/g, ''));
}
