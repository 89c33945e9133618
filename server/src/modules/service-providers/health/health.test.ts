import { expect, test } from 'vitest';
import { type Finding, type Health, healthAfter, isFresh } from './health.ts';

const well: Finding = { answered: true, latencyMs: 40, problem: null };
const failed: Finding = { answered: false, latencyMs: null, problem: 'The provider did not answer in time.' };
const refused: Finding = { ...failed, problem: 'It does not accept the secret.', isUnusable: true };
const minute = 60_000;

/** One result a minute, from the first minute on. */
function after(findings: readonly Finding[]): Health {
  let health: Health | null = null;
  for (const [index, finding] of findings.entries()) health = healthAfter(health, finding, (index + 1) * minute);
  if (!health) throw new Error('no finding');
  return health;
}

test.each([
  ['one that answers is healthy from the first time on', [well, well], 'healthy', 1],
  ['a single failure is no outage', [well, failed], 'degraded', 2],
  ['two failures in a row are one', [well, failed, failed], 'down', 3],
  ['a secret that is not accepted is one at once', [well, refused], 'down', 2],
  ['an outage goes on as the same', [well, failed, failed, failed, failed], 'down', 3],
  ['who comes back is not trusted at once', [failed, failed, well, well], 'degraded', 3],
  ['failures that are not in a row are no outage', [failed, well, failed, well], 'degraded', 1],
  ['who answers slowly is degraded', [well, { ...well, latencyMs: 2000 }], 'degraded', 2],
  ['who answers and refuses is degraded', [well, { ...well, problem: 'No' }], 'degraded', 2],
] as const)('%s', (_, findings, state, sinceMinute) => {
  expect(after(findings)).toMatchObject({ state, sinceMs: sinceMinute * minute });
});

test('a provider is healthy again 15 minutes after the last failure', () => {
  const came = [failed, failed, ...Array.from({ length: 15 }, () => well)];
  expect(after(came.slice(0, -1)).state).toBe('degraded');
  expect(after(came)).toMatchObject({ state: 'healthy', sinceMs: 17 * minute });
});

test('results are valid for five minutes', () => {
  expect(isFresh(0, 5 * minute)).toBe(true);
  expect(isFresh(0, 5 * minute + 1)).toBe(false);
  expect(isFresh(null, 0)).toBe(false);
});
