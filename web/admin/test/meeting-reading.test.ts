import { expect, test } from 'vitest';
import { bytesText, exactLengthOf, lengthOf, minutesBetween, percentOf } from '../../kit/format/lengths.ts';
import { inkOn } from '../../kit/theme/ink-on.ts';
import { meetings, recordings } from '../src/nouns/meeting-nouns.ts';
import { findAdvice } from '../src/rooms/join-check/entry-advice.ts';
import { readPastedLink } from '../src/rooms/join-check/pasted-link.ts';
import type { MeetingRow, RecordingRow } from '../src/nouns/rows.ts';

test('lengths and sizes are formatted briefly', () => {
  expect([0, 2.1, 58.4, 60, 125].map(lengthOf)).toEqual(['0 min', '3 min', '59 min', '1 h 00 min', '2 h 05 min']);
  expect([0.5, 2, 2.34, 65.5].map(exactLengthOf)).toEqual(['30 s', '2 min', '2 min 20 s', '1 h 05 min 30 s']);
  expect(minutesBetween('2026-01-01T10:00:00Z', '2026-01-01T10:30:00Z', 0)).toBe(30);
  expect(minutesBetween('2026-01-01T10:00:00Z', null, Date.parse('2026-01-01T10:05:00Z'))).toBe(5);
  expect([0, 999, 1500, 29_000_000, 1_250_000_000].map(bytesText)).toEqual([
    '0 bytes',
    '999 bytes',
    '1.5 kB',
    '29 MB',
    '1.3 GB',
  ]);
  expect([percentOf(1, 4), percentOf(9, 4), percentOf(0, 0)]).toEqual([25, 100, 100]);
});

test('a pasted link contains token, code and room; any other text is a token', () => {
  const room = `room_${'0'.repeat(26)}`;
  expect(readPastedLink(` https://foyer.example/rooms/${room}/weekly?token=frm_x&code=1234 `)).toEqual({
    token: 'frm_x',
    roomId: room,
    code: '1234',
  });
  expect(readPastedLink('https://foyer.example/rooms/old').token).toBe('');
  expect(readPastedLink(' frm_y ')).toEqual({ token: 'frm_y', roomId: null, code: null });
});

test('text on a color is black or white, whichever has more contrast', () => {
  expect(['#1f6b5c', '#000000', '#ffffff', '#ffd400', '#7a2e8e'].map(inkOn)).toEqual([
    '#ffffff',
    '#ffffff',
    '#141218',
    '#141218',
    '#ffffff',
  ]);
});

test('the advice for refused guests links to the setting that refuses them', () => {
  const tabFor = (type: string | null, feature: string | null) =>
    findAdvice({ code: 'guest-access-off', facts: [{ subject: type === null ? null : { type }, feature }] })?.tab;
  expect(tabFor('Room', null)).toBe('settings');
  expect(tabFor('Room', 'guest_access')).toBe('features');
  expect(tabFor('ServicePackageSubscription', 'guest_access')).toBe('tokens');
  expect(findAdvice({ code: 'guest-access-off', facts: [] })?.tab).toBe('tokens');
});

test('a meeting without a start time has an empty title', () => {
  const meeting = { id: '', state: 'ended', end_reason: 'ended' };
  expect([meetings.titleOf(meeting as MeetingRow), recordings.titleOf(meeting as unknown as RecordingRow)]).toEqual([
    '',
    '',
  ]);
  expect(meetings.titleOf({ id: '', started_at: '2026-11-21 16:00' } as MeetingRow)).toMatch(/^Meeting of 21 Nov 2026/);
  expect(recordings.titleOf({ id: '', name: 'Lecture' } as RecordingRow)).toBe('Lecture');
});
