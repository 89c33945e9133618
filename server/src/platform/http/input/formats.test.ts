import { expect, test } from 'vitest';
import { formats } from './formats.ts';

test.each([
  ['locale', 'de_at', 'de-AT'],
  ['locale', 'pt-BR', 'pt-BR'],
  ['locale', 'zh-Hant', 'zh-Hant'],
  ['locale', 'Austrian', null],
  ['locale', 'de-XX', null],
  ['locale', 'not a locale', null],
  ['country', 'at', 'AT'],
  ['country', 'XK', null],
  ['country', 'AUT', null],
] as const)('the %s %s is read as %s', (format, text, expected) => {
  expect(formats[format].read(text)).toBe(expected);
});
