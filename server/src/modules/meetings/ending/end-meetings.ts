import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { endInTime } from '../minutes/end-in-time.ts';
import { groupByProvider, endAndRecord, endOnProvider } from './end-on-provider.ts';
import {
  listLostOnRecovered,
  findLostMeetings,
  listOfDeletedRooms,
  removeUnconfirmedEnds,
} from '../sync/lost-store.ts';
import { endMeeting } from '../observe-meeting.ts';
import { type OverstayingMeeting, findOverstayingMeetings } from './overstaying-store.ts';
import { lockMeeting, failedOpeningMs, removeFailedOpenings } from '../store.ts';

/** How long the request to end the meeting of a deleted room is repeated. */
const deletedRoomRetryMs = 300_000;

/** After this long without an answer from a provider, its meetings count as lost. */
const lostAfterMs = 600_000;
/** A provider that responds again within this time is asked to end its lost meetings. */
const lostRetryMs = 86_400_000;
/** How long the request to end lost meetings is repeated after the provider has responded again. */
const recoveredRetryMs = 900_000;

/**
 * Ends the meetings whose subscription, account or customer has been out of use for longer than the setting
 * `suspension_meeting_grace_minutes`, those whose minutes are used up, and on the provider also those of deleted rooms.
 * Providers are handled in parallel; if one does not respond, the next run tries again. Meetings whose provider has not
 * responded for ten minutes count as lost, so that their rooms can open on another provider.
 * @returns how many meetings were ended
 */
export async function endMeetings(dependencies: Dependencies): Promise<number> {
  const { db } = dependencies;
  const lost = await endLostMeetings(dependencies);
  await removeUnconfirmedEnds(db, instantBefore(dependencies, lostRetryMs));
  const overstaying = await findOverstayingMeetings(db, endOfGrace(dependencies));
  const unconfirmed = [
    ...(await listOfDeletedRooms(db, instantBefore(dependencies, deletedRoomRetryMs))),
    ...(await listLostOnRecovered(db, {
      lostSince: instantBefore(dependencies, lostRetryMs),
      recoveredSince: instantBefore(dependencies, recoveredRetryMs),
    })),
  ];
  const groups = await Promise.allSettled([
    endInTime(dependencies),
    ...groupByProvider(overstaying).map(([id, meetings]) =>
      endOnProvider(dependencies, id, meetings, (meeting, end) => endOverstaying(dependencies, meeting, end)),
    ),
    ...groupByProvider(unconfirmed).map(([id, meetings]) =>
      endOnProvider(dependencies, id, meetings, async (_meeting, end) => {
        await end();
        return false;
      }),
    ),
  ]);
  const failed = groups.find((group) => group.status === 'rejected');
  if (failed) throw failed.reason;
  return groups.reduce((sum, group) => sum + (group.status === 'fulfilled' ? group.value : 0), lost);
}

async function endLostMeetings(dependencies: Dependencies): Promise<number> {
  const lost = await findLostMeetings(dependencies.db, instantBefore(dependencies, lostAfterMs));
  for (const { id, seen_at: seenAt } of lost) {
    await inTransaction(dependencies, system, async (change) => {
      const row = await lockMeeting(change.tx, id);
      if (row?.state === 'open') await endMeeting(change, row, 'provider-lost', seenAt ?? change.now);
    });
  }
  return lost.length;
}

/** Removes the rows of failed openings. There is no event, since there was no meeting. */
export async function removeOldOpenings(dependencies: Dependencies): Promise<void> {
  await removeFailedOpenings(dependencies.db, instantBefore(dependencies, failedOpeningMs), dependencies.clock.now());
}

/** Checks again right before the end, since the subscription may have been renewed in the meantime. */
async function endOverstaying(
  dependencies: Dependencies,
  { id }: OverstayingMeeting,
  end: () => Promise<void>,
): Promise<boolean> {
  const [meeting] = await findOverstayingMeetings(dependencies.db, endOfGrace(dependencies), id);
  if (!meeting) return false;
  return await endAndRecord(dependencies, id, meeting.reason, end);
}

function endOfGrace(dependencies: Dependencies) {
  const graceMs = dependencies.settings().suspension_meeting_grace_minutes * 60_000;
  return { before: instantBefore(dependencies, graceMs), now: dependencies.clock.now() };
}

function instantBefore({ clock }: Dependencies, ms: number): string {
  return instantOfMicroseconds((clock.nowMs() - ms) * 1000);
}
