import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';
import { type Failure, conflict } from '../../../platform/failures.ts';
import { isRefusal, type Refusal, type SubscriptionMove } from './transitions.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import { isBlockedByHold } from '../../customers/index.ts';
import type { SubscriptionRow } from '../store.ts';

/** 409 with the moves that are possible instead, as `allowed_moves`. */
export function moveRefused(code: ErrorCode, message: string, allowed: readonly SubscriptionMove[]): Failure {
  return conflict(code, message, { allowed_moves: [...allowed] });
}

/** Returns the new state. @throws 409 if the rule refused the move */
export function stateOrThrow<State extends object>(outcome: State | Refusal): State {
  if (isRefusal(outcome)) throw moveRefused(outcome.refused, outcome.message, outcome.allowed);
  return outcome;
}

/**
 * Users, such as resellers, cannot change subscriptions that an administrator suspended or canceled.
 * @param newStatus the requested status, if any; null to renew or delete
 * @throws 409 `held-by-platform` for users
 */
export function refuseHeld(actor: Actor, row: SubscriptionRow, newStatus: string | null | undefined): void {
  if (!isBlockedByHold(actor, row, newStatus)) return;
  const message = `The platform set the subscription to ${row.status}. Only a platform administrator can change that.`;
  throw moveRefused('held-by-platform', message, []);
}
