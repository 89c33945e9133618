import { expect, test } from 'vitest';
import { readLegalDocument } from './legal-document-number.ts';

test.each([
  ['ATU13585627', 'AT'],
  ['BE0411905847', 'BE'],
  ['BG101004508', 'BG'],
  ['CY10132211L', 'CY'],
  ['CZ00023281', 'CZ'],
  ['DE111111125', 'DE'],
  ['DK88146328', 'DK'],
  ['EE100207415', 'EE'],
  ['EL040127797', 'GR'],
  ['ESA13585625', 'ES'],
  ['FI09853608', 'FI'],
  ['FR00300076965', 'FR'],
  ['GB434031494', 'GB'],
  ['XI434031494', 'GB'],
  ['HR33392005961', 'HR'],
  ['HU10597190', 'HU'],
  ['IE6433435F', 'IE'],
  ['IE3628739UA', 'IE'],
  ['IT00743110157', 'IT'],
  ['LT213179412', 'LT'],
  ['LU10000356', 'LU'],
  ['LV40003009497', 'LV'],
  ['MT15121333', 'MT'],
  ['NL010000446B01', 'NL'],
  ['PL5260001246', 'PL'],
  ['PT501964843', 'PT'],
  ['RO11198699', 'RO'],
  ['SE556188840401', 'SE'],
  ['SI15012557', 'SI'],
  ['SK4030000007', 'SK'],
])('%s is a VAT number of %s, with or without its prefix, but not with a wrong check digit', (number, country) => {
  const expected = { number: { country, value: number } };
  expect(readLegalDocument('eu_vat', number, null, 'US')).toEqual(expected);
  expect(readLegalDocument('eu_vat', number.toLowerCase(), country, 'US')).toEqual(expected);
  if (!number.startsWith('XI')) expect(readLegalDocument('eu_vat', number.slice(2), country, 'US')).toEqual(expected);
  expect(
    readLegalDocument('eu_vat', ` ${number.slice(0, 4)} ${number.slice(4, 7)}.${number.slice(7)}`, null, 'US'),
  ).toEqual(expected);
  const digits = Array.from(number.slice(2)).flatMap((digit, index) => (/\d/.test(digit) ? [index + 2] : []));
  const wrongNumbers = digits.flatMap((index) =>
    [1, 5].map(
      (increment) => `${number.slice(0, index)}${(Number(number[index]) + increment) % 10}${number.slice(index + 1)}`,
    ),
  );
  const accepted = wrongNumbers.filter(
    (wrongNumber) => 'number' in readLegalDocument('eu_vat', wrongNumber, country, 'US'),
  );
  // Some countries compute check digits by a modulus, so a few wrong numbers have the right check digits.
  expect(accepted.length).toBeLessThanOrEqual(wrongNumbers.length / 4);
});

test.each([
  ['PT501964844', null, 'PT', ['value']],
  ['501964844', null, 'PT', ['value']],
  ['PT501964843', 'ES', 'PT', ['country']],
  ['EL040127797', 'DE', 'DE', ['country']],
  ['501964843', 'US', 'PT', ['country']],
  ['501964843', null, 'US', ['value']],
  ['CHE107787577', null, 'CH', ['value']],
  ['PT', null, 'PT', ['value']],
  ['', null, 'PT', ['value']],
  ['constructor', null, 'PT', ['value']],
  ['PT5019648４3', null, 'PT', ['value']],
])('%j of %s for a customer in %s is not a VAT number', (value, country, home, fields) => {
  const result = readLegalDocument('eu_vat', value, country, home);
  expect('faults' in result && Object.keys(result.faults)).toEqual(fields);
});

test("a number without prefix belongs to the customer's country; Monaco and the Isle of Man use the prefixes FR and GB", () => {
  expect(readLegalDocument('eu_vat', '501 964 843', null, 'PT')).toEqual({
    number: { country: 'PT', value: 'PT501964843' },
  });
  expect(readLegalDocument('eu_vat', 'FR00300076965', null, 'MC')).toEqual({
    number: { country: 'MC', value: 'FR00300076965' },
  });
  expect(readLegalDocument('eu_vat', '434031494', 'IM', 'GB')).toEqual({
    number: { country: 'IM', value: 'GB434031494' },
  });
});

test.each([
  ['br_cpf', '111.444.777-35', '11144477735'],
  ['br_cpf', '11144477735', '11144477735'],
  ['br_cnpj', '11.222.333/0001-81', '11222333000181'],
  ['br_cnpj', '12.ABC.345/01DE-35', '12ABC34501DE35'],
  ['br_cnpj', '12abc34501de35', '12ABC34501DE35'],
] as const)('the %s %s is stored as %s', (type, value, normalized) => {
  expect(readLegalDocument(type, value, null, 'PT')).toEqual({ number: { country: 'BR', value: normalized } });
});

test.each([
  ['br_cpf', '111.444.777-36'],
  ['br_cpf', '11111111111'],
  ['br_cpf', '00000000000'],
  ['br_cpf', '1114447773'],
  ['br_cpf', '11222333000181'],
  ['br_cnpj', '11.222.333/0001-82'],
  ['br_cnpj', '00000000000000'],
  ['br_cnpj', '12ABC34501DE36'],
  ['br_cnpj', '12ABC34501DE3A'],
  ['br_cnpj', '11144477735'],
  ['br_cnpj', 'toString'],
] as const)('the %s %s is rejected', (type, value) => {
  const result = readLegalDocument(type, value, 'BR', 'BR');
  expect('faults' in result && Object.keys(result.faults)).toEqual(['value']);
});

test('a Brazilian document of another country is rejected together with its number', () => {
  const result = readLegalDocument('br_cpf', '1', 'PT', 'PT');
  expect('faults' in result && Object.keys(result.faults)).toEqual(['country', 'value']);
});

test('other documents are not validated, and have the country in the request or that of the customer', () => {
  expect(readLegalDocument('other', 'CHE-107.787.577 MWST', 'CH', 'DE')).toEqual({
    number: { country: 'CH', value: 'CHE-107.787.577 MWST' },
  });
  expect(readLegalDocument('other', 'HRB 1234', null, 'DE')).toEqual({ number: { country: 'DE', value: 'HRB 1234' } });
});
