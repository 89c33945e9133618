import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max';

export interface TelephoneNumber {
  /** E.164. */
  readonly number: string;
  readonly extension: string | null;
}

/** Null if the number is not valid in its numbering plan. @param country for numbers without a country code. */
export function readTelephone(text: string, country: string): TelephoneNumber | null {
  const home: CountryCode | undefined = isSupportedCountry(country) ? country : undefined;
  const parsed = parsePhoneNumberFromString(text, { extract: false, ...(home ? { defaultCountry: home } : {}) });
  if (!parsed?.isValid()) return null;
  return { number: parsed.number, extension: parsed.ext ?? null };
}
