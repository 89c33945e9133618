import { expect, test } from 'vitest';
import { type CalendarDate, calendarDate } from '../../../platform/time/calendar-date.ts';
import {
  allowedMoves,
  cancel,
  changeStatus,
  expire,
  lastDayOfUse,
  isExpired,
  isUsable,
  renew,
  type SubscriptionLifecycle,
  withdrawCancellation,
} from './lifecycle.ts';
import { isDateFault, reviseDates } from './revise-dates.ts';
import {
  isRefusal,
  transitions,
  type SubscriptionMove,
  subscriptionMoves,
  type SubscriptionStatus,
} from './transitions.ts';

const day = calendarDate;
const now = '2026-01-20T12:00:00.000000Z';

/** January 2026 with three days of grace. */
const running: SubscriptionLifecycle = {
  status: 'active',
  isActive: true,
  startsOn: day('2026-01-01'),
  endsOn: day('2026-01-31'),
  anchorDay: 1,
  cancelsOn: null,
  canceledAt: null,
  canceledNow: false,
  autoRenew: false,
  isResold: false,
  trialPeriod: 0,
  trialInterval: 'day',
  trialMode: 'outside',
  trialEndsOn: null,
  gracePeriod: 3,
  graceInterval: 'day',
  periodicity: 1,
  periodicityType: 'month',
};
/** Starts when its trial ends, on 10 January. */
const onTrial = { ...running, startsOn: day('2026-01-10'), trialPeriod: 9, trialEndsOn: day('2026-01-10') };
const canceled = cancel(running, {}, day('2026-01-20'), now);
const canceledNow = cancel(running, { cancelNow: true }, day('2026-01-20'), now);
const suspended = { ...running, status: 'suspended', isActive: false } as const;
const inactive = { ...running, status: 'inactive', isActive: false } as const;
const terminated = { ...running, status: 'terminated', isActive: false } as const;

test.each([
  ['active, in its period', running, '2026-01-20', true],
  ['active, on the last day', running, '2026-01-31', true],
  ['active, in grace', running, '2026-02-01', true],
  ['active, on the last day of grace', running, '2026-02-03', true],
  ['active, past grace', running, '2026-02-04', false],
  ['active, without grace, past the last day', { ...running, gracePeriod: 0 }, '2026-02-01', false],
  ['active, on trial before the start', onTrial, '2026-01-02', true],
  [
    'active, on a trial longer than period and grace',
    { ...running, trialEndsOn: day('2026-03-01') },
    '2026-03-01',
    true,
  ],
  ['active, past the trial', { ...running, trialEndsOn: day('2026-03-01') }, '2026-03-02', false],
  ['active, expired, not suspended yet', running, '2027-01-01', false],
  ['canceled, until its last day', canceled, '2026-01-31', true],
  ['canceled, without grace', canceled, '2026-02-01', false],
  ['canceled now, on the same day', canceledNow, '2026-01-20', false],
  ['canceled now, the day before', canceledNow, '2026-01-19', false],
  ['suspended', suspended, '2026-01-20', false],
  ['inactive', inactive, '2026-01-20', false],
  ['terminated', terminated, '2026-01-20', false],
])('usable: %s', (_case, subscription, date, usable) => {
  expect(isUsable(subscription, day(date))).toBe(usable);
});

test.each([
  ['the end of grace', running, '2026-02-03'],
  ['the end of a trial that ends after grace', { ...running, trialEndsOn: day('2026-03-01') }, '2026-03-01'],
  ['the day of the cancellation', canceled, '2026-01-31'],
  ['the day itself when canceled now', canceledNow, '2026-01-20'],
])('a subscription expires after %s', (_case, subscription, last) => {
  expect(lastDayOfUse(subscription)).toBe(last);
  expect(isExpired(subscription, day(last))).toBe(false);
  expect(isExpired(subscription, day('2026-12-31'))).toBe(true);
  const next = new Date(Date.parse(last) + 86_400_000).toISOString().slice(0, 10);
  expect(isExpired(subscription, day(next))).toBe(true);
});

