import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { meetingProvider } from '../service-providers/index.ts';
import { giveUpOpenings } from './end-meetings.ts';
import { observeMeeting } from './observe-meeting.ts';
import { findProvider, type MeetingRow, openMeetingsByProvider } from './store.ts';

export { endMeetings } from './end-meetings.ts';

/** One request per provider that has meetings; a provider that does not answer is asked again by the next run. */
export async function syncMeetings(dependencies: Dependencies): Promise<number> {
  await giveUpOpenings(dependencies);
  const byProvider = await openMeetingsByProvider(dependencies.db);
  const observed = await Promise.all([...byProvider].map(([id, meetings]) => syncProvider(dependencies, id, meetings)));
  return observed.reduce((sum, count) => sum + count, 0);
}

async function syncProvider(dependencies: Dependencies, id: Uuid, meetings: readonly MeetingRow[]): Promise<number> {
  const provider = await findProvider(dependencies.db, id);
  if (!provider) return 0;
  try {
    const adapter = await meetingProvider(dependencies, provider);
    const states = new Map((await adapter.states()).map((state) => [state.meetingId, state]));
    for (const meeting of meetings) {
      // A list may leave a meeting out for a moment; that it is over is asked of the meeting itself.
      const state = states.get(meeting.provider_meeting_id) ?? (await adapter.state(meeting.provider_meeting_id));
      await observeMeeting(dependencies, meeting, state);
    }
    return meetings.length;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: id, kind: error.kind }, 'provider gave no meetings');
    return 0;
  }
}
