import { customerRights, roomRights } from '@foyer/contract/conventions/rights.ts';
import { expect, test } from 'vitest';
import { rightGroups, summaryOf, withoutRight, withRight } from '../src/people/rights.ts';

test('every right of a level is offered, once', () => {
  const offered = rightGroups('customer').flatMap(({ rights }) => rights);
  expect(offered.toSorted()).toEqual(customerRights.toSorted());
  expect(rightGroups('room').flatMap(({ rights }) => rights)).toEqual([...roomRights]);
});

test('a right includes the read right, and is removed with it', () => {
  const rights = withRight('customer', [], 'moderate');
  expect(rights.toSorted()).toEqual(['moderate', 'read-room']);
  expect(withoutRight(rights, 'read-room')).toEqual([]);
  expect(withoutRight(rights, 'moderate')).toEqual(['read-room']);
});

test('rights are summarized by subject', () => {
  expect(summaryOf('customer', ['read-customer', 'moderate', 'read-room'])).toEqual([
    { label: 'Customer', words: 'see' },
    { label: 'Rooms', words: 'see, moderate meetings' },
  ]);
  expect(summaryOf('room', roomRights)).toEqual([{ label: 'Room', words: 'everything' }]);
  expect(summaryOf('room', [])).toEqual([]);
});
