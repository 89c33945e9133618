import type { Updateable } from 'kysely';
import type { Videos } from '../../../database/tables.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { EventInput } from '../../../events/event-data.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { parseIdentifier, type Uuid } from '../../../platform/identity/identifier.ts';
import type { VideoState } from '../../../providers/media.ts';
import { recomputeStoredUsage } from '../../subscriptions/index.ts';
import { lockVideos, storeVideo, type VideoRow } from '../store.ts';
import { eventNameOf, needsEvent, toObservedVideo } from './video-changes.ts';

/**
 * Applies the states of videos that a media server reports, in any order and any number of times: older revisions than
 * the stored one are ignored.
 * @returns how many videos changed
 */
export async function applyStates(
  dependencies: Dependencies,
  actor: Actor,
  providerId: Uuid,
  states: readonly VideoState[],
): Promise<number> {
  const statesById = new Map(
    states.flatMap((state) => {
      const id = parseIdentifier('video', state.videoId);
      return id === null ? [] : [[id, state] as const];
    }),
  );
  if (statesById.size === 0) return 0;
  return await inTransaction(dependencies, actor, async (change) => {
    const rows = await lockVideos(change.tx, [...statesById.keys()]);
    const newer = rows.flatMap((row) => {
      const state = statesById.get(row.id);
      return row.service_provider_id === providerId && state && state.revision > row.revision ? [{ row, state }] : [];
    });
    const resizedSubscriptionIds = new Set<Uuid>();
    for (const { row, state } of newer) {
      const updated = await storeState(change, row, state);
      if (updated.stored_bytes !== row.stored_bytes) resizedSubscriptionIds.add(row.subscription_id);
    }
    await recomputeStoredUsage(change, [...resizedSubscriptionIds]);
    return newer.length;
  });
}

/** Only changes that viewers and editors notice have an event. */
async function storeState(change: Change, row: VideoRow, state: VideoState): Promise<VideoRow> {
  const hasEvent = needsEvent(row, toObservedVideo(state));
  const updated = await storeVideo(change.tx, row.id, {
    ...columnsOf(state),
    ...(hasEvent ? { updated_at: change.now } : {}),
  });
  if (hasEvent) await change.emit(eventOf(row, updated));
  return updated;
}

/** The columns that a state of the media server sets. */
export function columnsOf(state: VideoState): Updateable<Videos> {
  const { failure, renditions, captions, ...columns } = toObservedVideo(state);
  return {
    ...columns,
    failure: failure && JSON.stringify(failure),
    renditions: JSON.stringify(renditions),
    captions: JSON.stringify(captions),
    revision: state.revision,
  };
}

export function eventOf(row: VideoRow, updated: VideoRow): EventInput {
  return rowEvent(eventNameOf(row, updated), { customerId: row.customer_id, before: row, after: updated });
}
