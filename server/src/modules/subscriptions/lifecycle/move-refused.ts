import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';
import { type Failure, conflict } from '../../../platform/failures.ts';
import { isRefusal, type Refusal, type SubscriptionMove } from './transitions.ts';

/** 409 with the moves that are possible instead, as `allowed_moves`. */
export function moveRefused(code: ErrorCode, message: string, allowed: readonly SubscriptionMove[]): Failure {
  return conflict(code, message, { allowed_moves: [...allowed] });
}

/** @throws 409 if the rule refused */
export function acceptedOrThrow<State extends object>(outcome: State | Refusal): State {
  if (isRefusal(outcome)) throw moveRefused(outcome.refused, outcome.message, outcome.allowed);
  return outcome;
}
