import { expect, test } from 'vitest';
import { bestMatch } from './language.ts';

test.each([
  ['zh-TW', 'zh-TW'],
  ['zh-Hant-TW', 'zh-TW'],
  ['zh-Hant-MO', 'zh-Hant'],
  ['zh-SG', 'zh-TW'],
  ['zh', 'zh-TW'],
  ['it', 'it-CH'],
  ['it-IT', 'it-CH'],
  ['i', undefined],
  ['zhh', undefined],
])('among languages that are there for one region or script alone, %s is given %s', (locale, language) => {
  expect(bestMatch(locale, ['it-CH', 'zh-TW', 'zh-Hant'])).toBe(language);
});
