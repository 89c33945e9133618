import { expect, test } from 'vitest';
import { filterForPasted } from '../list/pasted.ts';

test.each([
  ['room_01m7za91cxe2m9jwk4r8ke726p', { resource_id: 'room_01m7za91cxe2m9jwk4r8ke726p' }],
  ['cust_01m7za918ve7vbhv9kyww6ds1h', { customer_id: 'cust_01m7za918ve7vbhv9kyww6ds1h' }],
  ['admin_01m7za8wa6e2bb2mrht43yq0ra', { actor_id: 'admin_01m7za8wa6e2bb2mrht43yq0ra' }],
  [' user_01m7za918ve7vbhv9pxacspebp ', { actor_id: 'user_01m7za918ve7vbhv9pxacspebp' }],
  ['client_01m7za918ve7vbhv9pxacspebp', { client_id: 'client_01m7za918ve7vbhv9pxacspebp' }],
  ['e304c74a-7604-4e1d-966c-4fcc3052aa74', { request_id: 'e304c74a-7604-4e1d-966c-4fcc3052aa74' }],
  ['203.0.113.7', { address: '203.0.113.7' }],
  ['room.token_created', { action: 'room.token_created' }],
] as const)('%j in the search of the audit log becomes the filter that finds it', (pasted, filter) => {
  expect(filterForPasted(pasted, logFilters)).toEqual(filter);
});

test('other text, and ids without a filter, stay search text', () => {
  expect(filterForPasted('a room', logFilters)).toBeNull();
  expect(filterForPasted('room_', logFilters)).toBeNull();
  expect(filterForPasted('e.g. rooms', logFilters)).toBeNull();
  expect(filterForPasted('room_01m7za91cxe2m9jwk4r8ke726p', ['status'])).toBeNull();
});

const logFilters = ['actor_id', 'action', 'resource_id', 'customer_id', 'client_id', 'request_id', 'address'];