test('an expired subscription is suspended and keeps its dates, canceled or not', () => {
  expect(expire(running, day('2026-02-04'))).toEqual({ ...running, status: 'suspended', isActive: false });
  expect(expire(canceled, day('2026-02-01'))).toEqual({ ...canceled, status: 'suspended' });
  expect(expire(canceledNow, day('2026-01-21'))).toEqual({ ...canceledNow, status: 'suspended' });
});

test('the job does not change subscriptions that have not expired or are already out of use', () => {
  for (const on of ['2026-01-20', '2026-01-31', '2026-02-03']) {
    expect(expire(running, day(on))).toBe(running);
  }
  expect(expire(canceled, day('2026-01-31'))).toBe(canceled);
  expect(expire(canceledNow, day('2026-01-20'))).toBe(canceledNow);
  for (const subscription of [suspended, inactive, terminated]) {
    expect(expire(subscription, day('2030-01-01'))).toBe(subscription);
  }
});

test('a canceled subscription can be used until the end of its period', () => {
  expect(cancel(running, { cancel: true }, day('2026-01-20'), now)).toEqual({
    ...running,
    status: 'canceled',
    isActive: false,
    cancelsOn: '2026-01-31',
    canceledAt: now,
    canceledNow: false,
  });
});

test('a subscription that is canceled on trial can be used until the end of the trial, also if that is before the end of the period', () => {
  expect(cancel(onTrial, {}, day('2026-01-10'), now).cancelsOn).toBe('2026-01-10');
  expect(cancel(onTrial, {}, day('2026-01-11'), now).cancelsOn).toBe('2026-01-31');
  const inside = { ...onTrial, trialMode: 'inside', startsOn: day('2026-01-01') } as const;
  expect(cancel(inside, {}, day('2026-01-05'), now).cancelsOn).toBe('2026-01-10');
});

test('a subscription that is canceled with cancel_now cannot be used from then on', () => {
  expect(canceledNow).toEqual({
    ...running,
    status: 'canceled',
    isActive: false,
    cancelsOn: '2026-01-20',
    canceledAt: now,
    canceledNow: true,
  });
});

test('canceling during the grace period ends it', () => {
  const late = cancel(running, {}, day('2026-02-02'), now);
  expect(late.cancelsOn).toBe('2026-01-31');
  expect(isUsable(late, day('2026-02-02'))).toBe(false);
});

test.each([
  ['cancel is false', running, { cancel: false, cancelNow: true }, '2026-01-20'],
  ['it is canceled already', canceled, { cancelNow: true }, '2026-01-21'],
  ['it is suspended', suspended, {}, '2026-01-20'],
  ['it is inactive', inactive, {}, '2026-01-20'],
  ['it is terminated', terminated, {}, '2026-01-20'],
  ['it has expired, but is not suspended yet', running, {}, '2026-02-04'],
] as const)('canceling is ignored when %s', (_case, subscription, options, today) => {
  expect(cancel(subscription, options, day(today), now)).toBe(subscription);
});

const expired = expire(running, day('2026-02-04'));
const uncancel = { uncancel: true };

