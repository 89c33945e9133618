import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import type { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { attempt } from './attempt.ts';
import { pushDueChanges } from './push-changes.ts';
import { type Check, postpone, providersToQuery, claimChecks } from './check-store.ts';
import { instantAfter, removeFromProvider } from './remove-from-provider.ts';
import { readListedRecording } from './listed-recording.ts';
import { unlistedRecordings } from '../store.ts';
import { type Listing, reconcileRecordings } from './reconcile-recordings.ts';

/** How many rooms are read in one request. */
const batchSize = 80;

/**
 * Reconciles recordings with the providers, and applies changes and deletions there. Providers are handled in parallel; if
 * one does not respond, the next run tries again.
 * @returns how many recordings changed
 */
export async function syncRecordings(dependencies: Dependencies): Promise<number> {
  const { db, clock } = dependencies;
  const providers = await providersToQuery(db, clock.now());
  const changed = await Promise.all(providers.map((id) => syncProvider(dependencies, id)));
  return changed.reduce((sum, count) => sum + count, 0);
}

async function syncProvider(dependencies: Dependencies, providerId: Uuid): Promise<number> {
  const pushed = await pushDueChanges(dependencies, providerId);
  const removed = await removeFromProvider(dependencies, providerId);
  return pushed + removed + (await checkDueRooms(dependencies, providerId));
}

async function checkDueRooms(dependencies: Dependencies, providerId: Uuid): Promise<number> {
  const { db, clock } = dependencies;
  let changed = 0;
  for (;;) {
    const checks = await claimChecks(db, providerId, clock.now(), batchSize);
    if (checks.length === 0) return changed;
    const lookup = await attempt(() => findMeetingProvider(dependencies, providerId));
    if ('failure' in lookup) return changed + (await postponeChecks(dependencies, providerId, lookup.failure));
    if (lookup.answer === null) return changed;
    const outcome = await checkRooms(dependencies, providerId, lookup.answer, checks);
    if (typeof outcome !== 'number') return changed + (await postponeChecks(dependencies, providerId, outcome));
    changed += outcome;
  }
}

/** Logs the failure, and leaves the checks to the next run. @returns 0, the number of changed recordings */
async function postponeChecks(
  { db, clock, logger }: Dependencies,
  providerId: Uuid,
  { kind, messageKey }: ProviderFailure,
): Promise<number> {
  logger.warn({ provider: providerId, kind, messageKey }, 'provider did not return its recordings');
  await postpone(db, 'recording_checks', providerId, instantAfter(clock.nowMs(), 60));
  return 0;
}

/** @returns how many recordings changed, or the failure of the provider */
export async function checkRooms(
  dependencies: Dependencies,
  providerId: Uuid,
  adapter: MeetingProvider,
  checks: readonly Check[],
): Promise<number | ProviderFailure> {
  const requestedAt = dependencies.clock.now();
  const outcome = await attempt(() => readListing(dependencies, providerId, adapter, checks));
  if ('answer' in outcome)
    return await reconcileRecordings(dependencies, { providerId, checks, requestedAt, ...outcome.answer });
  const { failure } = outcome;
  if (failure.kind !== 'oversize' || checks.length === 1) return failure;
  // The rooms have too many recordings for one answer, so each half of the rooms is read separately.
  let changed = 0;
  const half = Math.ceil(checks.length / 2);
  for (const someChecks of [checks.slice(0, half), checks.slice(half)]) {
    const result = await checkRooms(dependencies, providerId, adapter, someChecks);
    if (typeof result !== 'number') return result;
    changed += result;
  }
  return changed;
}

async function readListing(
  { db }: Dependencies,
  providerId: Uuid,
  adapter: MeetingProvider,
  checks: readonly Check[],
): Promise<Pick<Listing, 'recordings' | 'brokenIds'>> {
  const roomIds = checks.map(({ room_id }) => room_id);
  const listed = (await adapter.recordings?.({ meetingIds: roomIds })) ?? [];
  const ids = listed.map(({ recordingId }) => recordingId);
  // A list may omit a recording for a moment, so its absence is confirmed by a request for the recording.
  const unlisted = await unlistedRecordings(db, providerId, roomIds, ids);
  const confirmed = (await adapter.findRecordings?.(unlisted)) ?? { recordings: [], brokenIds: [] };
  const recordings = [...listed, ...confirmed.recordings].flatMap((recording) => readListedRecording(recording) ?? []);
  return { recordings, brokenIds: confirmed.brokenIds };
}
