import type { Actor } from '../../../platform/http/input/call.ts';
import { isBlockedByHold } from '../../customers/index.ts';
import { moveRefused } from '../lifecycle/move-refused.ts';
import type { SubscriptionRow } from '../store.ts';

/**
 * Users, such as resellers, cannot change subscriptions that an administrator suspended or canceled.
 * @param to the requested status, if any; null to renew or delete.
 * @throws 409 `held-by-platform` for users
 */
export function refuseHeld(actor: Actor, row: SubscriptionRow, to: string | null | undefined): void {
  if (!isBlockedByHold(actor, row, to)) return;
  const message = `The platform set the subscription to ${row.status}. Only a platform administrator can change that.`;
  throw moveRefused('held-by-platform', message, []);
}
