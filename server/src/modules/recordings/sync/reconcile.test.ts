import { expect, test } from 'vitest';
import { countsAsDeleted, nextCheckMs, mergeObservation } from './reconcile.ts';
import type { ListedRecording } from './listed-recording.ts';
import { labelsOf, type PendingChange } from './pending-changes.ts';

function listedRecording(changes: Partial<ListedRecording> = {}): ListedRecording {
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

function storedColumns(
  changes: { name?: string; provider_name?: string; published?: boolean; pending?: PendingChange[] } = {},
) {
  return { name: 'Lecture', provider_name: 'Lecture', published: true, pending: [] as PendingChange[], ...changes };
}

test('a new recording has the name from its provider, or that of its room', () => {
  expect(mergeObservation(null, listedRecording(), 'Room').name).toBe('Lecture');
  expect(mergeObservation(null, listedRecording({ name: null }), 'Room').name).toBe('Room');
});

test.each([
  ['was renamed on the provider', storedColumns(), listedRecording({ name: 'Other' }), 'Other', []],
  ['was renamed here only', storedColumns({ name: 'Mine' }), listedRecording(), 'Mine', []],
  [
    'was renamed here, and the change is pending',
    storedColumns({ name: 'Mine', pending: ['name'] }),
    listedRecording(),
    'Mine',
    ['name'],
  ],
  [
    'was renamed here and on the provider, and our change is pending',
    storedColumns({ name: 'Mine', pending: ['name'] }),
    listedRecording({ name: 'Other' }),
    'Mine',
    ['name'],
  ],
  [
    'was renamed here, and the provider has applied the change',
    storedColumns({ name: 'Mine', pending: ['name'] }),
    listedRecording({ name: 'Mine' }),
    'Mine',
    [],
  ],
])('a recording that %s keeps the right name and pending changes', (_, row, observed, name, pending) => {
  expect(mergeObservation(row, observed, 'Room')).toMatchObject({ name, pending });
});

test.each([
  [
    'published on the provider',
    storedColumns({ published: false }),
    'published',
    { state: 'published', published: true, pending: [] },
  ],
  [
    'unpublished on the provider',
    storedColumns(),
    'unpublished',
    { state: 'unpublished', published: false, pending: [] },
  ],
  [
    'unpublished here, and the change is pending',
    storedColumns({ published: false, pending: ['published'] }),
    'published',
    { state: 'unpublished', published: false, pending: ['published'] },
  ],
  [
    'unpublished here, and the provider has applied the change',
    storedColumns({ published: false, pending: ['published'] }),
    'unpublished',
    { state: 'unpublished', published: false, pending: [] },
  ],
  [
    'unpublished here while it is processed',
    storedColumns({ published: false, pending: ['published'] }),
    'processing',
    { state: 'processing', published: false, pending: ['published'] },
  ],
] as const)('a recording that is %s gets the right state and pending changes', (_, row, state, expected) => {
  expect(mergeObservation(row, listedRecording({ state }), 'Room')).toMatchObject(expected);
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
