import type { Jobs } from '../../module.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dependencies } from '../../dependencies.ts';
import { addInterval, calendarDateAt, latest } from '../../platform/time/calendar-date.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { RolledDay } from './coverage.ts';
import { periodsOf, startOfDay } from './periods.ts';
import { findDaysToRoll, prepareRollUp, rollDay, listOpenWriters } from './rolled-days-store.ts';

/** Reports cover at most this many years. */
const maxYears = 20;
const writersTimeoutMs = 20_000;

/**
 * Stores the totals of past days that are missing or stale, the latest first. Only one process does this at a time.
 * @returns the number of days stored.
 */
async function rollUpUsage({ db, clock, settings }: Dependencies): Promise<number> {
  const timeZone = settings().system_timezone;
  const today = clock.today(timeZone);
  const reachesAt = startOfDay(today, timeZone);
  const beginsAt = await prepareRollUp(db, { timeZone, reachesAt });
  if (beginsAt === null || beginsAt >= reachesAt) return 0;
  // Writers that start from now on see `reaches_at` and record the spans that they change before it.
  if (!(await waitForOpenWriters(() => listOpenWriters(db)))) return 0;
  const from = latest(
    calendarDateAt(epochMs(beginsAt), timeZone),
    addInterval(today, { count: -maxYears, unit: 'year' }),
  );
  const yesterday = addInterval(today, { count: -1, unit: 'day' });
  const days: readonly RolledDay[] = periodsOf(from, yesterday, 'day', timeZone);
  let rolledCount = 0;
  for (const day of await findDaysToRoll(db, days)) {
    if (!(await rollDay(db, day, clock.now()))) break;
    rolledCount += 1;
  }
  return rolledCount;
}

/** Waits until the writers that are open now have finished, but not for later ones. @returns false after the timeout. */
async function waitForOpenWriters(listOpen: () => Promise<readonly string[]>): Promise<boolean> {
  let remaining = await listOpen();
  for (const until = performance.now() + writersTimeoutMs; remaining.length > 0;) {
    if (performance.now() > until) return false;
    await wait(50);
    const open = new Set(await listOpen());
    remaining = remaining.filter((writer) => open.has(writer));
  }
  return true;
}

export const reportJobs: Jobs = {
  'roll-up-usage': {
    description: 'Computes the daily usage totals of reports, for past days that are new or have changed.',
    schedule: '* * * * *',
    counted: 'days computed',
    run: rollUpUsage,
  },
};
