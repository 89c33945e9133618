import isoCurrencies from 'currency-codes';

/**
 * The ISO 4217 code; null for other texts, and for codes that are not used for payments (metals, funds, test codes).
 */
export function parseCurrency(text: string): string | null {
  const code = text.toUpperCase();
  return decimals.has(code) ? code : null;
}

/** The decimals of the currency's smallest unit by ISO 4217: 2 for EUR, 0 for JPY, 3 for KWD. */
export function decimalsOf(currency: string): number {
  return decimals.get(currency) ?? 2;
}

const nonPaymentCodes = new Set(
  'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX BOV CHE CHW CLF COU MXV USN UYI UYW'.split(' '),
);

const decimals: ReadonlyMap<string, number> = new Map([
  ...isoCurrencies.data
    .filter(({ code }) => !nonPaymentCodes.has(code))
    .map(({ code, digits }) => [code, digits] as const),
  // The list does not contain this currency yet.
  ['XCG', 2],
]);
