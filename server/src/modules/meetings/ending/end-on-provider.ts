import { groupBy } from '../../../platform/group-by.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { meetingProvider, findServiceProvider, type ChosenProvider } from '../../service-providers/index.ts';
import { endAfterRequest } from '../observe-meeting.ts';
import type { MeetingOnProvider } from '../sync/lost-store.ts';

/** How many meetings of one provider are ended at the same time. */
const maxConcurrentEndings = 8;

/** @returns whether the meeting ended because of this call */
export async function endAndRecord(
  dependencies: Dependencies,
  id: Uuid,
  reason: string,
  end: () => Promise<void>,
): Promise<boolean> {
  const requestedAt = dependencies.clock.now();
  await end();
  return await inTransaction(
    dependencies,
    system,
    async (change) => (await endAfterRequest(change, id, reason, requestedAt)) !== null,
  );
}

/** @returns the sum of the results of `act` */
export async function endOnProvider<Meeting extends MeetingOnProvider>(
  dependencies: Dependencies,
  providerId: Uuid | null,
  meetings: readonly Meeting[],
  act: (meeting: Meeting, end: () => Promise<void>) => Promise<boolean>,
): Promise<number> {
  const provider = providerId === null ? undefined : await findServiceProvider(dependencies.db, providerId);
  let endedCount = 0;
  try {
    for (let index = 0; index < meetings.length; index += maxConcurrentEndings) {
      const batch = meetings.slice(index, index + maxConcurrentEndings);
      const outcomes = await Promise.allSettled(
        batch.map((meeting) => act(meeting, () => endMeetingOn(dependencies, provider, meeting.provider_meeting_id))),
      );
      endedCount += outcomes.filter((outcome) => outcome.status === 'fulfilled' && outcome.value).length;
      const failed = outcomes.find((outcome) => outcome.status === 'rejected');
      if (failed) throw failed.reason;
    }
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: providerId, kind: error.kind }, 'provider did not end the meeting');
  }
  return endedCount;
}

/** Does nothing if the provider was deleted, because its meetings are over. */
async function endMeetingOn(
  dependencies: Dependencies,
  provider: ChosenProvider | undefined,
  meetingId: string,
): Promise<void> {
  if (provider) await (await meetingProvider(dependencies, provider)).end(meetingId);
}

export function groupByProvider<Meeting extends MeetingOnProvider>(
  meetings: readonly Meeting[],
): (readonly [Uuid | null, readonly Meeting[]])[] {
  return [...groupBy(meetings, (meeting) => meeting.service_provider_id)];
}
