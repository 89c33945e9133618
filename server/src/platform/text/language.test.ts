import { expect, test } from 'vitest';
import { bestMatch, languageOf } from './language.ts';

test.each([
  ['pt', 'pt'],
  ['pt-PT', 'pt'],
  ['pt-AO', 'pt'],
  ['pt_MZ', 'pt'],
  ['pt-BR', 'pt-BR'],
  ['PT_br', 'pt-BR'],
  ['pt-Latn-BR', 'pt-BR'],
  ['de-CH-1996', 'de'],
  ['es-419', 'es'],
  ['ja', 'en'],
  ['port', 'en'],
  ['*', 'en'],
  ['', 'en'],
  [null, 'en'],
  ['constructor', 'en'],
])('whoever reads %s is written to in %s', (locale, language) => {
  expect(languageOf(locale)).toBe(language);
});

test('the first locale that there is a language for decides', () => {
  expect(languageOf('ja', null, 'pt-BR', 'de')).toBe('pt-BR');
});

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
