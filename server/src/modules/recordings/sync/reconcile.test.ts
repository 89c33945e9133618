import { expect, test } from 'vitest';
import { isGone, nextCheckMs, mergeObservation } from './reconcile.ts';
import type { SeenRecording } from './seen-recording.ts';
import { labelsOf, type PendingChange } from './pending-changes.ts';

function seen(changes: Partial<SeenRecording> = {}): SeenRecording {
  return {
    recordingId: 'rec-1',
    meetingId: 'room',
    internalId: 'rec-1',
    name: 'Lecture',
    state: 'published',
    startedAt: null,
    endedAt: null,
    participants: 2,
    sizeBytes: 10,
    isSizeEstimated: false,
    formats: [],
    addresses: {},
    isProtected: false,
    ...changes,
  };
}

function known(
  changes: { name?: string; provider_name?: string; published?: boolean; pending?: PendingChange[] } = {},
) {
  return { name: 'Lecture', provider_name: 'Lecture', published: true, pending: [] as PendingChange[], ...changes };
}

test('a new recording has the name from its provider, or that of its room', () => {
  expect(mergeObservation(null, seen(), 'Room').name).toBe('Lecture');
  expect(mergeObservation(null, seen({ name: null }), 'Room').name).toBe('Room');
});

test.each([
  ['is renamed there', known(), seen({ name: 'Other' }), 'Other', []],
  ['was renamed here, and nothing there', known({ name: 'Mine' }), seen(), 'Mine', []],
  ['was renamed here, which is not carried out', known({ name: 'Mine', pending: ['name'] }), seen(), 'Mine', ['name']],
  [
    'was renamed here and there, and ours is not carried out',
    known({ name: 'Mine', pending: ['name'] }),
    seen({ name: 'Other' }),
    'Mine',
    ['name'],
  ],
  ['has the new name there', known({ name: 'Mine', pending: ['name'] }), seen({ name: 'Mine' }), 'Mine', []],
])('a recording that %s keeps the right name', (_, row, found, name, pending) => {
  expect(mergeObservation(row, found, 'Room')).toMatchObject({ name, pending });
});

test.each([
  ['published there', known({ published: false }), 'published', { state: 'published', published: true, pending: [] }],
  ['withdrawn there', known(), 'unpublished', { state: 'unpublished', published: false, pending: [] }],
  [
    'withdrawn here, not yet there',
    known({ published: false, pending: ['published'] }),
    'published',
    { state: 'unpublished', published: false, pending: ['published'] },
  ],
  [
    'withdrawn here, and there at last',
    known({ published: false, pending: ['published'] }),
    'unpublished',
    { state: 'unpublished', published: false, pending: [] },
  ],
  [
    'withdrawn here while it is processed',
    known({ published: false, pending: ['published'] }),
    'processing',
    { state: 'processing', published: false, pending: ['published'] },
  ],
] as const)('a recording that is %s is shown so', (_, row, state, expected) => {
  expect(mergeObservation(row, seen({ state }), 'Room')).toMatchObject(expected);
});

test('a recording counts as deleted after it was missing for an hour, or for a day if the provider lists nothing', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const missing = (since: string | null) => ({ missing_since: since });
  expect(isGone(missing(null), now, true)).toBe(false);
  expect(isGone(missing('2026-03-10 11:00:01+00'), now, true)).toBe(false);
  expect(isGone(missing('2026-03-10 11:00:00+00'), now, true)).toBe(true);
  expect(isGone(missing('2026-03-09 12:00:01+00'), now, false)).toBe(false);
  expect(isGone(missing('2026-03-09 12:00:00+00'), now, false)).toBe(true);
});

test('a room is checked often after a meeting, rarely later, and soon while changes are pending', () => {
  const [minute, day] = [60_000, 86_400_000];
  expect(nextCheckMs(day, day, false) - day).toBe(2 * minute);
  expect(nextCheckMs(day, day - 60 * minute, false) - day).toBe(15 * minute);
  expect(nextCheckMs(100 * day, day, false) - 100 * day).toBe(day);
  expect(nextCheckMs(100 * day, day, true) - 100 * day).toBe(2 * minute);
});

test('providers get the scalars of the metadata, with keys that do not collide with their own', () => {
  expect(
    labelsOf({
      'bbb-recording-ready-url': 'http://internal',
      Lecturer: 'Ada',
      'No. 1': 7,
      open: true,
      none: null,
      deep: { a: 1 },
      long: 'x'.repeat(501),
      '§': 'x',
    }),
  ).toEqual({
    'label-bbb-recording-ready-url': 'http://internal',
    'label-lecturer': 'Ada',
    'label-no-1': '7',
    'label-open': 'true',
  });
});
