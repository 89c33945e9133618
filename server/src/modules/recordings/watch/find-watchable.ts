import type { Dependencies } from '../../../dependencies.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { customerUse } from '../../customers/index.ts';
import { requireRoom } from '../../rooms/index.ts';
import { isSubscriptionUsable } from '../../subscriptions/index.ts';
import { formatsOf } from './formats.ts';
import type { Viewer } from './playback-path.ts';
import { audienceOf, mayWatch } from './recordings-to-watch.ts';
import { findRecording, type RecordingRow } from '../store.ts';

export type Watchable =
  | { readonly recording: RecordingRow }
  /** `gone`: deleted, unpublished, or without this format. `closed`: its customer or the subscription of its room cannot be used. */
  | { readonly refusal: 'gone' | 'closed' };

/**
 * Finds the recording if it can be watched now. An expired recording is gone, even if the job has not deleted it yet.
 * @param viewer the kind of visitor to whom the room page gave the link; null for other links
 */
export async function findWatchable(dependencies: Dependencies, id: Uuid, viewer: Viewer | null): Promise<Watchable> {
  const recording = await findRecording(dependencies.db, id);
  if (!recording || formatsOf(recording).length === 0) return { refusal: 'gone' };
  const { expires_at: expiresAt } = recording;
  if (expiresAt !== null && Date.parse(expiresAt) <= dependencies.clock.nowMs()) return { refusal: 'gone' };
  if (viewer !== null) {
    const audience = audienceOf(await requireRoom(dependencies.db, recording.room_id));
    if (!mayWatch(audience, viewer === 'anybody' ? null : viewer)) return { refusal: 'gone' };
  }
  const [isUsable, customer] = await Promise.all([
    isSubscriptionUsable(dependencies, 'room', recording.room_id),
    dependencies.db
      .selectFrom('customers')
      .select('effective_status')
      .where('id', '=', recording.customer_id)
      .executeTakeFirst(),
  ]);
  const isOpen = isUsable && customer && customerUse(customer.effective_status).canUse;
  return isOpen ? { recording } : { refusal: 'closed' };
}