test.each([
  ['running: the end moves', running, {}, '2026-01-20', '2026-01-01', '2026-02-28', 1],
  ['on its last day: the end moves', running, {}, '2026-01-31', '2026-01-01', '2026-02-28', 1],
  ['running, three cycles', running, { cycles: 3 }, '2026-01-20', '2026-01-01', '2026-04-30', 1],
  ['on trial: the start stays', onTrial, {}, '2026-01-05', '2026-01-10', '2026-02-28', 1],
  ['in grace: from the old end', running, {}, '2026-02-01', '2026-01-31', '2026-02-28', 1],
  ['on the last day of grace', running, { cycles: 2 }, '2026-02-03', '2026-01-31', '2026-03-31', 1],
  ['past grace: from today', running, {}, '2026-02-04', '2026-02-04', '2026-03-04', 4],
  ['past grace, suspended', expired, { cycles: 2 }, '2026-03-31', '2026-03-31', '2026-05-31', 31],
  ['suspended by a request during the period', suspended, {}, '2026-01-20', '2026-01-01', '2026-02-28', 1],
  ['suspended in grace', suspended, {}, '2026-02-02', '2026-01-31', '2026-02-28', 1],
  ['canceled, running', canceled, uncancel, '2026-01-25', '2026-01-01', '2026-02-28', 1],
  ['canceled now', canceledNow, uncancel, '2026-01-20', '2026-01-01', '2026-02-28', 1],
  ['canceled, past the end, within the days of grace', canceled, uncancel, '2026-02-02', '2026-01-31', '2026-02-28', 1],
  ['canceled and expired', expire(canceled, day('2026-06-01')), uncancel, '2026-06-01', '2026-06-01', '2026-07-01', 1],
  ['anchored on the 31st', { ...running, anchorDay: 31 }, { cycles: 2 }, '2026-01-20', '2026-01-01', '2026-03-31', 31],
] as const)('renewing: %s', (_case, subscription, options, today, startsOn, endsOn, anchorDay) => {
  const renewed = renew(subscription, options, day(today));
  expect(renewed).toEqual({
    ...running,
    trialPeriod: subscription.trialPeriod,
    trialEndsOn: subscription.trialEndsOn,
    startsOn,
    endsOn,
    anchorDay,
  });
});

test.each([
  ['canceled, without uncancel', canceled, { cycles: 2 }, '2026-01-25', 'subscription-canceled'],
  ['canceled, uncancel false', canceled, { uncancel: false }, '2026-01-25', 'subscription-canceled'],
  ['suspended after its cancellation', expire(canceled, day('2026-02-01')), {}, '2026-02-01', 'subscription-canceled'],
  ['inactive', inactive, uncancel, '2026-01-20', 'subscription-inactive'],
  ['terminated', terminated, uncancel, '2026-01-20', 'subscription-terminated'],
] as const)('renewing is rejected: %s', (_case, subscription, options, today, code) => {
  expect(renew(subscription, options, day(today))).toMatchObject({ refused: code });
});

test('renew: false is ignored in every state', () => {
  for (const subscription of [running, canceled, suspended, inactive, terminated]) {
    expect(renew(subscription, { renew: false, uncancel: true }, day('2027-01-01'))).toBe(subscription);
  }
});

const statuses: SubscriptionStatus[] = ['active', 'inactive', 'canceled', 'suspended', 'terminated'];
const allowedChanges = new Set([
  'active inactive',
  'active suspended',
  'active terminated',
  'inactive active',
  'inactive terminated',
  'canceled terminated',
  'suspended active',
  'suspended terminated',
  'terminated inactive',
]);
const subscriptionIn = { active: running, inactive, canceled, suspended, terminated };
const moves = statuses.flatMap((from) => statuses.map((to) => [from, to] as const));

test.each(moves)('status set by request: %s to %s', (from, to) => {
  const subscription = subscriptionIn[from];
  const outcome = changeStatus(subscription, to, day('2026-01-20'));
  if (from === to) {
    expect(outcome).toBe(subscription);
  } else if (allowedChanges.has(`${from} ${to}`)) {
    expect(outcome).toEqual({ ...subscription, status: to, isActive: to === 'active' });
  } else {
    expect(outcome).toMatchObject({ refused: 'status-change-not-allowed' });
    const allowed = [...allowedChanges].filter((move) => move.startsWith(`${from} `)).map((move) => move.split(' ')[1]);
    const message = isRefusal(outcome) ? outcome.message : '';
    expect(message).toBe(
      `The status cannot change from ${from} to ${to}. Allowed from ${from}: ${allowed.join(', ')}.`,
    );
  }
});

