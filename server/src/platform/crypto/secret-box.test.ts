import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createSecretBox,
  generateSecretKey,
  parseSecretKeys,
  printSecretKeys,
  SecretUnreadable,
} from './secret-box.ts';

const older = generateSecretKey();
const newer = generateSecretKey();
const box = createSecretBox([newer, older]);
const context = 'service_providers:01890a5d-ac96-774b-bcce-b302099a8057:secret';

async function failureReason(opening: Promise<unknown>): Promise<string> {
  const error: unknown = await opening.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SecretUnreadable);
  return error instanceof SecretUnreadable ? error.reason : '';
}

test('every text can be decrypted with its context', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), async (text, rowContext) => {
      expect(await box.open(await box.seal(text, rowContext), rowContext)).toBe(text);
    }),
    { numRuns: 50 },
  );
});

test('the same text has different ciphertexts, which do not contain it', async () => {
  const text = 'sandbox-secret';
  const sealed = await box.seal(text, context);
  expect(await box.seal(text, context)).not.toBe(sealed);
  expect(sealed).not.toContain(text);
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain(text);
});

test('a secret that is moved to another row cannot be decrypted', async () => {
  const sealed = await box.seal('text', context);
  expect(await failureReason(box.open(sealed, `${context}x`))).toBe('other-context');
  expect(await failureReason(box.open(sealed, ''))).toBe('other-context');
});

test('a change of any character is detected', async () => {
  const sealed = await box.seal('a secret of some length', context);
  const places = Array.from({ length: sealed.length }, (_, index) => index);
  for (const index of places) {
    const other = sealed[index] === 'A' ? 'Q' : 'A';
    const tampered = sealed.slice(0, index) + other + sealed.slice(index + 1);
    await expect(box.open(tampered, context)).rejects.toBeInstanceOf(SecretUnreadable);
  }
});

test('a header of another context does not decrypt', async () => {
  const parts = (await box.seal('text', 'accounts:1:secret')).split('.');
  const [header] = (await box.seal('other', context)).split('.');
  expect(await failureReason(box.open([header, ...parts.slice(1)].join('.'), context))).toBe('damaged');
});

test('a weaker algorithm in the header is rejected', async () => {
  const [, ...rest] = (await box.seal('text', context)).split('.');
  for (const change of [{ enc: 'A128GCM' }, { alg: 'none' }, { alg: 'A256KW' }, { zip: 'DEF' }]) {
    const header = { alg: 'dir', enc: 'A256GCM', kid: newer.id, ctx: context, ...change };
    const forged = [Buffer.from(JSON.stringify(header)).toString('base64url'), ...rest].join('.');
    await expect(box.open(forged, context)).rejects.toBeInstanceOf(SecretUnreadable);
  }
});

test.each(['', 'plain text', '....', 'a.b.c.d.e', 'e30....', 'e30.e30.e30'])(
  '%j is reported as not encrypted',
  async (text) => {
    expect(await failureReason(box.open(text, context))).toBe('damaged');
    expect(() => box.keyId(text)).toThrow(SecretUnreadable);
    expect(() => box.needsRotation(text)).toThrow(SecretUnreadable);
  },
);

test('after a rotation old secrets can be decrypted and are recognized, and new ones use the newest key', async () => {
  const oldSecret = await createSecretBox([older]).seal('text', context);
  expect(await box.open(oldSecret, context)).toBe('text');
  expect(box.keyId(oldSecret)).toBe(older.id);
  expect(box.needsRotation(oldSecret)).toBe(true);
  const newSecret = await box.seal('text', context);
  expect(box.keyId(newSecret)).toBe(newer.id);
  expect(box.needsRotation(newSecret)).toBe(false);
  expect(await failureReason(createSecretBox([older]).open(newSecret, context))).toBe('unknown-key');
});

test('another key under the same id does not decrypt', async () => {
  const sealed = await box.seal('text', context);
  const impostor = createSecretBox([{ ...generateSecretKey(), id: newer.id }]);
  expect(await failureReason(impostor.open(sealed, context))).toBe('damaged');
});

test('printed keys are parsed in order, with spaces around them', () => {
  const text = printSecretKeys([newer, older]);
  expect(parseSecretKeys(text)).toEqual({ ok: true, keys: [newer, older] });
  expect(parseSecretKeys(` ${text.replace(',', ' , ')} `)).toEqual({
    ok: true,
    keys: [newer, older],
  });
});

test('every fault of the keys is reported, without the key itself', () => {
  const short = Buffer.alloc(31, 1).toString('base64');
  const good = Buffer.alloc(32, 1).toString('base64');
  const result = parseSecretKeys(`nocolon,a b:${good},k:${short},k:${good},x:***,:`);
  expect(result).toEqual({
    ok: false,
    faults: [
      'Key 1 must have the form id:base64key.',
      'The id of Key 2 must be 1 to 64 letters, digits, dots, underscores or hyphens.',
      'Key 3 has 31 bytes instead of 32.',
      'Key 4 has the id of an earlier key.',
      'Key 5 is not base64.',
      'The id of Key 6 must be 1 to 64 letters, digits, dots, underscores or hyphens.',
      'Key 6 is not base64.',
    ],
  });
  expect(JSON.stringify(result)).not.toContain(good);
  expect(parseSecretKeys('').ok).toBe(false);
});

test('a secret box needs a key, of full length, and unique ids', () => {
  expect(() => createSecretBox([])).toThrow(TypeError);
  expect(() => createSecretBox([{ id: 'k', key: new Uint8Array(16) }])).toThrow(TypeError);
  expect(() => createSecretBox([newer, { ...older, id: newer.id }])).toThrow(TypeError);
});
