import { exampleEvent } from '@foyer/contract/openapi/examples/example-event.ts';
import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import { expect, test } from 'vitest';
import { type EventAbout, isAffected } from '../src/live/affected-queries.ts';

function event(name: EventName): EventAbout {
  return exampleEvent(name) as unknown as EventAbout;
}

const otherId = (prefix: string) => `${prefix}_${'0'.repeat(26)}`;

test('an event refreshes lists, totals and pages of its resource', () => {
  const created = event('room.created');
  for (const key of [
    ['listRooms', {}, { limit: 25, page: 1 }],
    ['listRooms', 'latest'],
    ['total', 'listRooms', 'status:active'],
    ['pick', 'listRooms', 'a', {}],
    ['readRoom', created.resource_id, 'customer'],
  ])
    expect([key, isAffected(key, created)]).toEqual([key, true]);
});

test('an event does not refresh queries without its resource', () => {
  const created = event('room.created');
  for (const key of [
    ['listRoles', {}, {}],
    ['total', 'listCustomers', undefined],
    ['readRoom', otherId('room')],
    ['readRoomStatus', otherId('room')],
    ['readSettings'],
    ['readUsageReport', {}],
    ['unknown'],
  ])
    expect([key, isAffected(key, created)]).toEqual([key, false]);
});

test('an event does not refresh the initial version in a form', () => {
  const updated = event('room.updated');
  expect(isAffected(['edit', 'readRoom', { room_id: updated.resource_id }], updated)).toBe(false);
});

test('nested lists are refreshed only for events of their resource', () => {
  const created = event('room_token.created');
  const roomId = created.data['room_id'];
  expect(isAffected(['listRoomTokens', roomId, {}], created)).toBe(true);
  expect(isAffected(['listRoomTokens', { room_id: roomId }, {}], created)).toBe(true);
  expect(isAffected(['listRoomTokens', otherId('room'), {}], created)).toBe(false);
  expect(isAffected(['listRoomTokens', { room_id: otherId('room') }, {}], created)).toBe(false);
});

test('a join refreshes the room, the meeting and the providers', () => {
  const joined = event('participant.joined');
  for (const key of [
    ['readRoomStatus', joined.data['room_id']],
    ['listMeetingParticipants', joined.data['meeting_id'], 50],
    ['listMeetings', 'running'],
    ['readMeeting', joined.data['meeting_id']],
    ['listServiceProviderHealth'],
  ])
    expect([key, isAffected(key, joined)]).toEqual([key, true]);
});

test('an event of a customer refreshes everything below it', () => {
  const updated = event('customer.updated');
  for (const key of [
    ['readCustomer', otherId('cust'), 'owner'],
    ['listRooms', {}, {}],
    ['readRoom', otherId('room'), 'customer'],
    ['resellersAbove', otherId('cust')],
  ])
    expect([key, isAffected(key, updated)]).toEqual([key, true]);
});

test('a list of events is refreshed for every event that it could show', () => {
  const updated = event('room.updated');
  expect(isAffected(['listEvents', {}, {}], updated)).toBe(true);
  expect(isAffected(['listEvents', { resource_id: updated.resource_id }], updated)).toBe(true);
  expect(isAffected(['listEvents', { resource_id: otherId('room') }], updated)).toBe(false);
  expect(isAffected(['listEvents', { customer_id: updated.customer_id }], updated)).toBe(true);
});
