import { expect, test } from 'vitest';
import { mayCall } from '../api/may-call.ts';

test('a permission allows an endpoint only together with the read permissions that it requires', () => {
  expect(mayCall('listRooms', ['read-rooms'])).toBe(true);
  expect(mayCall('listRooms', [])).toBe(false);
  expect(mayCall('deleteRoom', ['delete-rooms'])).toBe(false);
  expect(mayCall('deleteRoom', ['delete-rooms', 'read-rooms'])).toBe(true);
  expect(mayCall('createRoom', ['create-rooms', 'read-rooms', 'read-accounts'])).toBe(false);
});

test('endpoints without a permission are open to every caller', () => {
  expect(mayCall('listFeatures', [])).toBe(true);
});
