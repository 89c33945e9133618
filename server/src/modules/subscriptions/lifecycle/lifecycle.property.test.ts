import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  addInterval,
  type CalendarDate,
  calendarDate,
  dayOfMonth,
  daysBetween,
} from '../../../platform/time/calendar-date.ts';
import {
  allowedMoves,
  cancel,
  changeStatus,
  dueCycles,
  expire,
  lastDayOfUse,
  isExpired,
  isUsable,
  renew,
  renewDue,
  renewsItself,
  type SubscriptionLifecycle,
} from './lifecycle.ts';
import { isDateFault, reviseDates } from './revise-dates.ts';
import { isRefusal, type SubscriptionStatus } from './transitions.ts';
import { endOfCycles, firstPeriod, graceEndsOn, type Terms } from './period.ts';

const now = '2026-01-20T12:00:00.000000Z';
const unit = fc.constantFrom('day', 'week', 'month', 'year');
const firstDay = fc
  .date({ min: new Date('2000-01-01'), max: new Date('2060-12-31'), noInvalidDate: true })
  .map((date) => calendarDate(date.toISOString().slice(0, 10)));
const terms: fc.Arbitrary<Terms> = fc.record({
  trialPeriod: fc.integer({ min: 0, max: 5 }),
  trialInterval: unit,
  trialMode: fc.constantFrom('outside', 'inside'),
  gracePeriod: fc.integer({ min: 0, max: 5 }),
  graceInterval: unit,
  periodicity: fc.integer({ min: 1, max: 6 }),
  periodicityType: unit,
});

interface Move {
  readonly kind: 'dates' | 'other';
  readonly apply: (subscription: SubscriptionLifecycle, today: CalendarDate) => object;
}

const otherMove = (apply: Move['apply']): Move => ({ kind: 'other', apply });

/** The operations on a subscription on one day, including refused and ignored ones. */
const move: fc.Arbitrary<Move> = fc.oneof(
  fc
    .record({ renew: fc.boolean(), cycles: fc.integer({ min: 1, max: 6 }), uncancel: fc.boolean() })
    .map((options) => otherMove((state, today) => renew(state, options, today))),
  fc
    .record({ cancel: fc.boolean(), cancelNow: fc.boolean() })
    .map((options) => otherMove((state, today) => cancel(state, options, today, now))),
  fc
    .constantFrom<SubscriptionStatus>('active', 'inactive', 'canceled', 'suspended', 'terminated')
    .map((status) => otherMove((state, today) => changeStatus(state, status, today))),
  fc
    .record({ ends: fc.integer({ min: -100, max: 900 }), starts: fc.integer({ min: -400, max: 100 }) })
    .map(({ starts, ends }): Move => ({
      kind: 'dates',
      apply: (state, today) => {
        const startsOn = plusDays(today, starts);
        return reviseDates(state, { startsOn, endsOn: plusDays(startsOn, ends) }, today);
      },
    })),
  fc.constant(otherMove(expire)),
  fc
    .boolean()
    .map((autoRenew): Move => ({ kind: 'dates', apply: (state, today) => reviseDates(state, { autoRenew }, today) })),
  fc.constant(otherMove(renewDue)),
);
const moveSequence = fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), move), { maxLength: 40 });

/** Renews and expires in the order of the jobs. */
function runJobs(state: SubscriptionLifecycle, today: CalendarDate): SubscriptionLifecycle {
  return expire(renewDue(state, today), today);
}

function plusDays(date: CalendarDate, count: number): CalendarDate {
  return addInterval(date, { count, unit: 'day' });
}

function begin(chosen: Terms, today: CalendarDate, autoRenew = false): SubscriptionLifecycle {
  return Object.freeze({
    ...chosen,
    ...firstPeriod(chosen, today),
    status: 'active',
    isActive: true,
    cancelsOn: null,
    canceledAt: null,
    canceledNow: false,
    autoRenew,
    isResold: false,
  });
}

