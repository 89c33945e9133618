import type { Actor } from '../../../platform/http/input/call.ts';
import { isBlockedByHold } from '../../customers/index.ts';
import { moveRefused } from '../lifecycle/move-refused.ts';
import type { SubscriptionRow } from '../store.ts';

/**
 * What an administrator took out of use or canceled is not lifted by those who sell above it.
 * @param to the status that is asked for, if any; null for what is to be renewed or deleted.
 * @throws 409 `held-by-platform` where a user asks
 */
export function refuseHeld(actor: Actor, row: SubscriptionRow, to: string | null | undefined): void {
  if (!isBlockedByHold(actor, row, to)) return;
  const message = `The platform made the subscription ${row.status}: only its administrators change that.`;
  throw moveRefused('held-by-platform', message, []);
}
