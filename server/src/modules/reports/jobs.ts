import type { Jobs } from '../../module.ts';
import { setTimeout as wait } from 'node:timers/promises';
import type { Dependencies } from '../../dependencies.ts';
import { addInterval, calendarDateAt, latest } from '../../platform/time/calendar-date.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { RolledDay } from './coverage.ts';
import { periodsOf, startOfDay } from './periods.ts';
import { findDaysToRoll, prepareRollUp, rollDay, listOpenWriters } from './rolled-days-store.ts';

/** Reports look back no further. */
const maxYears = 20;
const writersTimeoutMs = 20_000;

/**
 * Adds up what was used on the days that are over, however many there are since the last time, the latest first. One
 * process does it at a time. @returns how many days were added up.
 */
async function rollUpUsage({ db, clock, settings }: Dependencies): Promise<number> {
  const timeZone = settings().system_timezone;
  const today = clock.today(timeZone);
  const reachesAt = startOfDay(today, timeZone);
  const beginsAt = await prepareRollUp(db, { timeZone, reachesAt });
  if (beginsAt === null || beginsAt >= reachesAt) return 0;
  // Whoever writes from now on sees how far the roll-up reaches, and tells what it changes behind that.
  if (!(await waitForCurrent(() => listOpenWriters(db)))) return 0;
  const from = latest(
    calendarDateAt(epochMs(beginsAt), timeZone),
    addInterval(today, { count: -maxYears, unit: 'year' }),
  );
  const yesterday = addInterval(today, { count: -1, unit: 'day' });
  const days: readonly RolledDay[] = periodsOf(from, yesterday, 'day', timeZone);
  let rolled = 0;
  for (const day of await findDaysToRoll(db, days)) {
    if (!(await rollDay(db, day, clock.now()))) break;
    rolled += 1;
  }
  return rolled;
}

/** Waits for those that are under way now, not for those that come. */
async function waitForCurrent(underWay: () => Promise<readonly string[]>): Promise<boolean> {
  let awaited = await underWay();
  for (const until = performance.now() + writersTimeoutMs; awaited.length > 0;) {
    if (performance.now() > until) return false;
    await wait(50);
    const present = new Set(await underWay());
    awaited = awaited.filter((writer) => present.has(writer));
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