/** Applies moves to a subscription over several years and calls `check` after each. */
function applyMoves(
  chosen: Terms,
  start: CalendarDate,
  moves: readonly (readonly [number, Move])[],
  check: (state: SubscriptionLifecycle, today: CalendarDate, before: SubscriptionLifecycle) => void,
): void {
  let today = start;
  let state = begin(chosen, today);
  for (const [days, { apply }] of moves) {
    today = plusDays(today, days);
    const outcome = apply(state, today);
    if (isRefusal(outcome) || isDateFault(outcome)) continue;
    const before = state;
    state = Object.freeze(outcome as SubscriptionLifecycle);
    check(state, today, before);
  }
}

test('status, usability, dates and cancellation are consistent after any sequence of moves', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, (chosen, start, moves) => {
      applyMoves(chosen, start, moves, (state) => {
        expect(state.endsOn >= state.startsOn).toBe(true);
        expect(state.anchorDay >= 1 && state.anchorDay <= 31).toBe(true);
        expect(state.cancelsOn === null).toBe(state.canceledAt === null);
        if (state.isActive) expect(state.status).toBe('active');
        if (state.status === 'active') expect([state.cancelsOn, state.canceledNow]).toEqual([null, false]);
        if (state.status === 'canceled') expect(state.cancelsOn).not.toBeNull();
        if (state.canceledNow) expect(state.canceledAt).not.toBeNull();
      });
    }),
    { numRuns: 300 },
  );
});

test('a subscription is usable exactly as its status and dates define, on every day around its end', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, (chosen, start, moves) => {
      applyMoves(chosen, start, moves, (state, today) => {
        for (const day of [today, ...[-1, 0, 1].map((offset) => plusDays(lastDayOfUse(state), offset))]) {
          const onTrial = state.trialEndsOn !== null && day <= state.trialEndsOn;
          const inGrace = day <= addInterval(state.endsOn, { count: state.gracePeriod, unit: state.graceInterval });
          const untilCanceled = state.cancelsOn !== null && day <= state.cancelsOn;
          expect(isUsable(state, day)).toBe(
            (state.status === 'active' && (onTrial || inGrace || state.autoRenew)) ||
              (state.status === 'canceled' && !state.canceledNow && untilCanceled),
          );
          const allows = state.status === 'active' || (state.status === 'canceled' && !state.canceledNow);
          expect(isUsable(state, day)).toBe(allows && !isExpired(state, day));
        }
      });
    }),
    { numRuns: 300 },
  );
});

test('the job never changes whether a subscription is usable, and is idempotent', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, fc.nat({ max: 2000 }), (chosen, start, moves, days) => {
      applyMoves(chosen, start, moves, (state, today) => {
        const later = plusDays(today, days);
        const expired = expire(state, later);
        expect(isUsable(expired, later)).toBe(isUsable(state, later));
        expect(expire(expired, later)).toBe(expired);
        if (expired === state) return;
        expect(expired).toEqual({ ...state, status: 'suspended', isActive: false });
        expect(isUsable(state, later)).toBe(false);
      });
    }),
    { numRuns: 300 },
  );
});

test('a successful renewal makes a subscription usable today, extends it, and removes a cancellation', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, fc.integer({ min: 1, max: 5 }), (chosen, start, moves, cycles) => {
      applyMoves(chosen, start, moves, (state, today) => {
        const renewed = renew(state, { cycles, uncancel: true }, today);
        const isRefused = state.status === 'inactive' || state.status === 'terminated';
        expect(isRefusal(renewed)).toBe(isRefused);
        if (isRefusal(renewed)) return;
        expect(isUsable(renewed, today)).toBe(true);
        expect(renewed).toMatchObject({ status: 'active', isActive: true, cancelsOn: null, canceledAt: null });
        expect(renewed.endsOn > state.endsOn).toBe(true);
      });
    }),
    { numRuns: 300 },
  );
});

