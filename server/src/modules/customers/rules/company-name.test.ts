import { expect, test } from 'vitest';
import { companyNameFaults } from './company-name.ts';

test('a business needs a company name', () => {
  expect(companyNameFaults('business', null)).toEqual({
    company_name: ['The company name field is required when customer type is business.'],
  });
});

test.each([
  ['business', 'ACME'],
  ['personal', null],
  ['personal', 'ACME'],
])('a %s customer may have the company name %s', (customerType, companyName) => {
  expect(companyNameFaults(customerType, companyName)).toEqual({});
});
