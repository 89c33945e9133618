import fc from 'fast-check';
import { expect, test } from 'vitest';
import { epochMs, instantOfMicroseconds, parseInstant, printInstant } from './instant.ts';

test.each([
  ['2026-01-02 03:04:05.123456+00', '2026-01-02T03:04:05.123456Z'],
  ['2026-01-02 03:04:05.1+00', '2026-01-02T03:04:05.100000Z'],
  ['2026-01-02 03:04:05.12345+00', '2026-01-02T03:04:05.123450Z'],
  ['2026-01-02 03:04:05+00', '2026-01-02T03:04:05.000000Z'],
  ['2026-01-02 03:04:05.123456+05:30', '2026-01-01T21:34:05.123456Z'],
  ['2026-01-02 03:04:05.5-03', '2026-01-02T06:04:05.500000Z'],
  ['2026-01-02T03:04:05.123456Z', '2026-01-02T03:04:05.123456Z'],
  ['0044-03-15 12:00:00+00', '0044-03-15T12:00:00.000000Z'],
])('the stored text %s is printed as %s', (raw, expected) => {
  expect(printInstant(raw)).toBe(expected);
});

test.each(['infinity', '-infinity', '0044-03-15 12:00:00+00 BC', '12026-01-01 00:00:00+00', ''])(
  'the stored text %j is rejected instead of being printed wrong',
  (raw) => {
    expect(() => printInstant(raw)).toThrow(RangeError);
  },
);

test.each([
  ['2026-01-02', '2026-01-02T00:00:00.000000Z'],
  ['2026-01-02T03:04', '2026-01-02T03:04:00.000000Z'],
  ['2026-01-02T03:04:05', '2026-01-02T03:04:05.000000Z'],
  ['2026-01-02t03:04:05.5z', '2026-01-02T03:04:05.500000Z'],
  ['2026-01-02T03:04:05,25Z', '2026-01-02T03:04:05.250000Z'],
  ['2026-01-02 03:04:05.1234567899Z', '2026-01-02T03:04:05.123456Z'],
  ['2026-01-01T00:30:00.000001+01:00', '2025-12-31T23:30:00.000001Z'],
  ['2024-02-28T23:30:00-0100', '2024-02-29T00:30:00.000000Z'],
  ['2026-01-02T03:04:05-00:00', '2026-01-02T03:04:05.000000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000Z'],
  ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999Z'],
])('the input %s is the instant %s', (text, expected) => {
  expect(parseInstant(text)).toBe(expected);
});

test.each([
  '',
  'now',
  '2026-02-30',
  '2026-02-30T00:00:00Z',
  '2026-01-02T',
  '2026-01-02T03Z',
  '2026-01-02T24:00:00Z',
  '2026-01-02T23:60:00Z',
  '2026-01-02T23:59:60Z',
  '2026-01-02T03:04:05.Z',
  '2026-01-02T03:04:05+1',
  '2026-01-02T03:04:05+25:00',
  '2026-01-02Z',
  '1767322800',
  '0001-01-01T00:00:00+01:00',
  '9999-12-31T23:59:59-00:01',
  `2026-01-02T03:04:05.${'9'.repeat(5000)}Z`,
  '2026-01-02T03:04:05Z\n',
])('the input %j is not an instant', (text) => {
  expect(parseInstant(text)).toBeNull();
});

const microseconds = fc.integer({
  min: Date.parse('0001-01-01T00:00:00Z') * 1000,
  max: Date.parse('2255-01-01T00:00:00Z') * 1000,
});

test('instants keep their microseconds when they are printed, stored and read', () => {
  fc.assert(
    fc.property(microseconds, fc.integer({ min: 0, max: 6 }), (value, dropped) => {
      const instant = instantOfMicroseconds(value);
      expect(instant).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
      expect(parseInstant(instant)).toBe(instant);
      expect(printInstant(instant)).toBe(instant);
      expect(printInstant(instant.replace('T', ' ').replace('Z', '+00'))).toBe(instant);
      expect(epochMs(instant)).toBe(Math.floor(value / 1000));
      const short = instant.slice(0, 26 - dropped).replace(/\.$/, '');
      const stored = `${short.replace('T', ' ')}+00`;
      expect(printInstant(stored)).toBe(`${short.padEnd(26, short.includes('.') ? '0' : '.000000')}Z`);
      expect(epochMs(stored)).toBe(epochMs(printInstant(stored)));
    }),
    { numRuns: 500 },
  );
});

test('the offset of an instant is applied exactly', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4_102_444_800 }),
      fc.integer({ min: -23, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
      (seconds, hours, minutes) => {
        const local = instantOfMicroseconds(seconds * 1_000_000).slice(0, 19);
        const offset = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
        const parsed = parseInstant(`${local}${offset}`);
        expect(parsed && Date.parse(parsed)).toBe(Date.parse(`${local}${offset}`));
      },
    ),
  );
});