test('canceling and then renewing with uncancel equals renewing, and canceling twice equals canceling once', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, fc.boolean(), (chosen, start, moves, cancelNow) => {
      applyMoves(chosen, start, moves, (state, today) => {
        if (expire(state, today).status !== 'active') return;
        const canceled = cancel(state, { cancelNow }, today, now);
        expect(renew(canceled, { uncancel: true }, today)).toEqual(renew(state, {}, today));
        expect(renew(canceled, {}, today)).toMatchObject({ refused: 'subscription-canceled' });
        expect(cancel(canceled, { cancelNow: !cancelNow }, today, now)).toBe(canceled);
        expect(lastDayOfUse(canceled) <= (cancelNow ? today : lastDayOfUse(state))).toBe(true);
      });
    }),
    { numRuns: 300 },
  );
});

test('successive renewals before the end of grace skip no day and count no day twice', () => {
  const cycles = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(terms, firstDay, cycles, fc.nat(), (chosen, start, counts, choice) => {
      let state = begin(chosen, start);
      const first = state.startsOn;
      let total = 1;
      for (const count of counts) {
        // Any day of the period or of grace; in grace the new period starts where the old one ended.
        const span = daysBetween(state.startsOn, graceEndsOn(state)) + 1;
        const today = plusDays(state.startsOn, choice % span);
        const isRunning = today <= state.endsOn || (state.trialEndsOn !== null && today <= state.trialEndsOn);
        const renewed = renew(state, { cycles: count }, today);
        if (isRefusal(renewed)) throw new Error(renewed.message);
        total += count;
        expect(renewed.startsOn).toBe(isRunning ? state.startsOn : state.endsOn);
        expect(renewed.anchorDay).toBe(dayOfMonth(first));
        const sum = { count: total * chosen.periodicity, unit: chosen.periodicityType };
        expect(renewed.endsOn).toBe(addInterval(first, sum, dayOfMonth(first)));
        state = renewed;
      }
    }),
    { numRuns: 300 },
  );
});

test('a renewal after the grace period starts today, and today becomes the anchor day', () => {
  fc.assert(
    fc.property(
      terms,
      firstDay,
      fc.integer({ min: 1, max: 3000 }),
      fc.boolean(),
      (chosen, start, daysLate, hasJobRun) => {
        const state = begin(chosen, start);
        const today = plusDays(lastDayOfUse(state), daysLate);
        const renewed = renew(hasJobRun ? expire(state, today) : state, {}, today);
        expect(renewed).toMatchObject({
          startsOn: today,
          endsOn: addInterval(today, { count: chosen.periodicity, unit: chosen.periodicityType }),
          anchorDay: dayOfMonth(today),
        });
      },
    ),
  );
});

test('the result of every transition is the same whether or not the job ran before', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, move, fc.nat({ max: 1500 }), (chosen, start, moves, next, days) => {
      applyMoves(chosen, start, moves, (state, today) => {
        const later = plusDays(today, days);
        const afterJobs = (outcome: object) =>
          isRefusal(outcome) || isDateFault(outcome) ? outcome : runJobs(outcome as SubscriptionLifecycle, later);
        // Manual dates are set after the elapsed state was stored.
        if (next.kind === 'dates') return;
        expect(afterJobs(next.apply(runJobs(state, later), later))).toEqual(afterJobs(next.apply(state, later)));
        expect(allowedMoves(runJobs(state, later), later)).toEqual(allowedMoves(state, later));
      });
    }),
    { numRuns: 300 },
  );
});

