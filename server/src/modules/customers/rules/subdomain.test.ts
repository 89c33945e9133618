import fc from 'fast-check';
import { expect, test } from 'vitest';
import { subdomainFrom, withSuffix } from './subdomain.ts';

const hostLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

test.each([
  ['the name of the company, if there is one', { company_name: 'ACME GmbH & Co. KG' }, 'acme-gmbh-and-co-kg'],
  ['the name of the person otherwise', { company_name: null }, 'ana-maria-goncalves'],
  [
    'the name of the person, if the name of the company has no usable letter',
    { company_name: '☆☆☆' },
    'ana-maria-goncalves',
  ],
  ['a name in mixed case, which is not split', { company_name: 'OpenTalk' }, 'opentalk'],
])('a subdomain is made from %s', (_, customer, expected) => {
  expect(subdomainFrom({ first_name: 'Ana Maria', last_name: 'Gonçalves', ...customer })).toBe(expected);
});

test('names without any usable letter also get a subdomain', () => {
  expect(subdomainFrom({ first_name: '☆', last_name: '☆' })).toBe('customer');
});

test('for all names, a subdomain and its variants are valid host labels', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 150 });
  fc.assert(
    fc.property(fc.option(name), name, name, (company, first, last) => {
      const subdomain = subdomainFrom({ company_name: company, first_name: first, last_name: last });
      expect(subdomain).toMatch(hostLabel);
      expect(withSuffix(subdomain, 'x7k2p9')).toMatch(hostLabel);
      expect(withSuffix(subdomain, 'x7k2p9')).toMatch(/-x7k2p9$/);
    }),
  );
});

test('a subdomain that is cut at the maximum length does not end in a hyphen', () => {
  const customer = { company_name: `${'a'.repeat(62)} b`, first_name: 'A', last_name: 'B' };
  expect(subdomainFrom(customer)).toBe('a'.repeat(62));
  expect(withSuffix(`${'a'.repeat(55)}-bcdefg`, 'x7k2p9')).toBe(`${'a'.repeat(55)}-x7k2p9`);
});

test('a name that is too long is cut after a whole word', () => {
  const customer = {
    company_name: 'Institute for Spread Spectrum and Frequency Hopping Gesellschaft mbH',
    first_name: 'A',
    last_name: 'B',
  };
  expect(subdomainFrom(customer)).toBe('institute-for-spread-spectrum-and-frequency-hopping');
  expect(subdomainFrom({ ...customer, company_name: 'x'.repeat(70) })).toBe('x'.repeat(63));
});
