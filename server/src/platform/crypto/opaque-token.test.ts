import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  accessCodeAlphabet,
  createOpaqueToken,
  hashToken,
  isOpaqueToken,
  randomCode,
  tagAlphabet,
} from './opaque-token.ts';

test('tokens carry their prefix and 256 random bits, and no two are alike', () => {
  const tokens = Array.from({ length: 1000 }, () => createOpaqueToken('fat'));
  expect(new Set(tokens).size).toBe(1000);
  for (const token of tokens) {
    expect(token).toMatch(/^fat_[A-Za-z0-9_-]{43}$/);
    expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32);
    expect(isOpaqueToken(token, 'fat')).toBe(true);
    expect(isOpaqueToken(token)).toBe(true);
  }
});

test('the SHA-256 of the whole token is stored', () => {
  expect(hashToken('abc').toString('hex')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('text with another prefix, another length or an invalid character is not a token', () => {
  const token = createOpaqueToken('fat');
  expect(isOpaqueToken(token, 'frt')).toBe(false);
  expect(isOpaqueToken(`${token}A`, 'fat')).toBe(false);
  expect(isOpaqueToken(token.slice(0, -1), 'fat')).toBe(false);
  for (const character of ['+', '=', ' ', '\n', 'é']) {
    expect(isOpaqueToken(token.slice(0, -1) + character, 'fat')).toBe(false);
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(isOpaqueToken(text)).toBe(false);
    }),
  );
});

test('codes have the requested length, and use all characters of their alphabet and no others', () => {
  for (const alphabet of [tagAlphabet, accessCodeAlphabet]) {
    const codes = Array.from({ length: 1000 }, () => randomCode(8, alphabet));
    expect(codes.every((code) => code.length === 8)).toBe(true);
    expect(new Set(codes.join(''))).toEqual(new Set(alphabet));
  }
});

test('no character of a code is favoured', () => {
  const drawn = randomCode(72_000, tagAlphabet);
  for (const character of tagAlphabet) {
    const times = drawn.split(character).length - 1;
    // 2,000 are expected with a standard deviation of 44; eight of these are allowed.
    expect(Math.abs(times - 2000)).toBeLessThan(360);
  }
});

test('an access code can be read out: it has no characters that sound or look alike', () => {
  expect(accessCodeAlphabet).not.toMatch(/[0O1IL]/);
  expect(new Set(accessCodeAlphabet).size).toBe(accessCodeAlphabet.length);
});
