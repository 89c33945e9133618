import type { Change } from '../../events/change.ts';
import { countRecordings } from '../subscriptions/index.ts';
import { markDeleted, type RecordingRow } from './store.ts';

export type LossReason = 'deleted' | 'expired' | 'room-deleted' | 'gone-from-provider';

/** The recordings, whose rows are locked, are gone here: they take no space, and nothing leads to them. */
export async function loseRecordings(under: Change, rows: readonly RecordingRow[], reason: LossReason): Promise<void> {
  if (rows.length === 0) return;
  await markDeleted(
    under.tx,
    rows.map(({ id }) => id),
    reason,
    under.now,
  );
  await under.emitAll(
    rows.map((row) => ({
      name: 'recording.deleted',
      resource: { type: 'Recording', id: row.id },
      customerId: row.customer_id,
      before: row,
      after: { reason },
    })),
  );
  await countRecordings(under, [...new Set(rows.map((row) => row.subscription_id))]);
}
