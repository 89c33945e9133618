import { conflict } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';

/**
 * Whether the platform holds the resource after its status is set. An administrator who sets a status other than active
 * places the hold; active lifts it. Undefined if the hold does not change.
 */
export function heldByPlatformAfter(actor: Actor, status: string | undefined): boolean | undefined {
  return status === undefined || actor.type === 'user' ? undefined : status !== 'active';
}

interface Holdable {
  readonly status: string;
  readonly held_by_platform: boolean;
}

/**
 * Whether the platform's hold forbids the change. It binds users, not administrators.
 * @param to the requested status, if any; null to renew or delete.
 */
export function isBlockedByHold(actor: Actor, row: Holdable, to: string | null | undefined): boolean {
  return actor.type === 'user' && row.held_by_platform && to !== undefined && to !== row.status;
}

/** @throws 409 `held-by-platform` */
export function refuseHeld(actor: Actor, row: Holdable, to: string | null | undefined): void {
  if (!isBlockedByHold(actor, row, to)) return;
  throw conflict(
    'held-by-platform',
    `The platform set the customer to ${row.status}. Only a platform administrator can change that.`,
  );
}
