import { daysUntil, formatDay, relativeDay } from '../../../kit/format/instants.ts';
import type { Row } from '../../../kit/noun/noun.ts';

interface Phase {
  readonly sentence: string;
  readonly from: string | null;
  readonly to: string | null;
  readonly percent: number;
  readonly color: string;
  /** What somebody has to know who expects it to go on. */
  readonly renewal?: string;
}

/** What of its life a subscription is in on the day of `nowMs`, and how much of it has passed, in percent. */
export function phaseOf(row: Row, nowMs: number): Phase {
  const [startsAt, endsAt, createdAt] = ['starts_at', 'ends_at', 'created_at'].map((name) => String(row[name]));
  const from = startsAt ?? '';
  const to = endsAt ?? '';
  const status = String(row['status']);
  const cancelsAt = typeof row['cancels_at'] === 'string' ? row['cancels_at'] : null;
  const trialEndsAt = typeof row['trial_ends_at'] === 'string' ? row['trial_ends_at'] : null;
  if (status === 'canceled' && cancelsAt !== null) {
    const isOver =
      daysUntil(cancelsAt, nowMs) < 0 || cancelsAt.slice(0, 10) === String(row['canceled_at']).slice(0, 10);
    const began = Date.parse(from) < Date.parse(cancelsAt) ? from : (createdAt ?? from);
    return {
      sentence: isOver ? 'Canceled' : `Canceled, usable until ${formatDay(cancelsAt)}`,
      from: began,
      to: cancelsAt,
      percent: isOver ? 100 : share(began, cancelsAt, nowMs),
      color: 'orange',
    };
  }
  if (status !== 'active') {
    return { sentence: stopped[status] ?? 'Not usable', from, to, percent: 100, color: 'gray' };
  }
  if (trialEndsAt !== null && daysUntil(trialEndsAt, nowMs) >= 0) {
    return {
      sentence: `On trial, which ends ${relativeDay(trialEndsAt, nowMs)}`,
      from: createdAt ?? from,
      to: trialEndsAt,
      percent: share(createdAt ?? from, trialEndsAt, nowMs),
      color: 'blue',
      renewal: `It ends on ${formatDay(endOf(row))} unless it is renewed: it does not renew by itself.`,
    };
  }
  if (daysUntil(to, nowMs) < 0) {
    return { sentence: `Ended ${relativeDay(to, nowMs)}, in grace`, from, to, percent: 100, color: 'orange' };
  }
  return {
    sentence: `Ends on ${formatDay(to)}, ${relativeDay(to, nowMs)}, unless it is renewed`,
    from,
    to,
    percent: share(from, to, nowMs),
    color: 'pine',
    renewal: 'It does not renew by itself.',
  };
}

/** The day on which it ends unless renewed: with its cancellation, else with the period or the trial, whichever is later. */
export function endOf(row: Row): string {
  const [cancelsAt, endsAt, trialEndsAt] = [row['cancels_at'], row['ends_at'], row['trial_ends_at']];
  if (row['status'] === 'canceled' && typeof cancelsAt === 'string') return cancelsAt;
  const end = String(endsAt);
  return typeof trialEndsAt === 'string' && trialEndsAt > end ? trialEndsAt : end;
}

const stopped: Readonly<Record<string, string>> = {
  inactive: 'Switched off',
  suspended: 'Suspended until it is renewed',
  terminated: 'Terminated',
};

function share(from: string, to: string, nowMs: number): number {
  const length = Date.parse(to) - Date.parse(from);
  if (!(length > 0)) return 100;
  return Math.round(Math.min(1, Math.max(0, (nowMs - Date.parse(from)) / length)) * 100);
}
