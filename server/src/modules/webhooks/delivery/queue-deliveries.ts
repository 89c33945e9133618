import type { Change } from '../../../events/change.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { insertDeliveries } from './delivery-store.ts';

/** Queues each event for the webhooks that subscribe to it, in the transaction that publishes it. */
export async function queueDeliveries(
  { tx, now }: Change,
  { events }: ReactionSubjects['events.published'],
): Promise<void> {
  await insertDeliveries(tx, events, now);
}
