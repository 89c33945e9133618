import { expect, test } from 'vitest';
import { createCircuitBreaker } from './circuit-breaker.ts';
import { ProviderFailure, type ProviderFailureKind } from './provider-failure.ts';

const failWith = (kind: ProviderFailureKind) => () => Promise.reject(new ProviderFailure(kind, 'p', 'It failed.'));
const succeed = () => Promise.resolve('answer');

function createBreaker() {
  const time = { ms: 0 };
  const breaker = createCircuitBreaker('p', () => time.ms);
  const outcome = (call: () => Promise<unknown>) =>
    breaker.run(call).catch((error: unknown) => (error instanceof ProviderFailure ? error.kind : error));
  return { time, breaker, outcome };
}

test.each(['timeout', 'unreachable', 'untrusted'] as const)(
  'five calls in a row that end with %s open the circuit, four do not',
  async (kind) => {
    const { outcome } = createBreaker();
    for (let call = 0; call < 4; call++) expect(await outcome(failWith(kind))).toBe(kind);
    expect(await outcome(succeed)).toBe('answer');
    for (let call = 0; call < 5; call++) expect(await outcome(failWith(kind))).toBe(kind);
    expect(await outcome(succeed)).toBe('circuit-open');
  },
);

test.each(['refused', 'checksum', 'http-error', 'malformed', 'oversize', 'redirected', 'too-long'] as const)(
  'a call that ends with %s never opens the circuit',
  async (kind) => {
    const { outcome } = createBreaker();
    for (let call = 0; call < 20; call++) expect(await outcome(failWith(kind))).toBe(kind);
    for (let call = 0; call < 4; call++) await outcome(failWith('timeout'));
    await outcome(failWith(kind));
    for (let call = 0; call < 4; call++) await outcome(failWith('timeout'));
    expect(await outcome(succeed)).toBe('answer');
  },
);

test('after ten seconds one probe is let through, while other calls are rejected', async () => {
  const { time, outcome } = createBreaker();
  for (let call = 0; call < 5; call++) await outcome(failWith('timeout'));
  time.ms = 9_999;
  expect(await outcome(succeed)).toBe('circuit-open');
  time.ms = 10_000;
  let answer: (text: string) => void = () => {};
  const probing = outcome(() => new Promise((resolve) => (answer = resolve)));
  expect(await outcome(succeed)).toBe('circuit-open');
  answer('answer');
  expect(await probing).toBe('answer');
  expect(await outcome(succeed)).toBe('answer');
});

test('a probe that fails keeps the circuit open for another ten seconds', async () => {
  const { time, outcome } = createBreaker();
  for (let call = 0; call < 5; call++) await outcome(failWith('timeout'));
  time.ms = 10_000;
  expect(await outcome(failWith('timeout'))).toBe('timeout');
  time.ms = 19_999;
  expect(await outcome(succeed)).toBe('circuit-open');
  time.ms = 20_000;
  expect(await outcome(succeed)).toBe('answer');
});
