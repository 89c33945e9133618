import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { eventAbout, rowEvent } from '../../events/row-event.ts';
import { Failure, unavailable } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { printIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { epochMs } from '../../platform/time/instant.ts';
import type { MeetingPlan, MeetingProvider, MeetingState, OpenedMeeting, OpenMeeting } from '../../providers/meet.ts';
import { canRetryOnOtherProvider, ProviderFailure } from '../../providers/provider-failure.ts';
import {
  callbackAddress,
  clockOffsetMs,
  findMeeting,
  ensureHookInBackground,
  lockMeeting,
  type MeetingRow,
  observeMeeting,
  ourInstant,
  resumeMeeting,
  storeMeeting,
} from '../meetings/index.ts';
import {
  findServiceProvider,
  withProblem,
  meetingProvider,
  type ProviderCandidate,
  recordPoll,
  reserveCapacity,
} from '../service-providers/index.ts';
import {
  type CurrentMeeting,
  endedMeanwhile,
  type LoadedAccess,
  notAccepted,
  refusal,
  refusalTexts,
} from '../room-access/index.ts';
import { shouldStore, fetchMeeting, type ObservedMeeting } from './fetch-meeting.ts';
import { cleanName } from './clean-name.ts';

export interface Running extends ObservedMeeting {
  readonly id: Uuid;
  readonly meeting: OpenMeeting;
  /** Whether the stored meeting matches the observation. */
  readonly isStored: boolean;
}

/** The room's meeting, if it is still running on its provider. @throws 503 when the provider does not respond. */
export async function runningMeeting(dependencies: Dependencies, row: CurrentMeeting | null): Promise<Running | null> {
  if (!row?.provider || row.state !== 'open') return null;
  const { provider } = row;
  const snapshot = await callProvider(() => fetchMeeting(dependencies, row, provider));
  const meeting = openMeetingOf(snapshot.state);
  const running = meeting && { ...snapshot, id: row.id, meeting, isStored: false };
  return running && !shouldStore(row, snapshot) ? running : await storeObservation(dependencies, row.id, snapshot);
}

/** Reconciles the stored meeting with the observation. @returns null if the meeting is over */
export async function storeObservation(
  dependencies: Dependencies,
  id: Uuid,
  observation: ObservedMeeting,
): Promise<Running | null> {
  const row = await findMeeting(dependencies.db, id);
  if (!row || row.state === 'ended') return null;
  const observed = await observeMeeting(dependencies, row, observation.state, observation.at);
  const meeting = openMeetingOf(observation.state);
  return observed.state === 'open' && meeting ? { ...observation, id, meeting, isStored: true } : null;
}

function openMeetingOf(state: MeetingState): OpenMeeting | null {
  if (!state.exists || state.internalId === null || state.createdAtMs === null) return null;
  return { meetingId: state.meetingId, internalId: state.internalId, createdAtMs: state.createdAtMs };
}

/** Opens the meeting on the provider that hosts it, otherwise on the first provider with capacity that responds. */
export async function openOnProvider(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedAccess,
  row: MeetingRow,
): Promise<{ adapter: MeetingProvider; meeting: OpenMeeting }> {
  const plan = planMeeting(dependencies, loaded, row);
  // Another request may have opened the meeting in the meantime.
  if (row.state === 'open' && row.service_provider_id !== null) return await openAgain(dependencies, row, plan);
  const failed: ProviderCandidate[] = [];
  const failures: ProviderFailure[] = [];
  let triedCount = 0;
  for (const provider of loaded.providers) {
    if (!(await reserveCapacity(dependencies, provider, row.id))) continue;
    triedCount += 1;
    try {
      const adapter = await meetingProvider(dependencies, provider);
      const requestedAtMs = dependencies.clock.nowMs();
      const meeting = await adapter.open(plan);
      const passedOver = listPassedOver(provider, loaded.providers, failed);
      const stored =
        (meeting.wasOpen && (await resumeFormerMeeting(dependencies, actor, row, { provider, adapter, meeting }))) ||
        (await storeOpenedMeeting(dependencies, actor, row, { provider, meeting, requestedAtMs, passedOver }));
      if (stored.state === 'ended') {
        await adapter.end(plan.meetingId);
        throw endedMeanwhile();
      }
      if (stored.service_provider_id === provider.id) {
        ensureHookInBackground(dependencies, provider.id);
        return { adapter, meeting };
      }
      // Another request opened the meeting on another provider at the same time. That meeting is used, and the provider
      // ends this empty one by itself.
      return await openOnProvider(dependencies, actor, loaded, stored);
    } catch (error) {
      if (!canRetryOnOtherProvider(error))
        throw toUnavailable(error instanceof ProviderFailure ? preferredCause([...failures, error]) : error);
      dependencies.logger.warn({ provider: provider.id, kind: error.kind }, 'provider did not open the meeting');
      if (error.messageKey === 'serverUnavailable')
        await recordPoll(dependencies, provider.id, { ...withProblem(error.message), latencyMs: null, counts: null });
      failed.push(provider);
      failures.push(error);
    }
  }
  if (triedCount === 0) throw refusal('no-usable-provider');
  if (failures.every(wasPlanRejected)) throw notAccepted(preferredCause(failures));
  throw unavailable('provider-unavailable', refusalTexts.providerUnavailable, { cause: preferredCause(failures) });
}

/** Whether the provider works, but did not accept the values of this meeting. */
function wasPlanRejected({ kind }: ProviderFailure): boolean {
  return kind === 'too-long' || kind === 'http-error';
}

/** The failure of a provider that may still have opened the meeting, if there is one. */
function preferredCause(failures: readonly ProviderFailure[]): ProviderFailure | undefined {
  return failures.find(({ mayHaveArrived }) => mayHaveArrived) ?? failures[0];
}

/** Whether an error of `openOnProvider` means that a provider may still have opened the meeting. */
export function mayBeOpen(error: unknown): boolean {
  if (!(error instanceof Failure)) return true;
  if (error.code === 'no-usable-provider') return false;
  return !(error.cause instanceof ProviderFailure) || error.cause.mayHaveArrived;
}

/** Resumes an earlier meeting of the room, which a provider kept open while it did not respond. */
async function resumeFormerMeeting(
  dependencies: Dependencies,
  actor: Actor,
  row: MeetingRow,
  { provider, adapter, meeting }: Pick<Opened, 'provider' | 'meeting'> & { adapter: MeetingProvider },
): Promise<MeetingRow | null> {
  const readState = async () => {
    try {
      return await adapter.state(meeting.meetingId);
    } catch (error) {
      if (error instanceof ProviderFailure) return null;
      throw error;
    }
  };
  return await resumeMeeting(dependencies, actor, row, {
    internalId: meeting.internalId,
    providerId: provider.id,
    readState,
  });
}

/** Opening is idempotent: for an open meeting, the same plan returns the same meeting. */
async function openAgain(dependencies: Dependencies, row: MeetingRow, plan: MeetingPlan) {
  const provider = row.service_provider_id && (await findServiceProvider(dependencies.db, row.service_provider_id));
  if (!provider) throw refusal('no-usable-provider');
  return await callProvider(async () => {
    const adapter = await meetingProvider(dependencies, provider);
    return { adapter, meeting: await adapter.open(plan) };
  });
}

interface PassedOver {
  readonly id: Uuid;
  readonly reason: 'failed' | 'down';
}

/** The providers before the chosen one that failed now or were down at the last poll. */
function listPassedOver(
  chosen: ProviderCandidate,
  providers: readonly ProviderCandidate[],
  failed: readonly ProviderCandidate[],
): PassedOver[] {
  const down = providers.filter(
    (other) => other.state === 'down' && other.poolIndex < chosen.poolIndex && !failed.includes(other),
  );
  return [
    ...failed.map(({ id }) => ({ id, reason: 'failed' as const })),
    ...down.map(({ id }) => ({ id, reason: 'down' as const })),
  ];
}

export function planMeeting(
  dependencies: Dependencies,
  { room, features, settings }: LoadedAccess,
  { id, may_record: isRecorded }: Pick<MeetingRow, 'id' | 'may_record'>,
): MeetingPlan {
  return {
    meetingId: room.id,
    serviceType: room.room_type,
    name: cleanName(room.room_name) || 'Room',
    passwordSeed: dependencies.meetingPasswordSeed,
    features: isRecorded ? features : new Map([...features, ['recording', 'false']]),
    settings,
    metadata: { 'foyer-room': room.id },
    callbacks: {
      ...(isRecorded ? { recordingReady: callbackAddress(dependencies, 'recording-ready', id) } : {}),
      ended: callbackAddress(dependencies, 'meeting-ended', id),
      analytics: callbackAddress(dependencies, 'meeting-attendance', id),
      media: (providerId) => callbackAddress(dependencies, 'media-events', providerId),
    },
  };
}

interface Opened {
  readonly provider: ProviderCandidate;
  readonly meeting: OpenedMeeting;
  readonly requestedAtMs: number;
  readonly passedOver: readonly PassedOver[];
}

async function storeOpenedMeeting(
  dependencies: Dependencies,
  actor: Actor,
  meeting: MeetingRow,
  { provider, meeting: opened, requestedAtMs, passedOver }: Opened,
): Promise<MeetingRow> {
  return await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockMeeting(tx, meeting.id);
    if (!row) throw refusal('room-inactive');
    if (row.state !== 'opening') return row;
    // An existing meeting was created some time ago, so it can only show that the provider's clock is ahead.
    const madeAfterMs = opened.wasOpen ? opened.createdAtMs : requestedAtMs;
    const offsetMs = clockOffsetMs(opened.createdAtMs, madeAfterMs, epochMs(now));
    const updated = await storeMeeting(tx, row.id, {
      state: 'open',
      service_provider_id: provider.id,
      provider_internal_id: opened.internalId,
      provider_created_at: opened.createdAtMs,
      clock_offset_ms: offsetMs,
      started_at: ourInstant({ clock_offset_ms: offsetMs }, opened.createdAtMs),
      updated_at: now,
    });
    await emit(rowEvent('meeting.started', { after: updated }));
    for (const { id, reason } of passedOver) {
      await emit(
        eventAbout('service_provider.failed_over', id, {
          customerId: row.customer_id,
          details: {
            meeting_id: printIdentifier('meet', row.id),
            to_provider_id: printIdentifier('prov', provider.id),
            reason,
          },
        }),
      );
    }
    return updated;
  });
}

/** @throws 503 `provider-unavailable` if the provider fails */
async function callProvider<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw toUnavailable(error);
  }
}

function toUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ProviderFailure') return error;
  return unavailable('provider-unavailable', refusalTexts.providerUnavailable, { cause: error });
}
