import type { BodyOf } from '@foyer/contract/endpoint.ts';
import type { subscriptionEndpoints } from '@foyer/contract/subscription.ts';
import type { CalendarDate } from '../../platform/calendar-date.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import { heldAfter } from '../customers/index.ts';
import { renewed } from './change-subscription.ts';
import { refuseHeld } from './held-by-platform.ts';
import { lifecycleOf, rowOf } from './lifecycle-of-row.ts';
import { cancel } from './lifecycle.ts';
import type { SubscriptionRow } from './store.ts';

type Input = BodyOf<(typeof subscriptionEndpoints)['previewSubscription']>;

/** What the renewal or cancellation would make of it. @throws 422 unless it is one of them; 409 as they do */
export function previewSubscription(
  row: SubscriptionRow,
  input: Input,
  today: CalendarDate,
  now: string,
  actor: Actor,
): SubscriptionRow {
  const before = lifecycleOf(row);
  const move = whichOf(input);
  if (move === 'renew' && input.renew !== false) refuseHeld(actor, row, null);
  const after =
    move === 'renew'
      ? renewed(before, { ...input, renew: input.renew ?? true }, today)
      : cancel(before, { cancel: input.cancel, cancelNow: input.cancel_now }, today, now);
  if (after === before) return row;
  const held = heldAfter(actor, after.status) ?? row.held_by_platform;
  return { ...row, ...rowOf(after), held_by_platform: held };
}

function whichOf(input: Input): 'renew' | 'cancel' {
  const renews = input.renew !== undefined || input.cycles !== undefined || input.uncancel !== undefined;
  const cancels = input.cancel !== undefined || input.cancel_now !== undefined;
  if (renews && cancels) throw invalidInput({ cancel: ['Give the body of a renewal or that of a cancellation.'] });
  if (!renews && !cancels) throw invalidInput({ renew: ['The renew field is required when cancel is not given.'] });
  return renews ? 'renew' : 'cancel';
}
