import type { Dependencies } from '../../dependencies.ts';
import { change, system } from '../../events/change.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { meetingProvider } from '../service-providers/index.ts';
import { lostAndBack, lostMeetings } from './lost-store.ts';
import { usedUpMeetings } from './minute-limits.ts';
import type { LimitedMeeting } from './minute-store.ts';
import { endAsAsked, endMeeting } from './observe-meeting.ts';
import { meetingsOfDeletedRooms, type OverstayingMeeting, overstayingMeetings } from './overstaying-store.ts';
import { abandonedOpenings, findProvider, lockMeeting, openingMs, type SubscriptionProviderRow } from './store.ts';

/** How long the provider is asked again to end the meeting of a room that is gone. */
const deletedRoomMs = 300_000;

/** How long a provider may say nothing before its meetings are given up for lost. */
const lostMs = 600_000;
/** How long after that a provider that comes back is asked to end them. */
const lostAndBackMs = 86_400_000;
const backMs = 900_000;

/** How many meetings of one provider are ended at the same time. */
const endingAtOnce = 8;

/**
 * Ends the meetings whose subscription, account or customer has been out of use for longer than the setting
 * `suspension_meeting_grace_minutes`, those whose minutes are used up, and on the provider also those of deleted rooms.
 * Providers do not wait for each other; one that does not answer is asked again by the next run. Meetings whose provider
 * says nothing for ten minutes are given up, so that their rooms open elsewhere. @returns how many were ended.
 */
export async function endMeetings(dependencies: Dependencies): Promise<number> {
  const { db } = dependencies;
  const lost = await giveUpLost(dependencies);
  const overstaying = await overstayingMeetings(db, endOfGrace(dependencies));
  const usedUp = await usedUpMeetings(dependencies);
  const gone = [
    ...(await meetingsOfDeletedRooms(db, before(dependencies, deletedRoomMs))),
    ...(await lostAndBack(db, {
      lostSince: before(dependencies, lostAndBackMs),
      backSince: before(dependencies, backMs),
    })),
  ];
  const groups = await Promise.allSettled([
    ...byProvider(overstaying).map(([id, meetings]) =>
      endOnProvider(dependencies, id, meetings, (meeting, end) => endOverstaying(dependencies, meeting, end)),
    ),
    ...byProvider(usedUp).map(([id, meetings]) =>
      endOnProvider(dependencies, id, meetings, (meeting, end) => endUsedUp(dependencies, meeting, end)),
    ),
    ...byProvider(gone).map(([id, meetings]) =>
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
  const lost = await lostMeetings(dependencies.db, before(dependencies, lostMs));
  for (const { id, seen_at: seenAt } of lost) {
    await change(dependencies, system, async (under) => {
      const row = await lockMeeting(under.tx, id);
      if (row?.state === 'open') await endMeeting(under, row, 'provider-lost', seenAt ?? under.now);
    });
  }
  return lost.length;
}

/** Meetings that were never opened, though their opening was begun: whoever opened them is gone. */
export async function giveUpOpenings(dependencies: Dependencies): Promise<void> {
  for (const { id } of await abandonedOpenings(dependencies.db, before(dependencies, openingMs))) {
    await change(dependencies, system, async (under) => {
      const row = await lockMeeting(under.tx, id);
      if (row?.state === 'opening') await endMeeting(under, row, 'never-opened');
    });
  }
}

/** Asked once more, at the last moment, whether it still has to end: a renewal may have come first. */
async function endOverstaying(
  dependencies: Dependencies,
  { id }: OverstayingMeeting,
  end: () => Promise<void>,
): Promise<boolean> {
  const [meeting] = await overstayingMeetings(dependencies.db, endOfGrace(dependencies), id);
  if (!meeting) return false;
  return await endAndRecord(dependencies, id, meeting.reason, end);
}

/** Minutes may have been added at the last moment. */
async function endUsedUp(
  dependencies: Dependencies,
  { id }: LimitedMeeting,
  end: () => Promise<void>,
): Promise<boolean> {
  if ((await usedUpMeetings(dependencies, id)).length === 0) return false;
  return await endAndRecord(dependencies, id, 'participant-minutes-used-up', end);
}

async function endAndRecord(
  dependencies: Dependencies,
  id: Uuid,
  reason: string,
  end: () => Promise<void>,
): Promise<boolean> {
  const askedAt = dependencies.clock.now();
  await end();
  return await change(dependencies, system, async (under) => (await endAsAsked(under, id, reason, askedAt)) !== null);
}

interface MeetingOnProvider {
  readonly service_provider_id: Uuid | null;
  readonly provider_meeting_id: string;
}

/** @returns how many `act` says were ended. */
async function endOnProvider<Meeting extends MeetingOnProvider>(
  dependencies: Dependencies,
  providerId: Uuid | null,
  meetings: readonly Meeting[],
  act: (meeting: Meeting, end: () => Promise<void>) => Promise<boolean>,
): Promise<number> {
  const provider = providerId === null ? undefined : await findProvider(dependencies.db, providerId);
  let ended = 0;
  try {
    for (let index = 0; index < meetings.length; index += endingAtOnce) {
      const some = meetings.slice(index, index + endingAtOnce);
      const outcomes = await Promise.allSettled(
        some.map((meeting) => act(meeting, () => askToEnd(dependencies, provider, meeting.provider_meeting_id))),
      );
      ended += outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: providerId, kind: error.kind }, 'provider ended no meeting');
  }
  return ended;
}

/** Of a provider that is gone nothing can be asked: its meetings are over. */
async function askToEnd(
  dependencies: Dependencies,
  provider: SubscriptionProviderRow | undefined,
  meetingId: string,
): Promise<void> {
  if (provider) await (await meetingProvider(dependencies, provider)).end(meetingId);
}

function byProvider<Meeting extends MeetingOnProvider>(
  meetings: readonly Meeting[],
): (readonly [Uuid | null, readonly Meeting[]])[] {
  const groups = new Map<Uuid | null, Meeting[]>();
  for (const meeting of meetings) {
    const group = groups.get(meeting.service_provider_id);
    if (group) group.push(meeting);
    else groups.set(meeting.service_provider_id, [meeting]);
  }
  return [...groups];
}

function endOfGrace(dependencies: Dependencies): string {
  return before(dependencies, dependencies.settings().suspension_meeting_grace_minutes * 60_000);
}

function before({ clock }: Dependencies, ms: number): string {
  return instantOfMicroseconds((clock.nowMs() - ms) * 1000);
}
