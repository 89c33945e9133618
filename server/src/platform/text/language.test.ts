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
])('if a language is available only for one region or script, %s gets %s', (locale, language) => {
  expect(bestMatch(locale, ['it-CH', 'zh-TW', 'zh-Hant'])).toBe(language);
});
