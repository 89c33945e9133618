import { expect, test } from 'vitest';
import { type Finding, type Health, healthAfter, isFresh } from './health.ts';

const healthy: Finding = { answered: true, latencyMs: 40, problem: null };
const failed: Finding = { answered: false, latencyMs: null, problem: 'The provider did not respond in time.' };
const refused: Finding = { ...failed, problem: 'It does not accept the secret.', isUnusable: true };
const minute = 60_000;

/** One result a minute, from the first minute on. */
function healthAfterAll(findings: readonly Finding[]): Health {
  let health: Health | null = null;
  for (const [index, finding] of findings.entries()) health = healthAfter(health, finding, (index + 1) * minute);
  if (!health) throw new Error('no finding');
  return health;
}

test.each([
  ['a provider that responds is healthy from the first check', [healthy, healthy], 'healthy', 1],
  ['one failure is not an outage', [healthy, failed], 'degraded', 2],
  ['two consecutive failures are an outage', [healthy, failed, failed], 'down', 3],
  ['a refused secret is an outage at the first check', [healthy, refused], 'down', 2],
  ['further failures continue the same outage', [healthy, failed, failed, failed, failed], 'down', 3],
  ['a provider that recovers is degraded at first', [failed, failed, healthy, healthy], 'degraded', 3],
  ['failures that are not consecutive are not an outage', [failed, healthy, failed, healthy], 'degraded', 1],
  ['a slow provider is degraded', [healthy, { ...healthy, latencyMs: 2000 }], 'degraded', 2],
  ['a provider that responds with a problem is degraded', [healthy, { ...healthy, problem: 'No' }], 'degraded', 2],
] as const)('%s', (_, findings, state, sinceMinute) => {
  expect(healthAfterAll(findings)).toMatchObject({ state, sinceMs: sinceMinute * minute });
});

test('a provider is healthy again 15 minutes after the last failure', () => {
  const checks = [failed, failed, ...Array.from({ length: 15 }, () => healthy)];
  expect(healthAfterAll(checks.slice(0, -1)).state).toBe('degraded');
  expect(healthAfterAll(checks)).toMatchObject({ state: 'healthy', sinceMs: 17 * minute });
});

test('results are valid for five minutes', () => {
  expect(isFresh(0, 5 * minute)).toBe(true);
  expect(isFresh(0, 5 * minute + 1)).toBe(false);
  expect(isFresh(null, 0)).toBe(false);
});
