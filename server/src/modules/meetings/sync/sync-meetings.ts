import { groupBy } from '../../../platform/group-by.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import type { Instant } from '../../../platform/time/instant.ts';
import type { MeetingProvider, MeetingState } from '../../../providers/meet.ts';
import { isOutage, ProviderFailure } from '../../../providers/provider-failure.ts';
import {
  meetingProvider,
  pollMeetings,
  findServiceProvider,
  type ChosenProvider,
} from '../../service-providers/index.ts';
import { reconcileMeetings, type Observation } from './reconcile-meetings.ts';
import { removeOldOpenings } from '../ending/end-meetings.ts';
import { warnOfMinutes } from '../minutes/minute-limits.ts';
import {
  hasBegunMinute,
  reconcileOptions,
  hasChanges,
  type ProviderSnapshot,
  observationOf,
} from '../observe-meeting.ts';
import { claimPoll, type Poll, providersWithMeetings, releasePoll, renewPoll } from './poll-store.ts';
import { ensureHook } from './provider-hook.ts';
import { type CurrentEntry, currentEntries, lockMeetings, type MeetingRow, openMeetingsOn } from '../store.ts';

/**
 * How long a process holds the lease on a provider, in addition to the time-outs of its requests. After a crash, the
 * provider is not polled until the lease expires.
 */
const claimMs = 60_000;
/** How many meetings are reconciled in one transaction. */
const batchSize = 500;
/** How many meetings that are missing in a list are requested at the same time. */
const concurrentRequests = 8;

/**
 * Reads all meetings of each provider with one request, and stores changes in batches. Providers are handled in
 * parallel; if one does not respond, the next run tries again.
 * @returns how many meetings were checked
 */
export async function syncMeetings(dependencies: Dependencies): Promise<number> {
  await removeOldOpenings(dependencies);
  const ids = await providersWithMeetings(dependencies.db);
  const outcomes = await Promise.allSettled(ids.map((id) => syncProvider(dependencies, id)));
  await warnOfMinutes(dependencies);
  // Thrown at the end, so that an error of one provider does not affect the others.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
  return outcomes.reduce((sum, outcome) => sum + (outcome.status === 'fulfilled' ? outcome.value : 0), 0);
}

async function syncProvider(dependencies: Dependencies, id: Uuid): Promise<number> {
  const { db, clock, logger } = dependencies;
  const now = clock.now();
  const poll = await claimPoll(db, id, { now, until: endOfClaim(dependencies) });
  const provider = poll && (await findServiceProvider(db, id));
  if (!poll || !provider) return 0;
  let lookedAt: Instant | null = null;
  try {
    const at = clock.now();
    const states = await listStates(dependencies, provider);
    const adapter = await meetingProvider(dependencies, provider);
    const { checkedCount, unreadCount } = await observeListed(dependencies, id, { adapter, states, at, poll });
    if (unreadCount > 0)
      logger.warn({ provider: id, unread: unreadCount }, 'provider returned no data for some meetings');
    else lookedAt = at;
    await ensureHook(dependencies, id);
    return checkedCount;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.warn({ provider: id, kind: error.kind }, 'provider did not return its meetings');
    return 0;
  } finally {
    await releasePoll(db, id, lookedAt);
  }
}

function endOfClaim({ clock, settings }: Dependencies): Instant {
  return clock.after((claimMs + 2 * settings().provider_timeout_ms) / 1000);
}

/** An empty list if the provider's answer is too long to be read; then each meeting is requested separately. */
async function listStates(dependencies: Dependencies, provider: ChosenProvider): Promise<MeetingState[]> {
  try {
    return await pollMeetings(dependencies, provider);
  } catch (error) {
    if (error instanceof ProviderFailure && error.kind === 'oversize') return [];
    throw error;
  }
}

interface Polled {
  readonly adapter: MeetingProvider;
  readonly states: readonly MeetingState[];
  readonly at: Instant;
  readonly poll: Poll;
}

async function observeListed(
  dependencies: Dependencies,
  id: Uuid,
  { adapter, states, at, poll }: Polled,
): Promise<{ checkedCount: number; unreadCount: number }> {
  const { db, clock } = dependencies;
  const meetings = await openMeetingsOn(db, id);
  const entries = groupBy(await currentEntries(db, idsOf(meetings)), (entry) => entry.meeting_id);
  const listed = new Map(states.map((state) => [state.meetingId, state]));
  const snapshots = new Map<Uuid, ProviderSnapshot>();
  const previousPollAt = poll.looked_at;
  for (const { id: meetingId, provider_meeting_id: name } of meetings) {
    const state = listed.get(name);
    if (state) snapshots.set(meetingId, { state, at, previousPollAt });
  }
  // A list may omit a meeting for a moment, so its end is confirmed by a request for the meeting.
  const missing = meetings.filter((meeting) => !snapshots.has(meeting.id));
  for (let index = 0; index < missing.length; index += concurrentRequests) {
    const batch = missing.slice(index, index + concurrentRequests);
    const results = await Promise.all(
      batch.map(async (meeting) => [meeting.id, await stateOf(adapter, meeting.provider_meeting_id)] as const),
    );
    await renewPoll(db, id, endOfClaim(dependencies));
    for (const [meetingId, state] of results) if (state) snapshots.set(meetingId, { state, at, previousPollAt });
  }
  const changed = meetings.filter((meeting) => {
    const entriesOfMeeting = entries.get(meeting.id) ?? [];
    const snapshot = snapshots.get(meeting.id);
    return (
      snapshot !== undefined &&
      (hasBegunMinute(meeting, entriesOfMeeting, clock.now()) || hasChanges(meeting, snapshot, entriesOfMeeting))
    );
  });
  for (let index = 0; index < changed.length; index += batchSize) {
    await writeBatch(dependencies, changed.slice(index, index + batchSize), snapshots, entries);
    await renewPoll(db, id, endOfClaim(dependencies));
  }
  return { checkedCount: snapshots.size, unreadCount: meetings.length - snapshots.size };
}

/** Null if the provider fails only for this meeting. */
async function stateOf(adapter: MeetingProvider, meetingId: string): Promise<MeetingState | null> {
  try {
    return await adapter.state(meetingId);
  } catch (error) {
    if (error instanceof ProviderFailure && !isOutage(error)) return null;
    throw error;
  }
}

/** Stores the changes that the provider reports, and charges the minutes that have begun in unchanged meetings. */
async function writeBatch(
  dependencies: Dependencies,
  meetings: readonly MeetingRow[],
  snapshots: ReadonlyMap<Uuid, ProviderSnapshot>,
  entries: ReadonlyMap<Uuid, readonly CurrentEntry[]>,
): Promise<void> {
  await inTransaction(dependencies, system, async (change) => {
    const rows = await lockMeetings(change.tx, idsOf(meetings));
    const observations = rows.flatMap((row): Observation[] => {
      const snapshot = snapshots.get(row.id);
      if (!snapshot || row.state === 'ended') return [];
      if (!hasChanges(row, snapshot, entries.get(row.id) ?? [])) return [{ row }];
      const observation = observationOf(row, snapshot, change.now);
      return observation ? [observation] : [];
    });
    await reconcileMeetings(change, observations, reconcileOptions(dependencies));
  });
}
