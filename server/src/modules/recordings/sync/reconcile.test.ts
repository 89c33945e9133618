import { expect, test } from 'vitest';
import { countsAsDeleted, nextCheckMs, mergeObservation } from './reconcile.ts';
import type { ListedRecording } from './listed-recording.ts';
import { labelsOf, type PendingChange } from './pending-changes.ts';

function listed(changes: Partial<ListedRecording> = {}): ListedRecording {
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
    problem: null,
    formats: [],
    addresses: {},
    isProtected: false,
    ...changes,
  };
}

function stored(
  changes: { name?: string; provider_name?: string; published?: boolean; pending?: PendingChange[] } = {},
) {
  return { name: 'Lecture', provider_name: 'Lecture', published: true, pending: [] as PendingChange[], ...changes };
}

test('a new recording has the name from its provider, or that of its room', () => {
  expect(mergeObservation(null, listed(), 'Room').name).toBe('Lecture');
  expect(mergeObservation(null, listed({ name: null }), 'Room').name).toBe('Room');
});

test.each([
  ['was renamed on the provider', stored(), listed({ name: 'Other' }), 'Other', []],
  ['was renamed here only', stored({ name: 'Mine' }), listed(), 'Mine', []],
  [
    'was renamed here, with the change pending',
    stored({ name: 'Mine', pending: ['name'] }),
    listed(),
    'Mine',
    ['name'],
  ],
  [
    'was renamed here and on the provider, with our change pending',
    stored({ name: 'Mine', pending: ['name'] }),
    listed({ name: 'Other' }),
    'Mine',
    ['name'],
  ],
  [
    'was renamed here, with the change carried out',
    stored({ name: 'Mine', pending: ['name'] }),
    listed({ name: 'Mine' }),
    'Mine',
    [],
  ],
])('the name of a recording that %s', (_, row, observed, name, pending) => {
  expect(mergeObservation(row, observed, 'Room')).toMatchObject({ name, pending });
});

test.each([
  [
    'published on the provider',
    stored({ published: false }),
    'published',
    { state: 'published', published: true, pending: [] },
  ],
  ['unpublished on the provider', stored(), 'unpublished', { state: 'unpublished', published: false, pending: [] }],
  [
    'unpublished here, with the change pending',
    stored({ published: false, pending: ['published'] }),
    'published',
    { state: 'unpublished', published: false, pending: ['published'] },
  ],
  [
    'unpublished here, with the change carried out',
    stored({ published: false, pending: ['published'] }),
    'unpublished',
    { state: 'unpublished', published: false, pending: [] },
  ],
  [
    'unpublished here while it is processed',
    stored({ published: false, pending: ['published'] }),
    'processing',
    { state: 'processing', published: false, pending: ['published'] },
  ],
] as const)('the state of a recording that is %s', (_, row, state, expected) => {
  expect(mergeObservation(row, listed({ state }), 'Room')).toMatchObject(expected);
});

test('a recording counts as deleted after it was missing for an hour, or for a day if the provider lists nothing', () => {
  const now = Date.parse('2026-03-10T12:00:00Z');
  const missing = (since: string | null) => ({ missing_since: since });
  expect(countsAsDeleted(missing(null), now, true)).toBe(false);
  expect(countsAsDeleted(missing('2026-03-10 11:00:01+00'), now, true)).toBe(false);
  expect(countsAsDeleted(missing('2026-03-10 11:00:00+00'), now, true)).toBe(true);
  expect(countsAsDeleted(missing('2026-03-09 12:00:01+00'), now, false)).toBe(false);
  expect(countsAsDeleted(missing('2026-03-09 12:00:00+00'), now, false)).toBe(true);
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