test('an expired subscription can be set active only after its dates allow use', () => {
  const today = day('2026-02-04');
  expect(changeStatus(suspended, 'active', today)).toEqual({
    refused: 'status-change-not-allowed',
    message:
      'The status cannot change from suspended to active. The subscription ended on 2026-02-03. Renew it or change its dates first.',
    allowed: ['renew', 'set-terminated'],
  });
  const revised = reviseDates(suspended, { endsOn: day('2026-03-31') }, today);
  expect(revised).toEqual({ ...suspended, endsOn: '2026-03-31' });
  expect(isDateFault(revised) || changeStatus(revised, 'active', today)).toEqual({
    ...running,
    endsOn: '2026-03-31',
  });
});

test('a subscription that is activated after its end is not usable, and the job suspends it', () => {
  const today = day('2026-06-01');
  const activated = changeStatus(inactive, 'active', today);
  expect(activated).toEqual({ ...running, isActive: false });
  expect(isRefusal(activated) || expire(activated, today).status).toBe('suspended');
});

test('setting a status never undoes a cancellation', () => {
  const suspendedByJob = expire(canceled, day('2026-02-01'));
  expect(changeStatus(suspendedByJob, 'active', day('2026-02-01'))).toMatchObject({
    refused: 'status-change-not-allowed',
  });
  const closed = changeStatus(canceled, 'terminated', day('2026-01-21'));
  const deletable = isRefusal(closed) ? closed : changeStatus(closed, 'inactive', day('2026-01-21'));
  expect(deletable).toMatchObject({ status: 'inactive', canceledAt: now });
  expect(isRefusal(deletable) || changeStatus(deletable, 'active', day('2026-01-21'))).toMatchObject({
    refused: 'status-change-not-allowed',
  });
});

test('a changed start moves the anchor day, a changed end does not', () => {
  const today = day('2026-01-20');
  expect(reviseDates(running, { startsOn: day('2026-01-15') }, today)).toEqual({
    ...running,
    startsOn: '2026-01-15',
    anchorDay: 15,
  });
  expect(reviseDates(running, { endsOn: day('2026-02-15') }, today)).toEqual({ ...running, endsOn: '2026-02-15' });
});

test('sending the current dates and terms changes nothing', () => {
  const today = day('2026-01-20');
  expect(reviseDates(running, {}, today)).toBe(running);
  const { startsOn, endsOn, trialEndsOn, gracePeriod, periodicityType } = running;
  const same = { startsOn, endsOn, trialEndsOn, gracePeriod, periodicityType, periodicity: undefined };
  expect(reviseDates(running, same, today)).toBe(running);
});

test('new terms apply at once', () => {
  const inGrace = day('2026-02-02');
  const revised = reviseDates(running, { gracePeriod: 0, trialEndsOn: null }, inGrace);
  expect(revised).toEqual({ ...running, gracePeriod: 0, isActive: false });
  const extended = reviseDates(running, { trialEndsOn: day('2026-04-01') }, day('2026-03-01'));
  expect(extended).toEqual({ ...running, trialEndsOn: '2026-04-01' });
});

test('if months replace weeks, they are counted from the current end', () => {
  const weekly = { ...running, startsOn: day('2026-01-31'), anchorDay: 31, endsOn: day('2026-02-28') };
  const today = day('2026-02-10');
  const revised = reviseDates({ ...weekly, periodicityType: 'week' }, { periodicityType: 'month' }, today);
  expect(revised).toMatchObject({ anchorDay: 28 });
  expect(isDateFault(revised) || renew(revised, {}, today)).toMatchObject({ endsOn: '2026-03-28' });
  expect(reviseDates(weekly, { periodicityType: 'year' }, today)).toMatchObject({ anchorDay: 31 });
});

test('if the period would end before its start, the error names the date that was sent', () => {
  const today = day('2026-01-20');
  expect(reviseDates(running, { endsOn: day('2025-12-31') }, today)).toMatchObject({ invalid: 'endsOn' });
  expect(reviseDates(running, { startsOn: day('2026-02-01') }, today)).toEqual({
    invalid: 'startsOn',
    message: 'The period would end on 2026-01-31, before it starts on 2026-02-01.',
  });
  expect(isDateFault(reviseDates(running, { endsOn: running.startsOn }, today))).toBe(false);
});

