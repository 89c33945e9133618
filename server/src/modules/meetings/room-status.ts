import type { Dependencies } from '../../dependencies.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { sharedWork } from '../../platform/shared-work.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';
import type { MeetingState } from '../../providers/meet.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { requireRoom, type RoomRow } from '../rooms/index.ts';
import { meetingProvider, providersFor, findServiceProvider, type ChosenProvider } from '../service-providers/index.ts';
import { currentMeeting, guestEntries } from './store.ts';

/** The maximum number of providers that are queried if no meeting is open. */
const maxProviders = 2;

const readOnce = sharedWork<Record<string, unknown>>();

/**
 * Reads the current status of the room from the provider of its meeting. If no meeting is open, the first providers that
 * a new meeting would use are queried. Providers that are down are queried only if all of them are down. If none
 * responds, the status is `unknown`. Concurrent calls share one reading.
 * @param isFresh the reading starts after this call
 * @throws 404
 */
export async function readRoomStatus(
  dependencies: Dependencies,
  roomId: Uuid,
  isFresh: boolean,
): Promise<Record<string, unknown>> {
  const room = await requireRoom(dependencies.db, roomId);
  return await readOnce(dependencies.providers, roomId, () => readStatus(dependencies, room), isFresh);
}

async function readStatus(
  dependencies: Dependencies,
  { id: roomId, subscription_id: subscriptionId }: Pick<RoomRow, 'id' | 'subscription_id'>,
): Promise<Record<string, unknown>> {
  const meeting = await currentMeeting(dependencies.db, roomId);
  const providers = await providersToQuery(dependencies, subscriptionId, meeting?.service_provider_id ?? null);
  // In parallel, so that the wait is one time-out, no matter how many of them hang.
  const answers = providers.map((provider) => ({ provider, response: stateOn(dependencies, provider, roomId) }));
  for (const { response } of answers) response.catch(() => undefined);
  for (const { provider, response } of answers) {
    const state = await response;
    if (!state) continue;
    const guests = meeting ? await guestEntries(dependencies.db, meeting.id) : new Set<string>();
    const counts = { ...state, guestCount: state.attendees.filter(({ userId }) => guests.has(userId)).length };
    return { ...print(roomId, provider), ...printState(state.running ? 'active' : 'inactive', counts) };
  }
  const [first] = providers;
  if (!first) return { ...print(roomId, null), ...printState('inactive', noMeeting) };
  return { ...print(roomId, first), ...printState('unknown', null) };
}

async function providersToQuery(
  { db, clock }: Dependencies,
  subscriptionId: Uuid,
  meetingProviderId: Uuid | null,
): Promise<ChosenProvider[]> {
  const current = meetingProviderId === null ? undefined : await findServiceProvider(db, meetingProviderId);
  if (current) return [current];
  const candidates = await providersFor(db, subscriptionId, clock.now());
  const notDown = candidates.filter(({ state }) => state !== 'down');
  return (notDown.length > 0 ? notDown : candidates).slice(0, maxProviders);
}

/** Null if the provider does not respond. */
async function stateOn(
  dependencies: Dependencies,
  provider: ChosenProvider,
  roomId: Uuid,
): Promise<MeetingState | null> {
  try {
    return await (await meetingProvider(dependencies, provider)).state(roomId);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    dependencies.logger.warn({ provider: provider.id, kind: error.kind }, 'provider did not return the room status');
    return null;
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

const noMeeting: Counts = {
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

function print(roomId: Uuid, provider: ChosenProvider | null) {
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
