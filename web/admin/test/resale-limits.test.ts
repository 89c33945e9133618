import { expect, test } from 'vitest';
import { capTo, maximumOf, type SourceFeature } from '../src/features/resale-limits.ts';

function source(tag: string, value: string, used = 0, resold = 0): SourceFeature {
  return { tag, value, usage: { data: { used, handed_down: resold } } };
}

test('used and resold amounts cannot be resold', () => {
  expect(maximumOf('max_rooms', source('max_rooms', '40', 5, 15))).toBe('20');
  expect(maximumOf('max_rooms', source('max_rooms', '10', 8, 5))).toBe('0');
  expect(maximumOf('max_rooms', source('max_rooms', 'unlimited', 8, 5))).toBe('unlimited');
  expect(maximumOf('max_rooms', undefined)).toBe('0');
});

test('limits per room and flags are resold completely', () => {
  expect(maximumOf('max_participants', source('max_participants', '100', 3))).toBe('100');
  expect(maximumOf('recording', source('recording', 'true'))).toBe('true');
  expect(maximumOf('recording', undefined)).toBe('false');
});

test('a customer gets the limits of the package, at most those that the reseller can resell', () => {
  expect(capTo('max_rooms', '40', '20')).toBe('20');
  expect(capTo('max_rooms', '10', '20')).toBe('10');
  expect(capTo('max_rooms', 'unlimited', '20')).toBe('20');
  expect(capTo('max_rooms', '40', 'unlimited')).toBe('40');
  expect(capTo('recording', 'true', 'false')).toBe('false');
  expect(capTo('recording', 'false', 'true')).toBe('false');
});
