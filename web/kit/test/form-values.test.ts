import { endpoints } from '@foyer/contract';
import { expect, test } from 'vitest';
import { formFieldsOf } from '../form/form-fields.ts';
import {
  changeBody,
  creationBody,
  errorsOfField,
  initialValues,
  isSame,
  errorsWithoutField,
} from '../form/form-values.ts';

const fields = formFieldsOf(endpoints.updateSubscription.body);
const stored = {
  name: 'Team',
  description: null,
  price: 29,
  starts_at: '2026-12-05T00:00:00.000000Z',
  subscription_metadata: {},
};

test('an unchanged form sends no changes', () => {
  const initial = initialValues(fields, stored);
  expect(changeBody(fields, initial, initial)).toEqual({});
  expect(changeBody(fields, initial, { ...initial, description: '', subscription_metadata: {} })).toEqual({});
});

test('only changed fields are sent; emptied ones become null', () => {
  const initial = initialValues(fields, { ...stored, description: 'Old' });
  const values = {
    ...initial,
    name: 'Teams',
    description: '',
    starts_at: '2026-12-06',
    subscription_metadata: { a: 1 },
  };
  expect(changeBody(fields, initial, values)).toEqual({
    name: 'Teams',
    description: null,
    starts_at: '2026-12-06',
    subscription_metadata: { a: 1 },
  });
});

test('a day is shown without its time', () => {
  expect(initialValues(fields, stored)['starts_at']).toBe('2026-12-05');
});

test('a creation omits empty fields, and keeps zero and false', () => {
  const body = creationBody(fields, {
    name: '',
    price: 0,
    description: undefined,
    subscription_metadata: {},
    status: 'active',
  });
  expect(body).toEqual({ price: 0, status: 'active' });
  const room = formFieldsOf(endpoints.createRoom.body);
  expect(creationBody(room, { room_name: 'A', is_public: false })).toEqual({ room_name: 'A', is_public: false });
});

test('errors are shown at their field, also nested ones, and none is lost', () => {
  const errors = { properties: ['Bad.'], 'properties.host_url': ['No address.', 'Again.'], other: ['Stray.'] };
  expect(errorsOfField(errors, 'properties')).toEqual({ '': 'Bad.', host_url: 'No address. Again.' });
  expect(errorsOfField(errors, 'prop')).toEqual({});
  expect(errorsWithoutField(errors, [{ name: 'properties' }])).toEqual(['Stray.']);
});

test('values are compared by their content', () => {
  expect(isSame({ a: [1, { b: null }] }, { a: [1, { b: null }] })).toBe(true);
  expect(isSame({ a: 1 }, { a: 2 })).toBe(false);
  expect(isSame({ a: 1 }, { b: 1 })).toBe(false);
  expect(isSame([], {})).toBe(true);
  expect(isSame(undefined, '')).toBe(true);
  expect(isSame(false, undefined)).toBe(false);
  expect(isSame(0, undefined)).toBe(false);
});
