import { daysUntil, formatDay, relativeDay } from '../../../kit/format/instants.ts';
import type { SubscriptionRow } from '../nouns/rows.ts';

type Period = Pick<
  SubscriptionRow,
  'status' | 'created_at' | 'starts_at' | 'ends_at' | 'trial_ends_at' | 'cancels_at' | 'canceled_at' | 'auto_renew'
>;

interface Phase {
  readonly sentence: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly percent: number;
  readonly color: string;
  /** A sentence that says whether the subscription renews automatically. */
  readonly renewal?: string;
}

/** The phase of a subscription on the day of `nowMs`, and how much of it has passed, in percent. */
export function phaseOf(row: Period, nowMs: number): Phase {
  const {
    starts_at: from,
    ends_at: to,
    created_at: createdAt,
    cancels_at: cancelsAt,
    trial_ends_at: trialEndsAt,
  } = row;
  if (row.status === 'canceled' && cancelsAt !== null) {
    const isOver = daysUntil(cancelsAt, nowMs) < 0 || cancelsAt.slice(0, 10) === row.canceled_at?.slice(0, 10);
    const startsAt = Date.parse(from) < Date.parse(cancelsAt) ? from : createdAt;
    return {
      sentence: isOver ? 'Canceled' : `Canceled, usable until ${formatDay(cancelsAt)}`,
      from: startsAt,
      to: cancelsAt,
      percent: isOver ? 100 : percentPassed(startsAt, cancelsAt, nowMs),
      color: 'orange',
    };
  }
  if (row.status !== 'active') {
    return { sentence: stoppedTexts[row.status] ?? 'Not usable', from, to, percent: 100, color: 'gray' };
  }
  if (trialEndsAt !== null && daysUntil(trialEndsAt, nowMs) >= 0) {
    return {
      sentence: `On trial, ends ${relativeDay(trialEndsAt, nowMs)}`,
      from: createdAt,
      to: trialEndsAt,
      percent: percentPassed(createdAt, trialEndsAt, nowMs),
      color: 'blue',
      renewal: row.auto_renew
        ? `It renews automatically after ${formatDay(endOf(row))}.`
        : `It ends on ${formatDay(endOf(row))} unless you renew it.`,
    };
  }
  if (row.auto_renew) {
    return {
      sentence: `Renews automatically after ${formatDay(to)}, ${relativeDay(to, nowMs)}`,
      from,
      to,
      percent: percentPassed(from, to, nowMs),
      color: 'pine',
    };
  }
  if (daysUntil(to, nowMs) < 0) {
    return { sentence: `Ended ${relativeDay(to, nowMs)}, in grace`, from, to, percent: 100, color: 'orange' };
  }
  return {
    sentence: `Ends on ${formatDay(to)}, ${relativeDay(to, nowMs)}, unless it is renewed`,
    from,
    to,
    percent: percentPassed(from, to, nowMs),
    color: 'pine',
    renewal: 'It does not renew automatically.',
  };
}

/** The day on which an unrenewed subscription ends: by cancellation, else the later end of period and trial. */
export function endOf(row: Period): string {
  const { cancels_at: cancelsAt, ends_at: end, trial_ends_at: trialEndsAt } = row;
  if (row.status === 'canceled' && cancelsAt !== null) return cancelsAt;
  return trialEndsAt !== null && trialEndsAt > end ? trialEndsAt : end;
}

const stoppedTexts: Readonly<Record<string, string>> = {
  inactive: 'Switched off',
  suspended: 'Suspended until it is renewed',
  terminated: 'Terminated',
};

function percentPassed(from: string, to: string, nowMs: number): number {
  const length = Date.parse(to) - Date.parse(from);
  if (!(length > 0)) return 100;
  return Math.round(Math.min(1, Math.max(0, (nowMs - Date.parse(from)) / length)) * 100);
}
