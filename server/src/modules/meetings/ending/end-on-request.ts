import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { unavailable } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { findLostMeetings } from '../sync/lost-store.ts';
import { endAfterRequest, endMeeting } from '../observe-meeting.ts';
import { lockMeeting, type MeetingRow, requireMeeting } from '../store.ts';

/**
 * Ends the meeting for all participants, on its provider first. An ended meeting stays unchanged. If the provider was
 * already down, the meeting ends here at once, and on the provider once it responds again.
 * @throws 404; 503 `provider-unavailable` if the provider does not respond; then the meeting continues
 */
export async function endOnRequest(dependencies: Dependencies, actor: Actor, id: Uuid): Promise<MeetingRow> {
  const meeting = await requireMeeting(dependencies.db, id);
  if (meeting.state === 'ended') return meeting;
  const requestedAt = dependencies.clock.now();
  try {
    await requestEnd(dependencies, meeting);
  } catch (error) {
    const [lost] = await findLostMeetings(dependencies.db, requestedAt, id);
    if (!lost) throw error;
    return await inTransaction(dependencies, actor, async (change) => {
      const row = await lockMeeting(change.tx, id);
      if (row?.state !== 'open') return row ?? meeting;
      return await endMeeting(change, row, 'provider-lost', lost.seen_at ?? change.now);
    });
  }
  const ended = await inTransaction(dependencies, actor, (change) =>
    endAfterRequest(change, id, 'ended-by-request', requestedAt),
  );
  return ended ?? (await requireMeeting(dependencies.db, id));
}

/** Does nothing if there is no provider: it was deleted, or the meeting is still being opened. */
async function requestEnd(dependencies: Dependencies, meeting: MeetingRow): Promise<void> {
  try {
    const adapter = await findMeetingProvider(dependencies, meeting.service_provider_id);
    await adapter?.end(meeting.provider_meeting_id);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw unavailable(
      'provider-unavailable',
      'The meeting server did not end the meeting. Please try again in a moment.',
      { cause: error },
    );
  }
}
