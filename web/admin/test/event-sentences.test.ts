import { eventTypes } from '@foyer/contract/conventions/event-types.ts';
import { exampleEvent } from '@foyer/contract/openapi/examples/example-event.ts';
import { expect, onTestFinished, test, vi } from 'vitest';
import { changesOf, type EventLike } from '../src/events/event-changes.ts';
import { dayOf } from '../src/events/event-day.ts';
import { sentenceOf, sentenceText } from '../src/events/event-sentence.ts';

const roomId = 'room_01m83qkp6sedfbrkhyh6e071bv';
const ada = { type: 'admin', id: 'admin_01m83qkng6eyzbscz6cafj442e', name: 'Ada Lovelace' } as const;
const platform = { type: 'system', id: null, name: 'system' } as const;

function roomEvent(change: Partial<EventLike>): EventLike {
  return {
    name: 'room.updated',
    resource_type: 'Room',
    resource_id: roomId,
    actor: ada,
    data: { object: 'Room', id: roomId, room_name: 'Physics' },
    previous: null,
    ...change,
  };
}

test('a creation and a deletion name the actor and the resource', () => {
  expect(sentenceText(roomEvent({ name: 'room.created' }))).toBe('Ada Lovelace created room Physics');
  expect(sentenceText(roomEvent({ name: 'room.deleted' }))).toBe('Ada Lovelace deleted room Physics');
  expect(sentenceText(roomEvent({ name: 'room.created', actor: platform }))).toBe('The platform created room Physics');
});

test('a change names the changed fields, and each changed member of a map', () => {
  const event = roomEvent({
    previous: { room_name: 'Chemistry', room_features: { max_participants: '10' }, url: 'https://x.example/a' },
    data: { room_name: 'Physics', room_features: { max_participants: '20' }, url: 'https://x.example/b' },
  });
  expect(sentenceText(event)).toBe('Ada Lovelace changed the name and the participants per room of room Physics');
  expect(changesOf(event)).toEqual([
    { name: 'room_name', label: 'Name', before: 'Chemistry', after: 'Physics' },
    { name: 'max_participants', label: 'Participants per room', before: '10', after: '20' },
  ]);
});

test('the names of switches are quoted, and only the first of many changed fields are named', () => {
  const previous = { is_public: false, room_settings: { mute_on_start: true } };
  const data = { room_name: 'Physics', is_public: true, room_settings: {} };
  expect(sentenceText(roomEvent({ previous, data }))).toBe(
    'Ada Lovelace changed “Public” and “Muted on joining” of room Physics',
  );
  const many = { ...previous, slug: 'a', room_name: 'A' };
  expect(sentenceText(roomEvent({ previous: many, data: { ...data, slug: 'b' } }))).toBe(
    'Ada Lovelace changed “Public”, “Muted on joining” and 2 more fields of room Physics',
  );
});

test('derived fields are not named', () => {
  const previous = { status: 'active', is_active: true, is_usable: true, unusable_because: null, updated_at: '1' };
  expect(changesOf({ previous, data: { status: 'canceled', is_active: false } }).map(({ name }) => name)).toEqual([
    'status',
  ]);
  expect(sentenceText(roomEvent({ previous: {} }))).toBe('Ada Lovelace changed room Physics');
});

test('the actor and an existing resource are links, and a deleted resource is not', () => {
  const linkedIds = (event: EventLike) => sentenceOf(event).flatMap(({ id }) => (id === undefined ? [] : [id]));
  expect(linkedIds(roomEvent({ name: 'room.created' }))).toEqual([ada.id, roomId]);
  expect(linkedIds(roomEvent({ name: 'room.deleted' }))).toEqual([ada.id]);
});

test('a resource without a page is named with the resource that it belongs to', () => {
  const token = (data: Record<string, unknown>) =>
    sentenceText(roomEvent({ name: 'room_token.created', resource_type: 'RoomToken', data }));
  expect(token({ room_id: roomId, name: 'Grace' })).toBe('Ada Lovelace created room token Grace of a room');
  expect(token({ room_id: roomId, name: '********' })).toBe('Ada Lovelace created a room token of a room');
  const url = 'https://meet.example.com/rooms/room_0/physics?token=********';
  expect(token({ room_id: roomId, name: null, url })).toBe('Ada Lovelace created a room token of a room');
});

test('a membership is described by its person and its customer, account or room', () => {
  const data = { room_id: roomId, user_id: 'user_01m83qkp4mee39gqqcryk4wsx8', full_name: 'Grace Hopper' };
  expect(sentenceText(roomEvent({ name: 'room_user.deleted', resource_type: 'RoomUser', data }))).toBe(
    'Ada Lovelace removed Grace Hopper from a room',
  );
});

test('a feature and a provider are described without the long name of their type', () => {
  const data = { package_id: 'pkg_01m83qkp4mee39gqqcryk4wsx8', tag: 'max_rooms', name: 'Rooms', value: '5' };
  const event = { resource_type: 'ServicePackageFeature', data };
  expect(sentenceText(roomEvent({ ...event, name: 'service_package_feature.created' }))).toBe(
    'Ada Lovelace added the feature “Rooms” to a service package',
  );
  expect(sentenceText(roomEvent({ ...event, name: 'service_package_feature.updated', previous: { value: '4' } }))).toBe(
    'Ada Lovelace changed the value of feature Rooms of a service package',
  );
});

test('an automatic change is described without an actor', () => {
  const sentence = (name: string, type: string, data: Record<string, unknown>) =>
    sentenceText(roomEvent({ name, resource_type: type, actor: platform, data }));
  expect(sentence('service_provider.down', 'ServiceProvider', { provider_name: 'Sandbox' })).toBe(
    'Service provider Sandbox does not respond',
  );
  expect(sentence('subscription.expiring', 'ServicePackageSubscription', { name: 'Team', days_left: 1 })).toBe(
    'Subscription Team ends in 1 day',
  );
  const feature = { tag: 'max_rooms', limit: '25', used: 25 };
  expect(sentence('subscription.limit_reached', 'ServicePackageSubscription', { name: 'Team', feature })).toMatch(
    /^Subscription Team reached a limit: .+, 25 of 25/,
  );
});

test.each(eventTypes.map(({ name }) => name))('%s has a sentence in which nothing is left out', (name) => {
  const sentence = sentenceText(exampleEvent(name) as unknown as EventLike);
  expect(sentence).toMatch(/^\S.* .*\S$/);
  expect(sentence).not.toMatch(/[{}]|undefined|null|NaN|\[object|\*{4}| {2}|_/);
});

test('Yesterday is the previous calendar day, also when the clocks change', async () => {
  vi.stubEnv('TZ', 'Europe/Berlin');
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.resetModules();
  const inBerlin = await import('../src/events/event-day.ts');
  // On 29 March 2026, the clocks are set forward from 02:00 to 03:00.
  const nowMs = Date.parse('2026-03-30T00:30:00+02:00');
  expect(inBerlin.dayOf('2026-03-29T12:00:00+02:00', nowMs)).toBe('Yesterday');
  expect(inBerlin.dayOf('2026-03-28T23:30:00+01:00', nowMs)).toBe('28 March 2026');
});

test('days are named Today and Yesterday, and earlier ones by their date', () => {
  const nowMs = new Date(2026, 10, 23, 12).getTime();
  const hoursAgo = (hours: number) => new Date(nowMs - hours * 3_600_000).toISOString();
  expect([1, 25, 49].map((hours) => dayOf(hoursAgo(hours), nowMs))).toEqual(['Today', 'Yesterday', '21 November 2026']);
});
