import type { BodyOf } from '@foyer/contract/endpoint.ts';
import type { subscriptionEndpoints } from '@foyer/contract/subscription.ts';
import type { Dependencies } from '../../dependencies.ts';
import { rehearse } from '../../events/change.ts';
import { invalidInput } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { cancelSubscription, renewSubscription } from './change-subscription.ts';
import type { SubscriptionRow } from './store.ts';

type Input = BodyOf<(typeof subscriptionEndpoints)['previewSubscription']>;

/** What the renewal or cancellation would make of it. @throws 422 unless it is one of them; 409 as they do */
export async function previewSubscription(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  input: Input,
): Promise<SubscriptionRow> {
  const which = whichOf(input);
  return await rehearse(dependencies, actor, (under) =>
    which === 'renew'
      ? renewSubscription(under, id, { ...input, renew: input.renew ?? true })
      : cancelSubscription(under, id, { ...input, cancel: input.cancel ?? true }),
  );
}

function whichOf(input: Input): 'renew' | 'cancel' {
  const renews = input.renew !== undefined || input.cycles !== undefined || input.uncancel !== undefined;
  const cancels = input.cancel !== undefined || input.cancel_now !== undefined;
  if (renews && cancels) throw invalidInput({ cancel: ['Give the body of a renewal or that of a cancellation.'] });
  if (!renews && !cancels) throw invalidInput({ renew: ['The renew field is required when cancel is not given.'] });
  return renews ? 'renew' : 'cancel';
}
