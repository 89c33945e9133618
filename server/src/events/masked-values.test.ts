import { expect, test } from 'vitest';
import { createOpaqueToken } from '../platform/crypto/opaque-token.ts';
import { hashPassword } from '../platform/crypto/password.ts';
import { createSecretBox, generateSecretKey } from '../platform/crypto/secret-box.ts';
import { difference } from './masked-values.ts';

const mask = '********';

function maskNewRow(resourceType: string, row: object): Record<string, unknown> {
  return difference(resourceType, null, row).after ?? {};
}

test('secrets are masked by their name, at any depth', () => {
  for (const name of [
    'password',
    'password_hash',
    'secret',
    'secret_hash',
    'client_secret',
    'token',
    'token_hash',
    'token_sealed',
    'access_token',
    'refresh_token',
    'secret_sealed',
    'totp_secret',
    'totp_sealed',
    'recovery_codes',
    'recovery_code_hashes',
    'code_hash',
    'private_key',
    'host_key',
  ]) {
    expect(maskNewRow('Any', { [name]: 'plain', properties: { deep: [{ [name]: 'plain' }] } })).toEqual({
      [name]: mask,
      properties: { deep: [{ [name]: mask }] },
    });
  }
});

test('binary values are never written, and members that only describe a secret are not masked', () => {
  expect(
    maskNewRow('Any', {
      bytes: Buffer.from('x'),
      access_token_seconds: 3600,
      personal_token_days: 180,
      password_changed_at: '2026-03-10T12:00:00.000000Z',
      secrets_changed: ['secret'],
      account_key: 'k',
      customer_key: 'k',
      code: 'LX-01',
      secret: null,
      has_secret: true,
    }),
  ).toEqual({
    bytes: mask,
    access_token_seconds: 3600,
    personal_token_days: 180,
    password_changed_at: '2026-03-10T12:00:00.000000Z',
    secrets_changed: ['secret'],
    account_key: 'k',
    customer_key: 'k',
    code: 'LX-01',
    secret: null,
    has_secret: true,
  });
});

test('the code of an access code is masked, the code of an account is not', () => {
  expect(maskNewRow('RoomAccessCode', { code: 'B1-2026' })).toEqual({ code: mask });
  expect(maskNewRow('Account', { code: 'B1-2026' })).toEqual({ code: 'B1-2026' });
});

test('tokens, encrypted values and hashes are masked by their format, under any name', async () => {
  const token = createOpaqueToken('frm');
  const sealed = await createSecretBox([generateSecretKey()]).seal('x', 'place');
  const hash = await hashPassword('correct horse battery');
  expect(
    maskNewRow('Any', { url: `https://x.example/rooms/a?token=${token}&x=1`, note: [sealed], other: `(${hash})` }),
  ).toEqual({
    url: `https://x.example/rooms/a?token=${mask}&x=1`,
    note: [mask],
    other: expect.not.stringContaining('$argon2'),
  });
});

test('only differences between two rows are kept, and a changed secret is masked on both sides', () => {
  expect(
    difference('Any', { id: 1, name: 'a', secret: 'old', same: 1 }, { id: 2, name: 'b', secret: 'new', same: 1 }),
  ).toEqual({ before: { name: 'a', secret: mask }, after: { name: 'b', secret: mask } });
});

test('a new member that is named like a method of objects was null before', () => {
  expect(difference('Any', { id: 1 }, { id: 1, valueOf: 0 })).toEqual({
    before: { valueOf: null },
    after: { valueOf: 0 },
  });
});
