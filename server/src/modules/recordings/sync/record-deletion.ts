import type { Change } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { recomputeStoredUsage } from '../../subscriptions/index.ts';
import { markDeleted, type RecordingRow } from '../store.ts';
import { idsOf } from '../../../platform/identity/identifier.ts';

export type DeletionReason = 'deleted' | 'expired' | 'room-deleted' | 'gone-from-provider';

/** Marks locked recordings as deleted: they use no storage quota, and links to them stop working. */
export async function recordDeletion(
  change: Change,
  rows: readonly RecordingRow[],
  reason: DeletionReason,
): Promise<void> {
  if (rows.length === 0) return;
  await markDeleted(change.tx, idsOf(rows), reason, change.now);
  await change.emitAll(rows.map((row) => rowEvent('recording.deleted', { before: row, details: { reason } })));
  await recomputeStoredUsage(change, [...new Set(rows.map((row) => row.subscription_id))]);
}
