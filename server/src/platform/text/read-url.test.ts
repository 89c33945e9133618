import { expect, test } from 'vitest';
import { parseUrl } from './read-url.ts';

test('parsing an address 30,000 times gives the same result each time', () => {
  let wrongResults = 0;
  for (let round = 0; round < 30_000; round++) {
    if (parseUrl('https://bücher.example')?.hostname !== 'xn--bcher-kva.example') wrongResults++;
  }
  expect(wrongResults).toBe(0);
});

test.each(['', 'meet', '//meet.example', 'https://', 'https://[::1', 'https://a b.example'])(
  '%j is not an address',
  (text) => {
    expect(parseUrl(text)).toBeNull();
  },
);

test('a relative address is resolved against the base address', () => {
  expect(parseUrl('/b', 'https://meet.example/a')?.href).toBe('https://meet.example/b');
  expect(parseUrl('/b', 'meet')).toBeNull();
});