test('every allowed move changes the subscription, and every other move is rejected or ignored', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, (chosen, start, moves) => {
      applyMoves(chosen, start, moves, (state, today) => {
        const allowed = new Set<string>(allowedMoves(state, today));
        const isApplied = (outcome: object) =>
          !isRefusal(outcome) && outcome !== expire(state, today) && outcome !== state;
        const { canceledAt } = state;
        expect(isApplied(renew(state, {}, today))).toBe(allowed.has('renew'));
        if (canceledAt !== null)
          expect(isApplied(renew(state, { uncancel: true }, today))).toBe(allowed.has('uncancel'));
        expect(isApplied(cancel(state, {}, today, now))).toBe(allowed.has('cancel'));
        for (const status of ['active', 'inactive', 'suspended', 'terminated'] as const) {
          if (expire(state, today).status === status) continue;
          expect(isApplied(changeStatus(state, status, today))).toBe(allowed.has(`set-${status}`));
        }
      });
    }),
    { numRuns: 300 },
  );
});

test('without changes, a subscription is usable from its first to its last day without a gap, and not after', () => {
  fc.assert(
    fc.property(terms, firstDay, fc.nat({ max: 4000 }), (chosen, start, days) => {
      const state = begin(chosen, start);
      const last = lastDayOfUse(state);
      const day = plusDays(start, days);
      expect(isUsable(state, day)).toBe(day <= last);
      expect([isUsable(state, last), isUsable(state, plusDays(last, 1))]).toEqual([true, false]);
      const paid = { count: chosen.periodicity, unit: chosen.periodicityType };
      const from = chosen.trialMode === 'outside' && state.trialEndsOn !== null ? state.trialEndsOn : start;
      expect([state.startsOn, state.endsOn]).toEqual([from, addInterval(from, paid)]);
    }),
    { numRuns: 300 },
  );
});

test('renewing several cycles at once or one after the other results in the same end, also at leap days and ends of months', () => {
  const cycles = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(terms, firstDay, cycles, (chosen, start, counts) => {
      const state = begin(chosen, start);
      const total = counts.reduce((sum, count) => sum + count, 0);
      const atOnce = renew(state, { cycles: total }, start);
      const oneByOne = counts.reduce<SubscriptionLifecycle>((current, count) => {
        const next = renew(current, { cycles: count }, start);
        return isRefusal(next) ? current : next;
      }, state);
      expect(oneByOne).toEqual(atOnce);
    }),
    { numRuns: 300 },
  );
});

test('an automatically renewed subscription is always usable, and is renewed once to the period that includes today', () => {
  fc.assert(
    fc.property(
      terms,
      firstDay,
      fc.array(fc.integer({ min: 0, max: 800 }), { maxLength: 12 }),
      (chosen, start, gaps) => {
        let today = start;
        let state = begin(chosen, today, true);
        let renewals = 0;
        for (const days of gaps) {
          today = plusDays(today, days);
          expect(isUsable(state, today)).toBe(true);
          expect(expire(state, today)).toBe(state);
          const cycles = dueCycles(state, today);
          expect(cycles > 0).toBe(state.endsOn < today && !(state.trialEndsOn !== null && today <= state.trialEndsOn));
          if (cycles === 0) continue;
          renewals += cycles;
          const renewed = renewDue(state, today);
          // The job was down: as many renewals as if it had run on every day.
          const first = begin(chosen, start, true);
          expect(renewed.endsOn).toBe(endOfCycles(first, renewals));
          expect(renewed.endsOn >= today).toBe(true);
          expect(endOfCycles(state, cycles - 1) < today).toBe(true);
          expect(dueCycles(renewed, today)).toBe(0);
          state = renewed;
        }
      },
    ),
    { numRuns: 300 },
  );
});

test('canceled and inactive subscriptions are not renewed automatically', () => {
  fc.assert(
    fc.property(terms, firstDay, moveSequence, fc.nat({ max: 900 }), (chosen, start, moves, days) => {
      applyMoves(chosen, start, moves, (state, today) => {
        if (state.status !== 'active' || state.canceledAt !== null || !state.autoRenew) {
          expect(renewsItself(state)).toBe(false);
          expect(dueCycles(state, plusDays(today, days))).toBe(0);
        }
      });
    }),
    { numRuns: 300 },
  );
});
