import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeMinuteEnds, type RunningStay } from './minute-ends.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { minutesOf } from '../participants/stays.ts';

const stay = fc.record({
  meeting: fc.constantFrom('a', 'b', 'c'),
  sinceMs: fc.integer({ min: 0, max: 400_000 }),
});
const stays = fc.array(stay, { maxLength: 12 });
const minutes = fc.integer({ min: -3, max: 60 });

/** The minutes that are charged for a stay until `untilMs`. */
function chargedMinutes({ sinceMs }: RunningStay, untilMs: number): number {
  const at = (ms: number) => instantOfMicroseconds(ms * 1000);
  return minutesOf({ joinedAt: at(sinceMs), leftAt: at(untilMs) }, at(untilMs));
}

test('ending each meeting at its computed time never charges more minutes than remain', () => {
  fc.assert(
    fc.property(stays, minutes, (all, left) => {
      const ends = computeMinuteEnds(left, all);
      // Participants who join later are rejected, so they use nothing.
      const stayed = all.filter(({ meeting, sinceMs }) => sinceMs < (ends.get(meeting) ?? 0));
      const used = stayed.reduce((sum, stay) => sum + chargedMinutes(stay, ends.get(stay.meeting) ?? 0), 0);
      expect(used).toBeLessThanOrEqual(Math.max(0, left));
    }),
  );
});

test('a meeting continues as long as there are minutes for its next minute', () => {
  fc.assert(
    fc.property(stays, minutes, (all, left) => {
      for (const [meeting, end] of computeMinuteEnds(left, all)) {
        const begun = all.filter(({ sinceMs }) => sinceMs <= end);
        const begunMinutes = begun.reduce((sum, stay) => sum + chargedMinutes(stay, end + 1), 0);
        expect(begunMinutes).toBeGreaterThan(left);
        expect(all.some((stay) => stay.meeting === meeting && (end - stay.sinceMs) % 60_000 === 0)).toBe(true);
      }
    }),
  );
});

test('an additional participant never delays an end, an additional minute never advances one, and the order of participants does not matter', () => {
  fc.assert(
    fc.property(stays, stay, minutes, (all, added, left) => {
      const before = computeMinuteEnds(left, all);
      const after = computeMinuteEnds(left, [added, ...all]);
      const withMoreMinutes = computeMinuteEnds(left + 1, all);
      for (const [meeting, end] of before) {
        expect(after.get(meeting)).toBeLessThanOrEqual(end);
        expect(withMoreMinutes.get(meeting)).toBeGreaterThanOrEqual(end);
      }
      expect(computeMinuteEnds(left, all.toReversed())).toEqual(before);
    }),
  );
});

test('two meetings that started half a minute apart each continue to the end of their current minute', () => {
  const all = [
    { meeting: 'a', sinceMs: 0 },
    { meeting: 'b', sinceMs: 30_000 },
  ];
  expect(computeMinuteEnds(4, all)).toEqual(
    new Map([
      ['a', 120_000],
      ['b', 150_000],
    ]),
  );
  expect(computeMinuteEnds(0, all)).toEqual(
    new Map([
      ['a', 0],
      ['b', 30_000],
    ]),
  );
  expect(computeMinuteEnds(7, [])).toEqual(new Map());
});