test('every transition keeps the other members of the subscription', () => {
  const named = { ...running, name: 'Gold' };
  const today = day('2026-01-20');
  expect(cancel(named, {}, today, now).name).toBe('Gold');
  expect(expire(named, day('2027-01-01')).name).toBe('Gold');
  expect(renew(named, {}, today)).toHaveProperty('name', 'Gold');
  expect(changeStatus(named, 'inactive', today)).toHaveProperty('name', 'Gold');
  expect(reviseDates(named, { gracePeriod: 9 }, today)).toHaveProperty('name', 'Gold');
});

/** Applies each move with its rule; null for moves without a rule. */
const applyMove: Record<SubscriptionMove, ((state: SubscriptionLifecycle, today: CalendarDate) => object) | null> = {
  renew: (state, today) => renew(state, {}, today),
  uncancel: (state, today) => (state.canceledAt === null ? { refused: 'ignored' } : renew(state, uncancel, today)),
  'take-back': withdrawCancellation,
  cancel: (state, today) => cancel(state, {}, today, now),
  'change-package': null,
  'set-active': (state, today) => changeStatus(state, 'active', today),
  'set-inactive': (state, today) => changeStatus(state, 'inactive', today),
  'set-suspended': (state, today) => changeStatus(state, 'suspended', today),
  'set-terminated': (state, today) => changeStatus(state, 'terminated', today),
  delete: null,
};

const everyState = statuses.flatMap((status) =>
  [null, now].flatMap((canceledAt) =>
    (status === 'active' && canceledAt !== null) || (status === 'canceled' && canceledAt === null)
      ? []
      : ['2026-01-20', '2026-02-02', '2026-02-10'].map((today) => ({ status, canceledAt, today })),
  ),
);

test('a cancellation can be undone until it takes effect, and the dates stay the same', () => {
  const state = cancel(running, {}, day('2026-01-20'), now);
  expect(withdrawCancellation(state, day('2026-01-25'))).toEqual(running);
  for (const [refused, on] of [
    [cancel(running, { cancelNow: true }, day('2026-01-20'), now), '2026-01-20'],
    [state, '2026-06-01'],
    [running, '2026-01-20'],
  ] as const)
    expect(withdrawCancellation(refused, day(on))).toMatchObject({ refused: 'cancellation-not-taken-back' });
});

test.each(everyState)(
  'allowedMoves and the transition table agree with the rules: $status, canceled at $canceledAt, on $today',
  ({ status, canceledAt, today: on }) => {
    const today = day(on);
    const isCanceled = canceledAt !== null;
    const state: SubscriptionLifecycle = {
      ...running,
      status,
      isActive: status === 'active',
      canceledAt,
      cancelsOn: isCanceled ? running.endsOn : null,
    };
    const statusToday = expire(state, today).status;
    const allowed = allowedMoves(state, today);
    for (const move of subscriptionMoves) {
      const outcome = applyMove[move]?.(state, today);
      if (outcome === undefined) continue;
      const isApplied = !isRefusal(outcome) && 'status' in outcome && outcome !== state;
      const to = transitions[statusToday][move];
      if (allowed.includes(move)) expect([move, isApplied && outcome.status]).toEqual([move, to]);
      else if (isApplied) expect([move, outcome.status]).toEqual([move, statusToday]);
      if (isRefusal(outcome) && move !== 'uncancel') expect(outcome.allowed).toEqual(allowed);
    }
    expect(allowed.includes('delete')).toBe(statusToday === 'inactive');
    expect(allowed.includes('change-package')).toBe(statusToday === 'active');
    expect(allowedMoves({ ...state, isResold: true }, today)).toEqual(
      allowed.filter((move) => move !== 'change-package'),
    );
  },
);
