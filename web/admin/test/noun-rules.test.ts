import { expect, test } from 'vitest';
import { formFieldsOf } from '../../kit/form/form-fields.ts';
import { requiredError } from '../../kit/form/form-faults-of.ts';
import { endpoints } from '@foyer/contract';
import { readFilters } from '../../kit/list/read-filters.ts';
import { nounAt, nounIndex, nouns } from '../src/nouns/nouns.ts';
import { propertyErrors } from '../src/providers/property-errors.ts';
import { endOf } from '../src/subscriptions/subscription-phase.ts';

test('a noun is found by its path, by the prefix of an id and by the object of a resource', () => {
  expect(nounAt('rooms')).toBe(nouns.rooms);
  expect(nounIndex.findById('room_01m82scnv5ehf9v0xztbz5snv0')).toBe(nouns.rooms);
  expect(nounIndex.findByObject('Room')).toBe(nouns.rooms);
  expect(nounIndex.findByPrefix('cust')).toBe(nouns.customers);
  expect([nounAt('nothing'), nounIndex.findById('nothing'), nounIndex.findByObject('Nothing')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a list is filtered by its own fields and parameters only', () => {
  const state = { only: 'status:active;near_limit:80;price:9' };
  expect(readFilters(nouns.subscriptions, state)).toEqual([{ status: 'active' }, { near_limit: '80' }]);
  expect(readFilters(nouns.roles, state)).toEqual([{}, {}]);
});

const [properties] = formFieldsOf(endpoints.createServiceProvider.body).filter(({ name }) => name === 'properties');

test('an empty secret of a provider is an error at creation, and keeps the stored one in a change', () => {
  if (!properties) throw new Error('createServiceProvider has no properties');
  const values = { provider_type: 'bigbluebutton', properties: {} };
  const missing = Object.keys(propertyErrors(properties, values));
  const missingInChange = Object.keys(propertyErrors(properties, { ...values, id: 'prov_1' }));
  expect(missing).toContain('properties.secret');
  expect(missingInChange).toEqual(missing.filter((path) => path !== 'properties.secret'));
});

test('a required custom input is an error while it is empty', () => {
  if (!properties) throw new Error('createServiceProvider has no properties');
  expect(requiredError({ ...properties, required: true }, { properties: [] })).toHaveProperty('properties');
  expect(requiredError({ ...properties, required: true }, { properties: ['*'] })).toEqual({});
  expect(requiredError({ ...properties, required: false }, {})).toEqual({});
});

test('a subscription ends with its cancellation, else with the later of period and trial', () => {
  const period = {
    status: 'active',
    created_at: '2026-11-01',
    starts_at: '2026-11-01',
    ends_at: '2026-12-01',
    trial_ends_at: '2026-12-15',
    cancels_at: null,
    canceled_at: null,
    auto_renew: false,
  } as const;
  expect(endOf(period)).toBe('2026-12-15');
  expect(endOf({ ...period, trial_ends_at: null })).toBe('2026-12-01');
  expect(endOf({ ...period, status: 'canceled', cancels_at: '2026-11-20' })).toBe('2026-11-20');
});
