import { endpoints } from '@foyer/contract';
import { expect, test } from 'vitest';
import { formFieldsOf } from '../../kit/form/form-fields.ts';
import {
  applyChange,
  faultsOf,
  remainingErrors,
  remainingFaults,
  visibleFields,
} from '../../kit/form/form-faults-of.ts';
import { outputForm } from '../src/outputs/output-form.ts';
import { nouns } from '../src/nouns/nouns.ts';
import { propertyErrors } from '../src/providers/property-errors.ts';

const customer = formFieldsOf(endpoints.createCustomer.body);
const servicePackage = formFieldsOf(endpoints.createServicePackage.body);

test('all missing and invalid values are reported at once', () => {
  const values = { customer_type: 'business', email: 'hedy@', password: 'short', country: 'AT', currency: 'EUR' };
  const faults = faultsOf(visibleFields(customer, values, nouns.customers.rules), values);
  expect(Object.keys(faults).sort()).toEqual(['company_name', 'email', 'first_name', 'last_name', 'password']);
  expect(faults['company_name']).toEqual(['“Company” is required.']);
});

test('a person needs no company name, and hidden fields are not required', () => {
  const personal = { customer_type: 'personal' };
  const names = (values: object) =>
    visibleFields(servicePackage, values as Record<string, unknown>, nouns.servicePackages.rules).map(
      ({ name }) => name,
    );
  expect(
    visibleFields(customer, personal, nouns.customers.rules).find(({ name }) => name === 'company_name')?.required,
  ).toBe(false);
  expect(names({ has_stock: false })).not.toContain('stock_qty');
  expect(names({ has_stock: true })).toContain('stock_qty');
  expect(names({ trial_period: 0 })).not.toContain('trial_mode');
  expect(names({ trial_period: 14 })).toContain('trial_mode');
});

test('a country suggests its time zone until another one is chosen', () => {
  const { rules } = nouns.customers;
  const portugal = applyChange({}, 'country', 'PT', rules);
  expect(portugal).toEqual({ country: 'PT', timezone: 'Europe/Lisbon' });
  expect(applyChange(portugal, 'country', 'FR', rules)).toEqual({ country: 'FR', timezone: 'Europe/Paris' });
  expect(applyChange(portugal, 'country', 'US', rules)['timezone']).toBeUndefined();
  const chosen = applyChange(portugal, 'timezone', 'Atlantic/Azores', rules);
  expect(applyChange(chosen, 'country', 'FR', rules)['timezone']).toBe('Atlantic/Azores');
});

test('a price that is not a number is reported', () => {
  const values = { name: 'Pro', price: '1.234', currency: 'EUR', periodicity: 1, periodicity_type: 'month' };
  expect(faultsOf(servicePackage, values)).toHaveProperty('price');
  expect(faultsOf(servicePackage, { ...values, price: 1234 })).not.toHaveProperty('price');
});

test('an empty required property of a provider is reported at its own input', () => {
  const provider = formFieldsOf(endpoints.createServiceProvider.body, {
    properties: { kind: 'custom', Input: () => null, errorsOf: propertyErrors },
  });
  const values = { provider_name: 'One', provider_type: 'bigbluebutton' };
  expect(faultsOf(provider, values)).toEqual({
    'properties.host_url': ['“Address” is required.'],
    'properties.secret': ['“Shared secret” is required.'],
  });
  const typed = { ...values, properties: { host_url: 'https://meet.example.com', secret: ' ' } };
  expect(Object.keys(faultsOf(provider, typed))).toEqual(['properties.secret']);
  expect(faultsOf(provider, { ...typed, id: 'prov_1' })).toEqual({});
});

test('the form does not require the password of a new customer, since a user with the email can exist already', () => {
  const { rules } = nouns.customers;
  const values = { customer_type: 'personal', email: 'hedy@example.com' };
  expect(rules?.requiredUnlessStored).toEqual(['password']);
  expect(faultsOf(visibleFields(customer, values, rules), values)).not.toHaveProperty('password');
});

test('a stream key of any length is accepted, as in the API', () => {
  const { fields } = outputForm('custom', false);
  expect(fields.find(({ name }) => name === 'stream_key')?.input).toEqual({ kind: 'secret' });
  expect(faultsOf(fields, { name: 'Archive', url: 'rtmp://192.0.1.1/live', stream_key: 'a' })).toEqual({});
});

test('an error disappears when its field is corrected, and other errors stay', () => {
  const empty = { customer_type: 'business', email: 'hedy@', country: 'AT', currency: 'EUR' };
  const fieldsFor = (values: object) =>
    visibleFields(customer, values as Record<string, unknown>, nouns.customers.rules);
  const reported = faultsOf(fieldsFor(empty), empty);
  const remaining = (changes: object) => {
    const values = { ...empty, ...changes };
    return Object.keys(remainingFaults(reported, fieldsFor(values), values)).sort();
  };
  expect(remaining({})).toEqual(['company_name', 'email', 'first_name', 'last_name']);
  expect(remaining({ company_name: 'A', email: 'hedy@example' })).toEqual(['email', 'first_name', 'last_name']);
  expect(remaining({ email: 'hedy@example.com', customer_type: 'personal' })).toEqual(['first_name', 'last_name']);
  // An error is first reported by a submit.
  expect(remaining({ country: null })).toEqual(['company_name', 'email', 'first_name', 'last_name']);
});

test('an error of the platform disappears when its field changes, and other errors stay', () => {
  const reported = { password: ['A password is required.'], 'address.city': ['Unknown.'], form: ['Rejected.'] };
  const submitted = { password: null, address: { city: 'X' } };
  expect(remainingErrors(reported, submitted, { ...submitted })).toEqual(reported);
  const changed = { password: 'long enough', address: { city: 'X' } };
  expect(Object.keys(remainingErrors(reported, submitted, changed))).toEqual(['address.city', 'form']);
});

test('the hint at the stream key is about the key, not about the platform', () => {
  expect(outputForm('youtube', false).hints.stream_key).toBe(
    'YouTube Studio → Create → Go live → Stream. It is stored encrypted.',
  );
  expect(outputForm('custom', false).hints.stream_key).toBe('From the operator of the server. It is stored encrypted.');
});
