import { decimalsOf } from './currency.ts';
import type { FieldFaults } from '../failures.ts';

const amounts = ['price', 'signup_fee'] as const;
type Amount = (typeof amounts)[number];

/**
 * Checks that amounts have at most the decimals of their currency. The fault belongs to the member that was sent: the
 * amount, or the currency if only the currency changes.
 */
export function moneyFaults(
  input: { readonly [Name in Amount]?: number },
  stored: { readonly [Name in Amount]?: string },
  currency: string,
): FieldFaults {
  const decimals = decimalsOf(currency);
  const faults: FieldFaults = {};
  for (const name of amounts) {
    const amount = input[name] ?? stored[name];
    if (amount === undefined || hasAtMostDecimals(decimals, Number(amount))) continue;
    const label = name.replaceAll('_', ' ');
    if (input[name] === undefined) {
      (faults['currency'] ??= []).push(`The ${label} ${Number(amount)} is not a valid amount in ${currency}.`);
    } else {
      const allowed = decimals === 0 ? 'no decimals' : `at most ${decimals} decimals`;
      faults[name] = [`The ${label} field must have ${allowed} in ${currency}.`];
    }
  }
  return faults;
}

function hasAtMostDecimals(decimals: number, amount: number): boolean {
  return Math.abs(amount - Number(amount.toFixed(decimals))) <= Number.EPSILON * Math.abs(amount);
}
