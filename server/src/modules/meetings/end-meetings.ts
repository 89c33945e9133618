import type { Dependencies } from '../../dependencies.ts';
import { change, system } from '../../events/change.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { meetingProvider } from '../service-providers/index.ts';
import { endMeeting } from './observe-meeting.ts';
import {
  abandonedOpenings,
  findProvider,
  lockMeeting,
  meetingsOfDeletedRooms,
  meetingsOfSuspended,
  openingMs,
} from './store.ts';

/** How long the provider is asked again to end the meeting of a room that is gone. */
const deletedRoomMs = 300_000;

/** Meetings that were never opened, though their opening was begun: whoever opened them is gone. */
export async function giveUpOpenings(dependencies: Dependencies): Promise<void> {
  for (const { id } of await abandonedOpenings(dependencies.db, before(dependencies, openingMs))) {
    await change(dependencies, system, async (under) => {
      const row = await lockMeeting(under.tx, id);
      if (row?.state === 'opening') await endMeeting(under, row, 'never-opened');
    });
  }
}

/** Ends the meetings that outstay the suspension of their subscription, and what is left of those of deleted rooms. */
export async function endOverstaying(dependencies: Dependencies): Promise<void> {
  const { db, settings } = dependencies;
  const graceMs = settings().suspension_meeting_grace_minutes * 60_000;
  for (const meeting of await meetingsOfSuspended(db, before(dependencies, graceMs))) {
    if (!(await endOnProvider(dependencies, meeting))) continue;
    await change(dependencies, system, async (under) => {
      const row = await lockMeeting(under.tx, meeting.id);
      if (row && row.state !== 'ended') await endMeeting(under, row, 'subscription-suspended');
    });
  }
  for (const meeting of await meetingsOfDeletedRooms(db, before(dependencies, deletedRoomMs))) {
    await endOnProvider(dependencies, meeting);
  }
}

/** @returns whether it is over there; a provider that does not answer is asked again by the next run. */
async function endOnProvider(
  dependencies: Dependencies,
  meeting: { service_provider_id: Uuid | null; provider_meeting_id: string },
): Promise<boolean> {
  const provider = meeting.service_provider_id && (await findProvider(dependencies.db, meeting.service_provider_id));
  if (!provider) return true;
  try {
    await (await meetingProvider(dependencies, provider)).end(meeting.provider_meeting_id);
    return true;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: provider.id, kind: error.kind }, 'provider ended no meeting');
    return false;
  }
}

function before({ clock }: Dependencies, ms: number): string {
  return instantOfMicroseconds((clock.nowMs() - ms) * 1000);
}
