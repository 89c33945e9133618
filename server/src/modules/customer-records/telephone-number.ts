import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface TelephoneNumber {
  /** E.164. */
  readonly number: string;
  readonly extension: string | null;
}

/** Null for what no numbering plan has. @param country where a number without country code is dialled. */
export function readTelephone(text: string, country: string): TelephoneNumber | null {
  const home: CountryCode | undefined = isSupportedCountry(country) ? country : undefined;
  const parsed = parsePhoneNumberFromString(text, { extract: false, ...(home ? { defaultCountry: home } : {}) });
  if (!parsed?.isValid()) return null;
  return { number: parsed.number, extension: parsed.ext ?? null };
}
