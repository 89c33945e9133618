import fc from 'fast-check';
import { expect, test } from 'vitest';
import { instantOfMicroseconds } from './instant.ts';
import { isValidLocale, parseAcceptLanguage, readableTime } from './relative-time.ts';

const now = Date.parse('2026-03-01T12:00:00Z');

function formatRelative(secondsFromNow: number, locale = 'en'): string {
  return readableTime(instantOfMicroseconds((now + secondsFromNow * 1000) * 1000), now, locale);
}

const hours = 3600;
const days = 24 * hours;

test.each([
  [0, 'now'],
  [-0.9, 'now'],
  [0.9, 'now'],
  [-1, '1 second ago'],
  [-59, '59 seconds ago'],
  [-60, '1 minute ago'],
  [-119, '1 minute ago'],
  [-59 * 60 - 59, '59 minutes ago'],
  [-hours, '1 hour ago'],
  [-3 * hours, '3 hours ago'],
  [-day(1) + 1, '23 hours ago'],
  [-day(1), '1 day ago'],
  [-day(6.9), '6 days ago'],
  [-day(7), '1 week ago'],
  [-day(29), '4 weeks ago'],
  [-day(30), '1 month ago'],
  [-day(61), '2 months ago'],
  [-day(364), '11 months ago'],
  [-day(365), '1 year ago'],
  [-day(731), '2 years ago'],
  [-day(366_000), '1,002 years ago'],
  [2 * hours, 'in 2 hours'],
  [day(40), 'in 1 month'],
])('%d seconds from now reads as "%s"', (seconds, phrase) => {
  expect(formatRelative(seconds)).toBe(phrase);
});

function day(count: number): number {
  return count * days;
}

test.each([
  ['pt-BR', 'há 3 horas', 'agora'],
  ['pt_BR', 'há 3 horas', 'agora'],
  ['de', 'vor 3 Stunden', 'jetzt'],
  ['fr-CA', 'il y a 3 heures', 'maintenant'],
])('for %s the time is in that language', (locale, ago, nowText) => {
  expect(formatRelative(-3 * hours, locale)).toBe(ago);
  expect(formatRelative(0, locale)).toBe(nowText);
});

test.each(['', 'x', 'zz', 'not a locale', '*', '__proto__', 'e'.repeat(5000)])(
  'the unknown locale %j is answered in English',
  (locale) => {
    expect(formatRelative(-3 * hours, locale)).toBe('3 hours ago');
    expect(isValidLocale(locale)).toBe(false);
  },
);

test('every past time has a number and a unit, and equal distances have equal texts', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 5_000_000_000 }), (seconds) => {
      const phrase = formatRelative(-seconds);
      expect(phrase === 'now' || /^[\d,]+ [a-z]+ ago$/.test(phrase)).toBe(true);
      expect(formatRelative(-seconds)).toBe(phrase);
    }),
  );
});

test('locales are valid with region, script and underscore', () => {
  for (const locale of ['en', 'pt-BR', 'pt_BR', 'zh-Hant-TW', 'de-u-nu-latn']) {
    expect(isValidLocale(locale)).toBe(true);
  }
});

test.each([
  ['pt-BR,pt;q=0.9,en;q=0.8', 'pt-BR'],
  ['en;q=0.5, de', 'de'],
  ['zz, fr;q=0.2', 'fr'],
  ['*', null],
  ['*;q=0.5, es;q=0.1', 'es'],
  ['de;q=0, en;q=0.1', 'en'],
  ['de;q=0', null],
  ['de;q=nonsense', null],
  ['pt_br', 'pt-BR'],
  ['EN-us ; Q = 1', 'en-US'],
  [';;;,,,', null],
  ['<script>', null],
  ['', null],
  [undefined, null],
  ['en,'.repeat(2000), null],
])('the header %j asks for %s', (header, locale) => {
  expect(parseAcceptLanguage(header)).toBe(locale);
  expect(parseAcceptLanguage(header)).toBe(locale);
});
