import { currencyCodes } from './currency-codes.ts';

export interface Choice {
  readonly value: string;
  readonly label: string;
}

export function timeZones(): Choice[] {
  const names = Intl.supportedValuesOf('timeZone');
  return ['UTC', ...names.filter((name) => name !== 'UTC')].map((name) => ({
    value: name,
    label: name.replaceAll('_', ' '),
  }));
}

export function currencies(): Choice[] {
  const names = new Intl.DisplayNames('en', { type: 'currency' });
  return currencyCodes.map((code) => ({ value: code, label: `${code} · ${names.of(code) ?? code}` }));
}

/** Languages by name, with the one that is stored already. */
export function localeChoices(stored: string): Choice[] {
  const names = new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' });
  return [...new Set([...locales, stored])]
    .map((tag) => ({ value: tag, label: `${names.of(tag) ?? tag} · ${tag}` }))
    .toSorted((left, right) => left.label.localeCompare(right.label));
}

/** Every region that the browser can name and that is no alias of another. */
export function countries(): Choice[] {
  const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  return letters
    .flatMap((first) => letters.map((second) => first + second))
    .filter((code) => !notCountries.has(code) && new Intl.Locale(`und-${code}`).region === code)
    .flatMap((code) => {
      const name = names.of(code);
      return name === undefined ? [] : [{ value: code, label: name }];
    })
    .sort((left, right) => left.label.localeCompare(right.label));
}

/** The time zone of a country, if it has one or most people live in one of them; else null. */
export function timeZoneOf(country: string): string | null {
  if (!/^[A-Z]{2}$/.test(country)) return null;
  const [zone, ...others] = mainZones[country] ?? zonesWithin(country);
  const isClear = zone !== undefined && others.length === 0 && Intl.supportedValuesOf('timeZone').includes(zone);
  return isClear ? zone : null;
}

/** The time zones of a country in the browser's data; empty if the browser has none. */
function zonesWithin(country: string): readonly string[] {
  const locale = new Intl.Locale(`und-${country}`) as {
    readonly timeZones?: readonly string[];
    getTimeZones?(): readonly string[] | undefined;
  };
  return locale.getTimeZones?.() ?? locale.timeZones ?? [];
}

export function countryName(code: string): string {
  return new Intl.DisplayNames('en', { type: 'region' }).of(code) ?? code;
}

export function languageName(tag: string): string {
  return new Intl.DisplayNames('en', { type: 'language', languageDisplay: 'standard' }).of(tag) ?? tag;
}

/** Countries in which only islands, enclaves or remote parts have another time. */
const mainZones: Readonly<Record<string, readonly string[]>> = {
  AR: ['America/Argentina/Buenos_Aires'],
  CL: ['America/Santiago'],
  CN: ['Asia/Shanghai'],
  CY: ['Asia/Nicosia'],
  DE: ['Europe/Berlin'],
  EC: ['America/Guayaquil'],
  ES: ['Europe/Madrid'],
  MY: ['Asia/Kuala_Lumpur'],
  NZ: ['Pacific/Auckland'],
  PT: ['Europe/Lisbon'],
  UA: ['Europe/Kiev'],
  UZ: ['Asia/Tashkent'],
};

/** Codes that name unions, tests and islands without a code of their own in ISO 3166-1. */
const notCountries = new Set([
  'EU',
  'EZ',
  'UN',
  'QO',
  'XA',
  'XB',
  'XK',
  'ZZ',
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'IC',
  'TA',
]);

/** The most common languages. Others can be set through the API. */
const locales = [
  'ar',
  'bg',
  'ca',
  'cs',
  'da',
  'de',
  'de-AT',
  'de-CH',
  'el',
  'en',
  'en-GB',
  'en-US',
  'es',
  'es-MX',
  'et',
  'fi',
  'fr',
  'fr-CA',
  'he',
  'hi',
  'hr',
  'hu',
  'id',
  'it',
  'ja',
  'ko',
  'lt',
  'lv',
  'nb',
  'nl',
  'pl',
  'pt',
  'pt-BR',
  'ro',
  'ru',
  'sk',
  'sl',
  'sr',
  'sv',
  'th',
  'tr',
  'uk',
  'vi',
  'zh-Hans',
  'zh-Hant',
];
