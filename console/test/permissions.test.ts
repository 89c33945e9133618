import { endpoints } from '@foyer/contract';
import { expect, test } from 'vitest';
import { mayCall } from '../src/session/may-call.ts';

test('a caller may what its permissions say, with the reads that they require', () => {
  expect(mayCall(endpoints.listRooms, ['read-rooms'])).toBe(true);
  expect(mayCall(endpoints.listRooms, [])).toBe(false);
  expect(mayCall(endpoints.deleteRoom, ['delete-rooms'])).toBe(false);
  expect(mayCall(endpoints.deleteRoom, ['delete-rooms', 'read-rooms'])).toBe(true);
  expect(mayCall(endpoints.createRoom, ['create-rooms', 'read-rooms', 'read-accounts'])).toBe(false);
});

test('what asks for no permission is for every caller', () => {
  expect(mayCall(endpoints.listFeatures, [])).toBe(true);
});
