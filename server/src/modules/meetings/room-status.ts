import type { Dependencies } from '../../dependencies.ts';
import { printIdentifier, type Uuid } from '../../platform/identifier.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import type { MeetingState } from '../../providers/meeting-provider.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { requireRoom } from '../rooms/index.ts';
import { meetingProvider, providersFor } from '../service-providers/index.ts';
import { currentMeeting, findProvider, guestEntries, type SubscriptionProviderRow } from './store.ts';

/**
 * The room as its provider sees it at this moment: where its meeting is, or where one would be opened.
 * A provider that does not answer makes the state `unknown`, not an error. @throws 404
 */
export async function readRoomStatus(dependencies: Dependencies, roomId: Uuid): Promise<Record<string, unknown>> {
  const room = await requireRoom(dependencies.db, roomId);
  const meeting = await currentMeeting(dependencies.db, roomId);
  const provider = meeting?.service_provider_id
    ? await findProvider(dependencies.db, meeting.service_provider_id)
    : (await providersFor(dependencies.db, room.subscription_id, dependencies.clock.now()))[0];
  if (!provider) return { ...print(roomId, null), ...printState('inactive', absent) };
  try {
    const adapter = await meetingProvider(dependencies, provider);
    const state = await adapter.state(roomId);
    const guests = meeting ? await guestEntries(dependencies.db, meeting.id) : new Set<string>();
    const counts = { ...state, guestCount: state.attendees.filter(({ userId }) => guests.has(userId)).length };
    return { ...print(roomId, provider), ...printState(state.running ? 'active' : 'inactive', counts) };
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: provider.id, kind: error.kind }, 'provider gave no room status');
    return { ...print(roomId, provider), ...printState('unknown', null) };
  }
}

type Counts = Pick<
  MeetingState,
  | 'running'
  | 'participantCount'
  | 'moderatorCount'
  | 'listenerCount'
  | 'voiceParticipantCount'
  | 'videoCount'
  | 'recording'
  | 'startedAtMs'
> & { guestCount: number };

const absent: Counts = {
  running: false,
  participantCount: 0,
  moderatorCount: 0,
  guestCount: 0,
  listenerCount: 0,
  voiceParticipantCount: 0,
  videoCount: 0,
  recording: false,
  startedAtMs: null,
};

function print(roomId: Uuid, provider: SubscriptionProviderRow | null) {
  return {
    object: 'RoomStatus',
    room_id: printIdentifier('room', roomId),
    provider: provider && {
      id: printIdentifier('prov', provider.id),
      name: provider.provider_name,
      type: provider.provider_type,
    },
  };
}

function printState(status: 'active' | 'inactive' | 'unknown', counts: Counts | null) {
  return {
    status,
    running: counts?.running ?? null,
    participant_count: counts?.participantCount ?? null,
    moderator_count: counts?.moderatorCount ?? null,
    guest_count: counts?.guestCount ?? null,
    listener_count: counts?.listenerCount ?? null,
    voice_participant_count: counts?.voiceParticipantCount ?? null,
    video_count: counts?.videoCount ?? null,
    recording: counts?.recording ?? null,
    started_at: counts?.startedAtMs ? instantOfMicroseconds(counts.startedAtMs * 1000) : null,
  };
}
