import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { eventAbout } from '../../../events/row-event.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs, instantOfMicroseconds } from '../../../platform/time/instant.ts';
import type { MeetingState } from '../../../providers/meet.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { type Health, healthAfter } from './health.ts';
import { addCheck, type HealthRow, historyStepMs, lockHealth, listOwnMeetingIds, storeHealth } from './health-store.ts';
import { meetingProvider } from '../placement/meeting-provider.ts';
import type { ServiceProviderRow } from '../store.ts';

export interface PollOutcome {
  /** Whether the provider answered and can be used. False if it rejects the secret. */
  readonly answered: boolean;
  /** Whether the provider rejects the stored secret, or cannot open meetings. */
  readonly isUnusable?: boolean;
  readonly latencyMs: number | null;
  /** A sentence about the failure, without secrets. */
  readonly problem: string | null;
  /** Whether the stored problem still applies, because the circuit breaker is open and no request was sent. */
  readonly keepsProblem?: boolean;
  /** Null if its meetings were not requested or not listed. */
  readonly counts: PollCounts | null;
  /** Absent if its version was not requested. */
  readonly apiVersion?: string | null;
}

/** All meetings on the server. Foyer did not create the foreign ones. */
export interface PollCounts {
  readonly meetings: number;
  readonly participants: number;
  readonly foreignMeetings: number;
  readonly foreignParticipants: number;
}

/**
 * Reads all meetings on the provider in one request. The result, also a failure, counts as a health check. @throws
 * ProviderFailure
 */
export async function pollMeetings(
  dependencies: Dependencies,
  provider: Pick<ServiceProviderRow, 'id' | 'provider_type' | 'properties'>,
): Promise<MeetingState[]> {
  const startedMs = performance.now();
  const latencyMs = () => Math.round(performance.now() - startedMs);
  try {
    const adapter = await meetingProvider(dependencies, provider);
    const states = (await adapter.states?.()) ?? [];
    const answerMs = latencyMs();
    const counts =
      states.length === 0 && (adapter.capabilities.canHideList || !adapter.states)
        ? null
        : await countMeetings(dependencies, provider.id, states);
    const problem = (await adapter.readProblem?.()) ?? null;
    await recordPoll(dependencies, provider.id, { ...withProblem(problem), latencyMs: answerMs, counts });
    return states;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    // A provider that rejects the request, or has too many meetings to list, has answered and may still open meetings.
    const answered = error.kind === 'refused' || error.kind === 'oversize';
    const answerMs = answered ? latencyMs() : null;
    const keepsProblem = error.kind === 'circuit-open';
    const isUnusable = error.kind === 'checksum' || error.kind === 'misconfigured';
    const outcome = { answered, isUnusable, latencyMs: answerMs, problem: error.message, keepsProblem, counts: null };
    await recordPoll(dependencies, provider.id, outcome);
    throw error;
  }
}

/** A provider that answers but cannot open meetings counts as down. */
export function withProblem(problem: string | null): Pick<PollOutcome, 'answered' | 'isUnusable' | 'problem'> {
  return { answered: problem === null, isUnusable: problem !== null, problem };
}

/** Stores the result of a request to the provider, and emits events when it goes down or comes back. */
export async function recordPoll(dependencies: Dependencies, providerId: Uuid, outcome: PollOutcome): Promise<void> {
  const { answered, latencyMs, counts, apiVersion } = outcome;
  await inTransaction(dependencies, system, async ({ tx, now, emit }) => {
    const row = await lockHealth(tx, providerId, now);
    if (!row) return;
    const nowMs = epochMs(now);
    const before = healthOf(row);
    const problem = outcome.keepsProblem ? (row.problem ?? outcome.problem) : outcome.problem;
    const after = healthAfter(before, outcome, nowMs);
    const hasRecovered = row.state === 'down' && after.state !== 'down';
    await storeHealth(tx, providerId, {
      state: after.state,
      since: instantOfMicroseconds(after.sinceMs * 1000),
      asked_at: now,
      checked_at: now,
      ...(answered ? { answered_at: now } : { last_failure_at: now }),
      failures_in_row: after.failuresInRow,
      problem: problem?.slice(0, 500) ?? null,
      ...(answered ? { latency_ms: latencyMs } : {}),
      ...(counts && {
        meetings: counts.meetings,
        participants: counts.participants,
        foreign_meetings: counts.foreignMeetings,
        foreign_participants: counts.foreignParticipants,
        counted_at: now,
      }),
      // After an outage the version is read again, since servers are upgraded then.
      ...(hasRecovered ? { version_read_at: null } : {}),
      ...(apiVersion === undefined || apiVersion === null ? {} : { api_version: apiVersion, version_read_at: now }),
    });
    await addCheck(tx, providerId, {
      beginsAt: instantOfMicroseconds(Math.floor(nowMs / historyStepMs) * historyStepMs * 1000),
      answered,
      latencyMs: answered ? latencyMs : null,
      meetings: counts?.meetings ?? null,
      participants: counts?.participants ?? null,
    });
    const hasGoneDown = row.state !== 'down' && after.state === 'down';
    if (!hasGoneDown && !hasRecovered) return;
    await emit(
      eventAbout(hasGoneDown ? 'service_provider.down' : 'service_provider.up', providerId, {
        details: { state: after.state, since: now, problem, former_state: row.state },
      }),
    );
  });
}

function healthOf(row: HealthRow): Health | null {
  // A provider that was down when its properties changed stays down until it answers.
  if (row.checked_at === null && row.failures_in_row === 0) return null;
  return {
    state: row.state,
    sinceMs: epochMs(row.since),
    failuresInRow: row.failures_in_row,
    lastFailureMs: row.last_failure_at === null ? null : epochMs(row.last_failure_at),
  };
}

async function countMeetings({ db }: Dependencies, id: Uuid, listed: readonly MeetingState[]): Promise<PollCounts> {
  const states = listed.filter(({ exists }) => exists);
  const ids = states.map(({ meetingId }) => meetingId);
  const ownIds = ids.length === 0 ? new Set() : await listOwnMeetingIds(db, id, ids);
  const foreign = states.filter(({ meetingId }) => !ownIds.has(meetingId));
  return {
    meetings: states.length,
    participants: participantsIn(states),
    foreignMeetings: foreign.length,
    foreignParticipants: participantsIn(foreign),
  };
}

function participantsIn(states: readonly MeetingState[]): number {
  return Math.min(
    maxParticipants,
    states.reduce((sum, { participantCount }) => sum + participantCount, 0),
  );
}

/** Higher numbers are not plausible. */
const maxParticipants = 1_000_000_000;
