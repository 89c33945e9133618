import type { Dependencies } from '../../dependencies.ts';
import { sharedWork } from '../../platform/shared-work.ts';
import { epochMs, type Instant, printInstant } from '../../platform/time/instant.ts';
import type { MeetingProvider, MeetingState } from '../../providers/meet.ts';
import { meetingProvider } from '../service-providers/index.ts';
import type { CurrentMeeting } from '../room-access/index.ts';

export interface ObservedMeeting {
  readonly adapter: MeetingProvider;
  readonly state: MeetingState;
  /** When the request was sent. */
  readonly at: Instant;
}

const readOnce = sharedWork<ObservedMeeting>();

/**
 * Reads the meeting from the provider. Concurrent joins share one request per meeting and process.
 * @throws ProviderFailure
 */
export async function fetchMeeting(
  dependencies: Dependencies,
  meeting: CurrentMeeting,
  provider: NonNullable<CurrentMeeting['provider']>,
): Promise<ObservedMeeting> {
  return await readOnce(dependencies.providers, meeting.id, () => readFromProvider(dependencies, meeting, provider));
}

async function readFromProvider(
  dependencies: Dependencies,
  { provider_meeting_id: name }: CurrentMeeting,
  provider: NonNullable<CurrentMeeting['provider']>,
): Promise<ObservedMeeting> {
  const at = dependencies.clock.now();
  const adapter = await meetingProvider(dependencies, provider);
  return { adapter, at, state: await adapter.state(name) };
}

/** While many people join a meeting, its participants are stored at most this often. */
const storeEveryMs = 5000;

/**
 * Whether the provider's answer must be stored: the last one was stored some time ago, or the provider reports another
 * session or the end of the session.
 */
export function shouldStore(
  { observed_at: observedAt, provider_created_at: createdAt }: CurrentMeeting,
  { state, at }: ObservedMeeting,
): boolean {
  if (!state.exists || state.createdAtMs === null || state.createdAtMs !== createdAt) return true;
  return observedAt === null || epochMs(at) - epochMs(printInstant(observedAt)) >= storeEveryMs;
}
