import { LRUCache } from 'lru-cache';
import Negotiator from 'negotiator';
import { epochMs } from './instant.ts';

/**
 * "3 hours ago", "há 3 horas", "in 2 days", "now". English for unknown locales.
 * @param instant in UTC, as printed or as PostgreSQL sends it
 */
export function readableTime(instant: string, nowMs: number, locale: string): string {
  const distance = epochMs(instant) - nowMs;
  const seconds = Math.trunc(distance / 1000);
  const { unit, count } = measure(Math.abs(seconds));
  return phrasesOf(locale).say(unit, seconds < 0 ? -count : count);
}

/** The locales of the header in the order of preference. */
export function acceptedLocales(header: string | undefined): string[] {
  return header === undefined || header.length > 1000 ? [] : rankedRanges(header).slice(0, 20);
}

/** The preferred known locale; null when the header names none. */
export function parseAcceptLanguage(header: string | undefined): string | null {
  if (!header || header.length > 1000) return null;
  const cached = preferences.get(header);
  if (cached) return cached.locale;
  const locale = preferredLocale(header);
  preferences.set(header, { locale });
  return locale;
}

/** Whether `Intl` supports the locale. */
export function isValidLocale(locale: string): boolean {
  return toKnownLocale(locale) !== null;
}

type Unit = 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';

interface Phrases {
  say(unit: Unit, count: number): string;
}

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;
const month = 30.436875 * day;
const year = 365.2425 * day;

const preferences = new LRUCache<string, { locale: string | null }>({ max: 500 });
const phrasesByLocale = new LRUCache<string, Phrases>({ max: 200 });

function measure(seconds: number): { unit: Unit; count: number } {
  if (seconds < minute) return { unit: 'second', count: seconds };
  if (seconds < hour) return { unit: 'minute', count: Math.trunc(seconds / minute) };
  if (seconds < day) return { unit: 'hour', count: Math.trunc(seconds / hour) };
  if (seconds < 7 * day) return { unit: 'day', count: Math.trunc(seconds / day) };
  if (seconds < 30 * day) return { unit: 'week', count: Math.trunc(seconds / (7 * day)) };
  if (seconds < 365 * day) {
    return { unit: 'month', count: Math.min(11, Math.max(1, Math.trunc(seconds / month))) };
  }
  return { unit: 'year', count: Math.max(1, Math.trunc(seconds / year)) };
}

function phrasesOf(locale: string): Phrases {
  let phrases = phrasesByLocale.get(locale);
  if (!phrases) {
    phrases = createPhrases(toKnownLocale(locale) ?? 'en');
    phrasesByLocale.set(locale, phrases);
  }
  return phrases;
}

function createPhrases(locale: string): Phrases {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'always' });
  const now = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(0, 'second');
  const phrasesByUnit = new Map<Unit, Map<number, string>>();
  return {
    say(unit, count) {
      if (count === 0) return now;
      let phrases = phrasesByUnit.get(unit);
      if (!phrases) phrasesByUnit.set(unit, (phrases = new Map()));
      let phrase = phrases.get(count);
      if (phrase === undefined) {
        phrase = format.format(count, unit);
        if (phrases.size < 1000) phrases.set(count, phrase);
      }
      return phrase;
    },
  };
}

function preferredLocale(header: string): string | null {
  for (const range of rankedRanges(header)) {
    const locale = toKnownLocale(range);
    if (locale !== null) return locale;
  }
  return null;
}

function rankedRanges(header: string): string[] {
  return new Negotiator({ headers: { 'accept-language': header } }).languages();
}

function toKnownLocale(text: string): string | null {
  if (text.length < 2 || text.length > 35) return null;
  try {
    return Intl.RelativeTimeFormat.supportedLocalesOf(text.replaceAll('_', '-'))[0] ?? null;
  } catch {
    return null;
  }
}
