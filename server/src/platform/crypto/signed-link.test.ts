import { expect, test } from 'vitest';
import { verifyLink, linkEnding, signLink } from './signed-link.ts';

const key = 'a secret of the installation';
const start = Date.parse('2026-03-10T12:00:00Z');

function link(nowMs = start, minutes = 60) {
  const { url, expiresAtMs } = signLink({ key, nowMs, minutes }, 'https://meet.example/base', '/recordings/1');
  const { searchParams } = new URL(url);
  return { url, expiresAtMs, query: Object.fromEntries(searchParams) as { expires: string; signature: string } };
}

test('a link is valid for its path until its expiry', () => {
  const { url, query, expiresAtMs } = link();
  expect(url).toMatch(/^https:\/\/meet\.example\/base\/recordings\/1\?expires=\d+&signature=[\w-]{43}$/);
  expect(verifyLink({ key, nowMs: start }, '/recordings/1', query)).toBe('valid');
  expect(verifyLink({ key, nowMs: expiresAtMs - 1 }, '/recordings/1', query)).toBe('valid');
  expect(verifyLink({ key, nowMs: expiresAtMs }, '/recordings/1', query)).toBe('expired');
});

test('a link with any changed character is not valid', () => {
  const { query } = link();
  const verifyChanged = (path: string, changed: object, usedKey = key) =>
    verifyLink({ key: usedKey, nowMs: start }, path, { ...query, ...changed });
  const [first, ...rest] = query.signature;
  expect(verifyChanged('/recordings/2', {})).toBe('forged');
  expect(verifyChanged('/recordings/1', {}, 'another secret')).toBe('forged');
  expect(verifyChanged('/recordings/1', { expires: String(Number(query.expires) + 1) })).toBe('forged');
  expect(verifyChanged('/recordings/1', { expires: `0${query.expires}` })).toBe('forged');
  expect(verifyChanged('/recordings/1', { signature: `${first === 'A' ? 'B' : 'A'}${rest.join('')}` })).toBe('forged');
  for (const signature of [undefined, null, 1, '', 'x', 'é'.repeat(43), [query.signature], `${query.signature}A`])
    expect(verifyChanged('/recordings/1', { signature: signature })).toBe('forged');
  for (const expires of [undefined, '', '-1', '1e9', '9'.repeat(400), [query.expires]])
    expect(verifyChanged('/recordings/1', { expires: expires })).toBe('forged');
});

test('a link is valid for at least three quarters of the requested time, and stays the same for a quarter of it', () => {
  const urls = new Set<string>();
  for (let second = 0; second < 3600; second += 7) {
    const nowMs = start + second * 1000;
    const { url, expiresAtMs } = link(nowMs);
    const minutes = (expiresAtMs - nowMs) / 60_000;
    expect(minutes).toBeGreaterThan(45);
    expect(minutes).toBeLessThanOrEqual(60);
    urls.add(url);
  }
  expect(urls.size).toBe(4);
});

test('the changing part of links can be removed for comparison', () => {
  const answer = (nowMs: number) => {
    const { url, expiresAtMs } = link(nowMs);
    return JSON.stringify({ url, expires_at: new Date(expiresAtMs).toISOString(), other: 1 });
  };
  const [early, late] = [answer(start), answer(start + 86_400_000)];
  expect(early).not.toBe(late);
  expect(early.replace(linkEnding, '')).toBe(late.replace(linkEnding, ''));
});
