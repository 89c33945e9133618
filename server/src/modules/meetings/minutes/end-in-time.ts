import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findServiceProvider, meetingProvider } from '../../service-providers/index.ts';
import { reconcileMeetings } from '../sync/reconcile-meetings.ts';
import { groupByProvider, endAndRecord, endOnProvider } from '../ending/end-on-provider.ts';
import { reconcileOptions, observationOf } from '../observe-meeting.ts';
import { lastPolledAt } from '../sync/poll-store.ts';
import { claimEnds, type EndingMeeting, findEndingMeetings, releaseEnds } from './shared-minutes.ts';
import { lockMeetings } from '../store.ts';

/** Meetings are ended this long before the first minute that is not available, since reading and ending take time. */
const leadMs = 2000;
/** The lease of one process on a meeting. After that, any process tries again if the provider did not respond. */
const claimSeconds = 10;
/** A meeting is not checked again earlier than this. */
const pauseSeconds = 1;
const maxConcurrentChecks = 8;

/** Ends the meetings whose minutes are used up, or will be within `leadMs`. @returns how many it ended */
export async function endInTime(dependencies: Dependencies): Promise<number> {
  const handledIds = new Set<Uuid>();
  let ended = 0;
  for (;;) {
    const due = (await findDueMeetings(dependencies)).due.filter(({ id }) => !handledIds.has(id));
    if (due.length === 0) return ended;
    for (const { id } of due) handledIds.add(id);
    const groups = await Promise.allSettled(
      groupByProvider(due).map(([id, meetings]) => endDueMeetings(dependencies, id, meetings)),
    );
    const failed = groups.find((group) => group.status === 'rejected');
    if (failed) throw failed.reason;
    ended += groups.reduce((sum, group) => sum + (group.status === 'fulfilled' ? group.value : 0), 0);
  }
}

export interface DueMeetings {
  readonly due: readonly EndingMeeting[];
  /** When the next meetings are due, in milliseconds since 1970; `Infinity` if there are none. */
  readonly nextMs: number;
}

/** The meetings that have to be checked or ended now. */
export async function findDueMeetings(dependencies: Dependencies): Promise<DueMeetings> {
  const all = await readEndingMeetings(dependencies);
  const nowMs = dependencies.clock.nowMs();
  const dueMs = ({ checkMs, claimedMs }: EndingMeeting) => Math.max(checkMs - leadMs, claimedMs);
  return {
    due: all.filter((meeting) => dueMs(meeting) <= nowMs),
    nextMs: Math.min(...all.map(dueMs).filter((ms) => ms > nowMs)),
  };
}

/**
 * Checks due meetings of one provider, and ends those that must end with their current participants. Leases ensure that
 * only one process handles a meeting.
 * @returns how many it ended
 */
export async function endDueMeetings(
  dependencies: Dependencies,
  providerId: Uuid | null,
  meetings: readonly EndingMeeting[],
): Promise<number> {
  const { db, clock } = dependencies;
  const ids = idsOf(meetings);
  const claimed = await claimEnds(db, ids, { now: clock.now(), until: clock.after(claimSeconds) });
  const leased = meetings.filter(({ id }) => claimed.has(id));
  if (leased.length === 0) return 0;
  const unanswered = await observeMeetings(dependencies, providerId, leased);
  const recounted = await readEndingMeetings(dependencies);
  const overdue = recounted.filter(({ id, endMs }) => claimed.has(id) && endMs - leadMs <= clock.nowMs());
  const ended = new Set<Uuid>();
  await endOnProvider(dependencies, providerId, overdue, async (meeting, end) => {
    const isEnded = await endAndRecord(dependencies, meeting.id, 'participant-minutes-used-up', end);
    ended.add(meeting.id);
    return isEnded;
  });
  for (const { id, excessMinutes } of overdue) {
    if (excessMinutes > 0)
      dependencies.logger.warn(
        { meeting: id, beyond: excessMinutes, ended: ended.has(id) },
        'more minutes are used than were left',
      );
  }
  const continuing = new Set([...unanswered, ...overdue.map(({ id }) => id).filter((id) => !ended.has(id))]);
  const checked = idsOf(leased).filter((id) => !continuing.has(id));
  await releaseEnds(db, checked, clock.after(pauseSeconds));
  return ended.size;
}

async function readEndingMeetings({ db, clock, settings }: Dependencies): Promise<EndingMeeting[]> {
  const today = clock.today(settings().system_timezone);
  return await findEndingMeetings(db, { now: clock.now(), today, nowMs: clock.nowMs() });
}

/**
 * Reads and stores the current participants of the meetings.
 * @returns the ids of meetings for which the provider did not respond
 */
async function observeMeetings(
  dependencies: Dependencies,
  providerId: Uuid | null,
  meetings: readonly EndingMeeting[],
): Promise<Uuid[]> {
  const provider = providerId === null ? undefined : await findServiceProvider(dependencies.db, providerId);
  if (!provider) return [];
  const unanswered: Uuid[] = [];
  for (let index = 0; index < meetings.length && unanswered.length === 0; index += maxConcurrentChecks) {
    const batch = meetings.slice(index, index + maxConcurrentChecks);
    await Promise.all(
      batch.map(async (meeting) => {
        try {
          const at = dependencies.clock.now();
          const adapter = await meetingProvider(dependencies, provider);
          const state = await adapter.state(meeting.provider_meeting_id);
          await inTransaction(dependencies, system, async (change) => {
            const [row] = await lockMeetings(change.tx, [meeting.id]);
            if (row?.state !== 'open') return;
            const previousPollAt = await lastPolledAt(change.tx, row.service_provider_id);
            const observation = observationOf(row, { state, at, previousPollAt }, change.now);
            if (observation) await reconcileMeetings(change, [observation], reconcileOptions(dependencies));
          });
        } catch (error) {
          if (!(error instanceof ProviderFailure)) throw error;
          unanswered.push(meeting.id);
        }
      }),
    );
  }
  return unanswered;
}
