import type { Change } from '../../../events/change.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { instantOfMicroseconds, epochMs } from '../../../platform/time/instant.ts';
import { storeAddressRuleOrders } from './order-store.ts';

/** The orders are sent after every process has read the new settings. */
const delayMs = 2000;

/** Disconnects private sources and outputs when they are no longer allowed. */
export async function stopPrivateConnections(
  change: Change,
  { before, after }: ReactionSubjects['settings.updated'],
): Promise<void> {
  if (!before.media_allow_private_addresses || after.media_allow_private_addresses) return;
  await storeAddressRuleOrders(change, instantOfMicroseconds((epochMs(change.now) + delayMs) * 1000));
}
