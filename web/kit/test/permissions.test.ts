import { expect, test } from 'vitest';
import { mayCall } from '../api/may-call.ts';

test('a caller may what its permissions say, with the reads that they require', () => {
  expect(mayCall('listRooms', ['read-rooms'])).toBe(true);
  expect(mayCall('listRooms', [])).toBe(false);
  expect(mayCall('deleteRoom', ['delete-rooms'])).toBe(false);
  expect(mayCall('deleteRoom', ['delete-rooms', 'read-rooms'])).toBe(true);
  expect(mayCall('createRoom', ['create-rooms', 'read-rooms', 'read-accounts'])).toBe(false);
});

test('what asks for no permission is for every caller', () => {
  expect(mayCall('listFeatures', [])).toBe(true);
});
