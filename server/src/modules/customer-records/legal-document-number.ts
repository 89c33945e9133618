import type { legalDocumentTypes } from '@foyer/contract/resources/customers/legal-document.ts';
import { euVat, stdnum } from 'stdnum';
import type { FieldFaults } from '../../platform/failures.ts';

export type LegalDocumentType = (typeof legalDocumentTypes)[number];

/** The issuing country and the normalized number. */
export interface LegalDocumentNumber {
  readonly country: string;
  readonly value: string;
}

export type NumberResult = { readonly number: LegalDocumentNumber } | { readonly faults: FieldFaults };

/**
 * Validates and normalizes the number of a legal document.
 * @param country from the request
 * @param homeCountry the customer's, for a request without a country
 */
export function readLegalDocument(
  type: LegalDocumentType,
  value: string,
  country: string | null,
  homeCountry: string,
): NumberResult {
  if (type === 'other') return { number: { country: country ?? homeCountry, value } };
  return type === 'eu_vat' ? readVatNumber(value, country, homeCountry) : readBrazilianNumber(type, value, country);
}

/** The countries of VAT prefixes that differ from the country code, or that several countries share. */
const countriesOfPrefix: Readonly<Record<string, readonly string[]>> = {
  EL: ['GR'],
  FR: ['FR', 'MC'],
  GB: ['GB', 'IM'],
  XI: ['GB'],
};
const prefixes = 'AT BE BG CY CZ DE DK EE EL ES FI FR GB HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK XI'.split(' ');

function readVatNumber(value: string, country: string | null, homeCountry: string): NumberResult {
  const compact = value.replaceAll(/[\s.\-/]/g, '').toUpperCase();
  const includedPrefix = prefixes.find((prefix) => compact.startsWith(prefix) && isVatNumber(prefix, compact.slice(2)));
  const prefix = includedPrefix ?? prefixOf(country ?? homeCountry);
  if (!prefix) {
    const sentence = 'The VAT number must be from the European Union or the United Kingdom.';
    return { faults: { [country === null ? 'value' : 'country']: [sentence] } };
  }
  if (includedPrefix && country !== null && !countriesOf(includedPrefix).includes(country))
    return { faults: { country: [`The VAT number ${includedPrefix}${compact.slice(2)} is from another country.`] } };
  const digits = includedPrefix ? compact.slice(2) : compact;
  if (!includedPrefix && !isVatNumber(prefix, digits))
    return { faults: { value: [`The value field must be a valid VAT number of ${countriesOf(prefix)[0]}.`] } };
  return { number: { country: country ?? countryOf(prefix, homeCountry), value: `${prefix}${digits}` } };
}

function countriesOf(prefix: string): readonly string[] {
  return countriesOfPrefix[prefix] ?? [prefix];
}

/** If several countries share the prefix, the customer's own is preferred. */
function countryOf(prefix: string, homeCountry: string): string {
  const countries = countriesOf(prefix);
  return countries.includes(homeCountry) ? homeCountry : (countries[0] ?? prefix);
}

function prefixOf(country: string): string | undefined {
  return prefixes.find((prefix) => countriesOf(prefix).includes(country));
}

/** @param digits the number without its prefix. */
function isVatNumber(prefix: string, digits: string): boolean {
  const country = countriesOf(prefix)[0] ?? prefix;
  const validators = country === 'GB' ? [stdnum['GB']?.['vat']] : euVat[country];
  return (
    /^[0-9A-Z+*]{2,13}$/.test(digits) && (validators ?? []).some((validator) => validator?.validate(digits).isValid)
  );
}

function readBrazilianNumber(type: 'br_cpf' | 'br_cnpj', value: string, country: string | null): NumberResult {
  const name = type === 'br_cpf' ? 'CPF' : 'CNPJ';
  const faults: FieldFaults = {};
  if (country !== null && country !== 'BR')
    faults['country'] = [`A ${name} is a Brazilian document, so the country must be BR.`];
  const compact = value.replaceAll(/[\s.\-/]/g, '').toUpperCase();
  const validator = stdnum['BR']?.[type === 'br_cpf' ? 'cpf' : 'cnpj'];
  if (new Set(compact).size === 1 || !validator?.validate(compact).isValid)
    faults['value'] = [`The value field must be a valid ${name}.`];
  return Object.keys(faults).length > 0 ? { faults } : { number: { country: 'BR', value: compact } };
}
