import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { MeetingProvider } from '../../../providers/meet.ts';
import { isOutage, type ProviderFailure } from '../../../providers/provider-failure.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { attempt } from './attempt.ts';
import { postpone, claimPushes } from './check-store.ts';
import { isReady } from './reconcile.ts';
import { instantAfter } from './remove-from-provider.ts';
import { lockIfNotDeleted } from './lock-store.ts';
import { findRecording, type RecordingRow, storeRecording } from '../store.ts';
import { labelsOf, type PendingChange } from './pending-changes.ts';

const batchSize = 50;

/** Applies pending changes on the provider. @returns how many recordings were changed on the provider */
export async function pushDueChanges(dependencies: Dependencies, providerId: Uuid): Promise<number> {
  const { db, clock, logger } = dependencies;
  let pushedCount = 0;
  for (;;) {
    const due = await claimPushes(db, providerId, clock.now(), batchSize);
    if (due.length === 0) return pushedCount;
    for (const { id } of due) {
      const outcome = await pushChanges(dependencies, id);
      if (outcome === 'done') pushedCount += 1;
      if (outcome === 'done' || outcome === 'nothing to do') continue;
      logger.warn({ provider: providerId, kind: outcome.kind }, 'provider did not change the recording');
      if (!isOutage(outcome)) continue;
      await postpone(db, 'recordings', providerId, instantAfter(clock.nowMs(), 60));
      return pushedCount;
    }
  }
}

/** Applies the pending changes of one recording on the provider. After a failure, a later run tries again. */
export async function pushChanges(
  dependencies: Dependencies,
  id: Uuid,
): Promise<'done' | 'nothing to do' | ProviderFailure> {
  const row = await findRecording(dependencies.db, id);
  const pendingChanges = row ? pendingChangesOf(row) : [];
  if (!row || row.service_provider_id === null || pendingChanges.length === 0)
    return await storePushed(dependencies, id, row, []);
  const providerId = row.service_provider_id;
  const lookup = await attempt(() => findMeetingProvider(dependencies, providerId));
  const adapter = 'answer' in lookup ? lookup.answer : null;
  const outcome = adapter ? await attempt(() => push(adapter, row, pendingChanges)) : lookup;
  if ('answer' in outcome) return await storePushed(dependencies, id, row, pendingChanges);
  // A provider that refused the change is asked again after an hour, others after a minute.
  const { kind } = outcome.failure;
  const seconds = kind === 'refused' || kind === 'http-error' ? 3600 : 60;
  await inTransaction(dependencies, system, async ({ tx }) => {
    const locked = await lockIfNotDeleted(tx, id);
    if (locked && locked.pending.length > 0)
      await storeRecording(tx, id, { push_at: instantAfter(dependencies.clock.nowMs(), seconds) });
  });
  return outcome.failure;
}

/** A recording that is not processed yet is published or unpublished later. */
function pendingChangesOf({ pending, state }: RecordingRow): PendingChange[] {
  return pending.filter((pendingChange) => pendingChange !== 'published' || isReady(state));
}

async function push(
  adapter: MeetingProvider,
  row: RecordingRow,
  pendingChanges: readonly PendingChange[],
): Promise<void> {
  const metadata: Record<string, string> = {};
  if (pendingChanges.includes('name')) metadata['name'] = row.name;
  if (pendingChanges.includes('metadata')) {
    for (const key of row.provider_labels) metadata[key] = '';
    Object.assign(metadata, labelsOf(row.recording_metadata));
  }
  if (Object.keys(metadata).length > 0) await adapter.updateRecording?.(row.provider_recording_id, metadata);
  if (pendingChanges.includes('published')) await adapter.publishRecording?.(row.provider_recording_id, row.published);
}

/** Marks the changes as applied. A value that was changed again in the meantime stays pending. */
async function storePushed(
  dependencies: Dependencies,
  id: Uuid,
  pushed: RecordingRow | undefined,
  pendingChanges: readonly PendingChange[],
): Promise<'done' | 'nothing to do'> {
  if (!pushed) return 'nothing to do';
  return await inTransaction(dependencies, system, async ({ tx, now }) => {
    const locked = await lockIfNotDeleted(tx, id);
    if (!locked) return 'nothing to do';
    const isUnchanged: Record<PendingChange, boolean> = {
      name: locked.name === pushed.name,
      published: locked.published === pushed.published,
      metadata: JSON.stringify(locked.recording_metadata) === JSON.stringify(pushed.recording_metadata),
    };
    const remaining = locked.pending.filter(
      (pendingChange) => !pendingChanges.includes(pendingChange) || !isUnchanged[pendingChange],
    );
    const isDue = remaining.some((pendingChange) => pendingChange !== 'published' || isReady(locked.state));
    await storeRecording(tx, id, {
      pending: remaining,
      push_at: isDue && locked.service_provider_id !== null ? now : null,
      ...(pendingChanges.includes('name') ? { provider_name: pushed.name } : {}),
      ...(pendingChanges.includes('metadata')
        ? { provider_labels: Object.keys(labelsOf(pushed.recording_metadata)) }
        : {}),
      ...(pendingChanges.length > 0 ? { synced_at: now } : {}),
    });
    return pendingChanges.length > 0 ? 'done' : 'nothing to do';
  });
}
