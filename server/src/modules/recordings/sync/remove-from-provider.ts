import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../../platform/time/instant.ts';
import { isOutage } from '../../../providers/provider-failure.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { attempt } from './attempt.ts';
import { postpone, postponeRemoval, deleteRemoval, claimRemovals } from './check-store.ts';

const batchSize = 100;

/**
 * Deletes recordings on the provider that were deleted here: only the given one, or all pending ones.
 * @returns how many were deleted
 */
export async function removeFromProvider(
  dependencies: Dependencies,
  providerId: Uuid,
  onlyRecordingId: string | null = null,
): Promise<number> {
  const { db, clock, logger } = dependencies;
  let removed = 0;
  for (;;) {
    const removals = await claimRemovals(db, providerId, clock.now(), {
      limit: batchSize,
      recordingId: onlyRecordingId,
    });
    if (removals.length === 0) return removed;
    const lookup = await attempt(() => findMeetingProvider(dependencies, providerId));
    for (const { id, provider_recording_id: recordingId, attempts } of removals) {
      const adapter = 'answer' in lookup ? lookup.answer : null;
      const outcome = adapter ? await attempt(async () => await adapter.deleteRecording?.(recordingId)) : lookup;
      if ('answer' in outcome) {
        await deleteRemoval(db, id);
        removed += 1;
        continue;
      }
      const { failure } = outcome;
      logger.warn({ provider: providerId, kind: failure.kind, attempts }, 'provider did not delete the recording');
      if (!isOutage(failure)) {
        await postponeRemoval(db, id, instantAfter(clock.nowMs(), Math.min(attempts, 24) * 3600));
        continue;
      }
      await postpone(db, 'recording_removals', providerId, instantAfter(clock.nowMs(), 60));
      return removed;
    }
  }
}

export function instantAfter(nowMs: number, seconds: number): string {
  return instantOfMicroseconds((nowMs + seconds * 1000) * 1000);
}
