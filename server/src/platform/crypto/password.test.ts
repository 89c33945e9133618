import { hash } from '@node-rs/argon2';
import { expect, test } from 'vitest';
import { Failure } from '../failures.ts';
import { hashPassword, needsRehash, passwordFaults, verifyPassword } from './password.ts';

test('a hash verifies its password and no other one', async () => {
  const hashed = await hashPassword('correct horse battery');
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await verifyPassword(hashed, 'correct horse battery')).toBe(true);
  expect(await verifyPassword(hashed, 'correct horse battery ')).toBe(false);
  expect(await verifyPassword(hashed, '')).toBe(false);
  expect(await hashPassword('correct horse battery')).not.toBe(hashed);
});

test('without a stored hash every password is wrong', async () => {
  expect(await verifyPassword(null, 'correct horse battery')).toBe(false);
  expect(await verifyPassword(null, '')).toBe(false);
});

test('a hash with another cost or algorithm is marked for rehashing', async () => {
  const weaker = await hash('password', { memoryCost: 8192, timeCost: 2, parallelism: 1 });
  expect(needsRehash(weaker)).toBe(true);
  expect(await verifyPassword(weaker, 'password')).toBe(true);
  const today = await hashPassword('password');
  expect(needsRehash(today)).toBe(false);
  expect(needsRehash(today.replace('$argon2id$', '$argon2i$'))).toBe(true);
});

test('excess password checks are rejected as busy, accepted ones are answered, and then new ones are accepted', async () => {
  const hashed = await hash('password', { memoryCost: 8, timeCost: 1, parallelism: 1 });
  const answers = await Promise.allSettled(Array.from({ length: 200 }, () => verifyPassword(hashed, 'password')));
  const refused = answers.filter((answer) => answer.status === 'rejected');
  expect(refused.length).toBeGreaterThan(0);
  for (const { reason } of refused) {
    expect(reason).toBeInstanceOf(Failure);
    expect(reason).toMatchObject({ code: 'busy', details: { retryAfter: 5 } });
  }
  const accepted = answers.filter((answer) => answer.status === 'fulfilled');
  expect(accepted.length).toBeGreaterThan(10);
  expect(accepted.every(({ value }) => value)).toBe(true);
  expect(await verifyPassword(hashed, 'password')).toBe(true);
});

test('an invalid hash is an error, and the next check still runs', async () => {
  for (let round = 0; round < 5; round++) {
    await expect(verifyPassword('not a hash', 'password')).rejects.toThrow();
  }
  expect(await verifyPassword(await hashPassword('password'), 'password')).toBe(true);
});

test.each([
  ['correct horse battery', 0],
  ['😀'.repeat(12), 0],
  ['x'.repeat(128), 0],
  ['😀'.repeat(128), 0],
  ['eleven char', 1],
  ['😀'.repeat(11), 1],
  ['x'.repeat(129), 1],
  ['x'.repeat(100_000), 1],
  ['qwerty123456', 1],
  ['Q1W2e3r4T5y6', 1],
  ['password1234', 1],
  ['123456789012', 1],
  ['passwordpassword', 1],
  ['password', 2],
  ['', 1],
])('the password %j has %i faults', async (password, count) => {
  expect(await passwordFaults(password)).toHaveLength(count);
});
