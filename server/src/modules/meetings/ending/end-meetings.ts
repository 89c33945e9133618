import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { endInTime } from '../minutes/end-in-time.ts';
import { byProvider, endAndRecord, endOnProvider } from './end-on-provider.ts';
import {
  listLostOnReachable,
  lostMeetings,
  meetingsOfDeletedRooms,
  removeUnconfirmedEnds,
} from '../sync/lost-store.ts';
import { endMeeting } from '../observe-meeting.ts';
import { type OverstayingMeeting, overstayingMeetings } from './overstaying-store.ts';
import { lockMeeting, openingMs, removeFailedOpenings } from '../store.ts';

/** How long the request to end the meeting of a deleted room is repeated. */
const deletedRoomMs = 300_000;

/** After this long without an answer from a provider, its meetings count as lost. */
const lostMs = 600_000;
/** A provider that responds again within this time is asked to end its lost meetings. */
const lostAndBackMs = 86_400_000;
const backMs = 900_000;

/**
 * Ends the meetings whose subscription, account or customer has been out of use for longer than the setting
 * `suspension_meeting_grace_minutes`, those whose minutes are used up, and on the provider also those of deleted rooms.
 * Providers are handled in parallel; one that does not respond is requested again by the next run. Meetings whose
 * provider does not respond for ten minutes count as lost, so that their rooms can open elsewhere. @returns how many
 * were ended
 */
export async function endMeetings(dependencies: Dependencies): Promise<number> {
  const { db } = dependencies;
  const lost = await giveUpLost(dependencies);
  await removeUnconfirmedEnds(db, instantBefore(dependencies, lostAndBackMs));
  const overstaying = await overstayingMeetings(db, endOfGrace(dependencies));
  const notFound = [
    ...(await meetingsOfDeletedRooms(db, instantBefore(dependencies, deletedRoomMs))),
    ...(await listLostOnReachable(db, {
      lostSince: instantBefore(dependencies, lostAndBackMs),
      backSince: instantBefore(dependencies, backMs),
    })),
  ];
  const groups = await Promise.allSettled([
    endInTime(dependencies),
    ...byProvider(overstaying).map(([id, meetings]) =>
      endOnProvider(dependencies, id, meetings, (meeting, end) => endOverstaying(dependencies, meeting, end)),
    ),
    ...byProvider(notFound).map(([id, meetings]) =>
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

async function giveUpLost(dependencies: Dependencies): Promise<number> {
  const lost = await lostMeetings(dependencies.db, instantBefore(dependencies, lostMs));
  for (const { id, seen_at: seenAt } of lost) {
    await inTransaction(dependencies, system, async (change) => {
      const row = await lockMeeting(change.tx, id);
      if (row?.state === 'open') await endMeeting(change, row, 'provider-lost', seenAt ?? change.now);
    });
  }
  return lost.length;
}

/** A failed opening was not a meeting, so it has no event. */
export async function giveUpOpenings(dependencies: Dependencies): Promise<void> {
  await removeFailedOpenings(dependencies.db, instantBefore(dependencies, openingMs), dependencies.clock.now());
}

/** Checked once more at the last moment, since a renewal may have come first. */
async function endOverstaying(
  dependencies: Dependencies,
  { id }: OverstayingMeeting,
  end: () => Promise<void>,
): Promise<boolean> {
  const [meeting] = await overstayingMeetings(dependencies.db, endOfGrace(dependencies), id);
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
