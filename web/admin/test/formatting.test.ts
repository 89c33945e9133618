import { expect, test } from 'vitest';
import { phaseOf } from '../src/subscriptions/subscription-phase.ts';
import { countries, currencies, timeZoneOf, timeZones } from '../../kit/format/choices.ts';
import { featureValueText, usedShare } from '../../kit/format/feature-values.ts';
import { fromLocalInput, relativeDay, relativeTime, toLocalInput } from '../../kit/format/instants.ts';
import { counted } from '../../kit/format/counted.ts';
import { labelOf, wordOf } from '../../kit/format/label.ts';
import { entriesOf, mapOf } from '../../kit/form/fields/metadata-entries.ts';

const nowMs = Date.parse('2026-11-21T12:00:00Z');

test('field names and stored values are shown as labels', () => {
  expect(labelOf('trial_ends_at')).toBe('Trial ends');
  expect(labelOf('account_id')).toBe('Account');
  expect(labelOf('subscriber_id')).toBe('Customer');
  expect(wordOf('PRESENTATION_FOCUS')).toBe('Presentation focus');
  expect(wordOf('bigbluebutton')).toBe('BigBlueButton');
  expect(counted(1, 'month')).toBe('1 month');
  expect(counted(14, 'day')).toBe('14 days');
});

test("times are relative to now; a time less than a minute ahead is shown as 'just now', because the browser's clock may be slow", () => {
  expect(relativeTime('2026-11-21T09:00:00Z', nowMs)).toBe('3 hours ago');
  expect(relativeTime('2026-11-21T12:00:20Z', nowMs)).toBe('just now');
  expect(relativeTime('2026-11-23T12:00:00Z', nowMs)).toBe('in 2 days');
  expect(relativeDay('2026-11-21T00:00:00.000000Z', nowMs)).toBe('today');
  expect(relativeDay('2026-11-22', nowMs)).toBe('tomorrow');
  expect(relativeDay('2026-12-05', nowMs)).toBe('in 14 days');
});

test('an instant can be edited in local time without loss', () => {
  expect(fromLocalInput(toLocalInput('2026-11-21T12:34:00Z'))).toBe('2026-11-21T12:34:00.000Z');
});

test('feature values are formatted by the catalogue', () => {
  expect(featureValueText('max_participants', '50')).toBe('50 participants');
  expect(featureValueText('max_rooms', '1')).toBe('1 room');
  expect(featureValueText('max_rooms', 'unlimited')).toBe('Unlimited');
  expect(featureValueText('recording', 'true')).toBe('On');
  expect(featureValueText('recording', 'false')).toBe('Off');
  expect(featureValueText('recording', null)).toBe('Off');
});

test('a usage bar is full at the limit and beyond, and absent without a limit', () => {
  expect(usedShare('10', 4)).toBe(0.4);
  expect(usedShare('10', 12)).toBe(1);
  expect(usedShare('0', 0)).toBe(1);
  expect(usedShare('unlimited', 4)).toBeNull();
});

test('metadata keeps its types in the form; pairs without a key are left out', () => {
  const map = { a: 'x', b: 1.5, c: true, d: null, e: [1, 'y'], f: { g: false } };
  expect(mapOf(entriesOf(map))).toEqual(map);
  expect(mapOf([{ number: 1, key: '  ', type: 'text', text: 'x' }])).toEqual({});
  expect(mapOf([{ number: 1, key: 'n', type: 'number', text: 'abc' }])).toEqual({ n: 'abc' });
  expect(entriesOf([])).toEqual([]);
});

test('countries, currencies and time zones come from the browser, each once', () => {
  const codes = countries().map(({ value }) => value);
  expect(codes).toEqual(expect.arrayContaining(['DE', 'PT', 'BR', 'US', 'JP']));
  for (const code of ['DD', 'EU', 'ZZ', 'UK']) expect(codes).not.toContain(code);
  expect(new Set(codes).size).toBe(codes.length);
  expect(currencies().map(({ value }) => value)).toContain('EUR');
  expect(timeZones()[0]).toEqual({ value: 'UTC', label: 'UTC' });
});

test('a country with one time zone, or with a main time zone, suggests it; other countries do not', () => {
  expect(['FR', 'PT', 'DE', 'JP'].map(timeZoneOf)).toEqual([
    'Europe/Paris',
    'Europe/Lisbon',
    'Europe/Berlin',
    'Asia/Tokyo',
  ]);
  expect(['US', 'BR', 'AU', 'ZZ', ''].map(timeZoneOf)).toEqual([null, null, null, null, null]);
});

const subscription = {
  status: 'active',
  created_at: '2026-11-01T00:00:00.000000Z',
  starts_at: '2026-11-01T00:00:00.000000Z',
  ends_at: '2026-12-01T00:00:00.000000Z',
  trial_ends_at: null,
  cancels_at: null,
  canceled_at: null,
  auto_renew: false,
} as const;

test('a subscription shows its phase: trial, period, grace, canceled, suspended', () => {
  expect(phaseOf(subscription, nowMs).sentence).toBe('Ends on 1 Dec 2026, in 10 days, unless it is renewed');
  expect(phaseOf({ ...subscription, auto_renew: true }, nowMs).sentence).toBe(
    'Renews automatically after 1 Dec 2026, in 10 days',
  );
  expect(phaseOf({ ...subscription, trial_ends_at: '2026-11-22' }, nowMs).sentence).toBe('On trial, ends tomorrow');
  expect(phaseOf({ ...subscription, ends_at: '2026-11-20' }, nowMs).sentence).toBe('Ended yesterday, in grace');
  expect(phaseOf({ ...subscription, status: 'suspended' }, nowMs).sentence).toContain('Suspended');
  const canceled = { ...subscription, status: 'canceled', canceled_at: '2026-11-20T10:00:00.000000Z' } as const;
  expect(phaseOf({ ...canceled, cancels_at: '2026-12-01' }, nowMs).sentence).toContain('usable until');
  expect(phaseOf({ ...canceled, cancels_at: '2026-11-20' }, nowMs).sentence).toBe('Canceled');
});
