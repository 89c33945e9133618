import { recordingEventName } from './recording-event-name.ts';
import { afterCommit } from '../../database/one-transaction.ts';
import type { Dependencies } from '../../dependencies.ts';
import { inTransaction } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { CallOf, InputOf } from '../../platform/http/input/call.ts';
import { refuseChanged } from '../../platform/immutable.ts';
import { pushChanges } from './sync/push-changes.ts';
import { isReady } from './sync/reconcile.ts';
import { lockRecording } from './sync/lock-store.ts';
import { type RecordingRow, requireRecording, storeRecording } from './store.ts';
import type { PendingChange } from './sync/pending-changes.ts';

type Input = InputOf<'updateRecording'>;

/**
 * Changes the recording here at once. The request to the provider is repeated until it succeeds.
 * @throws 404
 */
export async function updateRecording(
  dependencies: Dependencies,
  { actor, params: { recording_id: id }, body: input, immutable }: CallOf<'updateRecording'>,
): Promise<RecordingRow> {
  const isChanged = await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockRecording(tx, id);
    refuseChanged(immutable, row);
    const pendingChanges = pendingChangesOf(row, input);
    if (pendingChanges.length === 0) return false;
    const published = pendingChanges.includes('published') ? (input.published ?? row.published) : row.published;
    const updated = await storeRecording(tx, id, {
      name: input.name ?? row.name,
      published,
      state: isReady(row.state) ? (published ? 'published' : 'unpublished') : row.state,
      ...(pendingChanges.includes('metadata')
        ? { recording_metadata: JSON.stringify(input.recording_metadata ?? {}) }
        : {}),
      ...(row.service_provider_id === null
        ? {}
        : { pending: [...new Set([...row.pending, ...pendingChanges])], push_at: now }),
      updated_at: now,
    });
    const name = recordingEventName(row, updated);
    await emit(rowEvent(name, { before: row, after: updated }));
    return true;
  });
  // With `If-Match` the whole request is one transaction: the push then runs after the response, otherwise here.
  await afterCommit(async () => {
    if (isChanged) await pushChanges(dependencies, id);
  });
  return await requireRecording(dependencies.db, id);
}

/** The changed columns. For an unprocessed recording, `published` is always stored. */
function pendingChangesOf(
  row: RecordingRow,
  { name, published, recording_metadata: metadata }: Input,
): PendingChange[] {
  const pendingChanges: PendingChange[] = [];
  if (name !== undefined && name !== row.name) pendingChanges.push('name');
  if (published !== undefined && (published !== row.published || !isReady(row.state))) pendingChanges.push('published');
  if (metadata !== undefined && JSON.stringify(metadata ?? {}) !== JSON.stringify(row.recording_metadata))
    pendingChanges.push('metadata');
  return pendingChanges;
}
