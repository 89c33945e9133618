import type { TextFormat } from '@foyer/contract/conventions/field.ts';
import countries from 'i18n-iso-countries';
import isEmail from 'validator/lib/isEmail.js';
import isFQDN from 'validator/lib/isFQDN.js';
import isURL from 'validator/lib/isURL.js';
import { parseTimeZone } from '../../time/calendar-date.ts';
import { parseCurrency } from '../../text/currency.ts';
import { parseUrl } from '../../text/read-url.ts';

interface Format {
  readonly expected: string;
  /** The value to store, or null when the text does not have this format. */
  readonly read: (text: string) => string | null;
}

export const formats: Record<TextFormat, Format> = {
  email: { expected: 'a valid email address', read: acceptIf((text) => isEmail(text)) },
  'http-url': {
    expected: 'a valid http or https address',
    read: acceptIf((text) =>
      isURL(text, {
        protocols: ['http', 'https'],
        require_protocol: true,
        require_tld: false,
        disallow_auth: true,
      }),
    ),
  },
  'host-name': {
    expected: 'a valid host name',
    read: (text) => (isFQDN(text) ? text.toLowerCase() : null),
  },
  'host-label': {
    expected: '1 to 63 letters, digits and hyphens, not starting or ending with a hyphen',
    read: (text) => (/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i.test(text) ? text.toLowerCase() : null),
  },
  origin: {
    expected: 'an origin such as https://example.com',
    read: (text) => {
      const url = parseUrl(text);
      const isBare =
        url !== null &&
        /^https?:$/.test(url.protocol) &&
        url.pathname === '/' &&
        !url.search &&
        !url.hash &&
        !url.username &&
        // Patterns are not allowed: each origin is listed by name. Origins are printed in header fields, so other
        // characters are rejected.
        /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/.test(url.hostname);
      return isBare ? url.origin : null;
    },
  },
  'time-zone': {
    expected: 'a known time zone',
    read: parseTimeZone,
  },
  locale: { expected: 'a valid locale', read: readLocale },
  currency: {
    expected: 'an ISO 4217 currency code',
    read: parseCurrency,
  },
  country: {
    expected: 'an ISO 3166-1 alpha-2 country code',
    read: readCountry,
  },
  color: {
    expected: 'a colour such as #1a2b3c',
    read: acceptIf((text) => /^#[0-9a-f]{6}$/i.test(text)),
  },
};

function acceptIf(isValid: (text: string) => boolean): (text: string) => string | null {
  return (text) => (isValid(text) ? text : null);
}

function readLocale(text: string): string | null {
  try {
    const [locale] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    if (locale === undefined) return null;
    const { language, region } = new Intl.Locale(locale);
    const isKnown = languages.of(language) !== undefined && (!region || regions.of(region) !== undefined);
    return isKnown ? locale : null;
  } catch {
    return null;
  }
}

/** XK is in common use for Kosovo, although ISO 3166-1 does not assign it. */
function readCountry(text: string): string | null {
  const code = text.toUpperCase();
  return code.length === 2 && code !== 'XK' && countries.isValid(code) ? code : null;
}

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
