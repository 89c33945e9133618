import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';

/**
 * Whether the platform holds what gets this status: who takes something out of use by naming its status holds it, also
 * where it was out of use already. Undefined where that stays as it was.
 */
export function heldByPlatformAfter(actor: Actor, status: string | undefined): boolean | undefined {
  return status === undefined || actor.type === 'user' ? undefined : status !== 'active';
}

interface Holdable {
  readonly status: string;
  readonly held_by_platform: boolean;
}

/**
 * Whether a user would lift or change what an administrator did.
 * @param to the status that is asked for, if any; null for what is to be renewed or deleted.
 */
export function isBlockedByHold(actor: Actor, row: Holdable, to: string | null | undefined): boolean {
  return actor.type === 'user' && row.held_by_platform && to !== undefined && to !== row.status;
}

/** @throws 409 `held-by-platform` */
export function refuseHeld(actor: Actor, row: Holdable, to: string | null | undefined): void {
  if (!isBlockedByHold(actor, row, to)) return;
  throw conflict(
    'held-by-platform',
    `The platform made the customer ${row.status}: only its administrators change that.`,
  );
}
