import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';
import { type Failure, conflict } from '../../../platform/failures.ts';
import { isRefusal, type Refusal, type SubscriptionMove } from './transitions.ts';

/** 409 that lists under `allowed_moves` what can be done to the subscription instead. */
export function moveRefused(code: ErrorCode, message: string, allowed: readonly SubscriptionMove[]): Failure {
  return conflict(code, message, { allowed_moves: [...allowed] });
}

/** What a rule decided. @throws 409 where it refused */
export function acceptedOrThrow<State extends object>(outcome: State | Refusal): State {
  if (isRefusal(outcome)) throw moveRefused(outcome.refused, outcome.message, outcome.allowed);
  return outcome;
}
