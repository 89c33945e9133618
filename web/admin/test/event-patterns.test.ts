import { expect, test } from 'vitest';
import {
  eventGroups,
  isSubscribed,
  matchingGroups,
  patternPhrase,
  withoutPattern,
  withPattern,
} from '../src/webhooks/event-patterns.ts';

const types = [
  { name: 'room.created', description: 'A room was created.' },
  { name: 'room.deleted', description: 'A room was deleted.' },
  { name: 'meeting.started', description: 'The first participant has joined.' },
];

test('events are grouped by their kind of resource, in the order of its name', () => {
  expect(eventGroups(types).map(({ title, types: { length } }) => `${title} ${length}`)).toEqual([
    'Meeting 1',
    'Room 2',
  ]);
});

test('the names of groups are written as in the rest of the console', () => {
  expect(['oauth_client.*', 'oauth_token.*', 'service_package.*'].map(patternPhrase)).toEqual([
    'OAuth client: all',
    'OAuth token: all',
    'Service package: all',
  ]);
});

test('a search finds events by name, group and description, and leaves out groups without a match', () => {
  const matching = (text: string) => matchingGroups(eventGroups(types), text).flatMap((group) => group.types);
  expect(matching('deleted').map(({ name }) => name)).toEqual(['room.deleted']);
  expect(matching('ROOM')).toHaveLength(2);
  expect(matching('participant').map(({ name }) => name)).toEqual(['meeting.started']);
  expect(matching('nothing like this')).toEqual([]);
});

test('a whole group replaces its single events, and all events replace everything', () => {
  expect(withPattern(['room.created', 'meeting.started'], 'room.*')).toEqual(['meeting.started', 'room.*']);
  expect(withPattern(['room.*', 'meeting.started'], '*')).toEqual(['*']);
  expect(withoutPattern(['room.*', 'meeting.started'], 'room.*')).toEqual(['meeting.started']);
});

test('an event is delivered if it, its group or all events are chosen', () => {
  expect(isSubscribed(['room.*'], 'room.created')).toBe(true);
  expect(isSubscribed(['*'], 'room.created')).toBe(true);
  expect(isSubscribed(['room.deleted', 'meeting.*'], 'room.created')).toBe(false);
});

test('patterns are shown as phrases, and single events by their names', () => {
  expect(['*', 'room.*', 'room.created'].map(patternPhrase)).toEqual(['All events', 'Room: all', 'room.created']);
});
