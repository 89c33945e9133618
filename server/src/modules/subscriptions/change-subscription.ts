import type { BodyOf } from '@foyer/contract/endpoint.ts';
import type { subscriptionEndpoints } from '@foyer/contract/subscription.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import { invalidInput, refused } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { present, refuseChanged } from '../../platform/immutable.ts';
import { lifecycleOf, rowOf } from './lifecycle-of-row.ts';
import {
  cancel,
  changeStatus,
  isDateFault,
  isRefusal,
  renew,
  reviseDates,
  type SubscriptionLifecycle,
} from './lifecycle.ts';
import { settleUsage } from './quotas.ts';
import { recordOn } from './record-on.ts';
import { lockSubscription, storeSubscription, type SubscriptionRow } from './store.ts';

type UpdateInput = BodyOf<(typeof subscriptionEndpoints)['updateSubscription']>;
type RenewInput = BodyOf<(typeof subscriptionEndpoints)['renewSubscription']>;
type CancelInput = BodyOf<(typeof subscriptionEndpoints)['cancelSubscription']>;

/** @throws 409 when the status does not lead there, 422 when the dates contradict each other. */
export async function updateSubscription(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  input: UpdateInput,
  immutable: Readonly<Record<string, unknown>>,
): Promise<SubscriptionRow> {
  return await change(dependencies, actor, async (under) => {
    const row = await lockSubscription(under.tx, id);
    refuseChanged(immutable, { ...row });
    const state = moveStatus(reviseTerms(lifecycleOf(row), input, under.today), input.status, under.today);
    const updated = await storeSubscription(under.tx, id, {
      ...present({
        name: input.name,
        description: input.description,
        price: input.price,
        currency: input.currency,
        tier: input.tier,
      }),
      trial_period: state.trialPeriod,
      trial_interval: state.trialInterval,
      trial_mode: state.trialMode,
      grace_period: state.gracePeriod,
      grace_interval: state.graceInterval,
      periodicity: state.periodicity,
      periodicity_type: state.periodicityType,
      ...(input.subscription_metadata === undefined
        ? {}
        : { subscription_metadata: JSON.stringify(input.subscription_metadata ?? {}) }),
      ...rowOf(state),
      updated_at: under.now,
    });
    if (updated.starts_at !== row.starts_at) await settleUsage(under, id);
    await recordOn(under, 'subscription.updated', updated, row, updated);
    return updated;
  });
}

/** @throws 409 when it is canceled and not to be uncanceled, inactive or terminated. */
export async function renewSubscription(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  input: RenewInput,
): Promise<SubscriptionRow> {
  return await change(dependencies, actor, async (under) => {
    const row = await lockSubscription(under.tx, id);
    const before = lifecycleOf(row);
    const after = renew(before, input, under.today);
    if (isRefusal(after)) throw refused(after.refused, after.message);
    if (after === before) return row;
    const updated = await storeSubscription(under.tx, id, { ...rowOf(after), updated_at: under.now });
    if (updated.starts_at !== row.starts_at) await settleUsage(under, id);
    if (row.canceled_at !== null) await recordOn(under, 'subscription.uncanceled', updated, row, updated);
    await recordOn(under, 'subscription.renewed', updated, row, updated);
    return updated;
  });
}

/** Canceling what is not active changes nothing. */
export async function cancelSubscription(
  dependencies: Dependencies,
  actor: Actor,
  id: Uuid,
  input: CancelInput,
): Promise<SubscriptionRow> {
  return await change(dependencies, actor, async (under) => {
    const row = await lockSubscription(under.tx, id);
    const before = lifecycleOf(row);
    const after = cancel(before, { cancel: input.cancel, cancelNow: input.cancel_now }, under.today, under.now);
    if (after === before) return row;
    const updated = await storeSubscription(under.tx, id, { ...rowOf(after), updated_at: under.now });
    await recordOn(under, 'subscription.canceled', updated, row, updated);
    return updated;
  });
}

function reviseTerms(state: SubscriptionLifecycle, input: UpdateInput, today: Change['today']): SubscriptionLifecycle {
  const revised = reviseDates(
    state,
    {
      startsOn: input.starts_at as Change['today'] | undefined,
      endsOn: input.ends_at as Change['today'] | undefined,
      trialEndsOn: input.trial_ends_at as Change['today'] | null | undefined,
      trialPeriod: input.trial_period,
      trialInterval: input.trial_interval,
      trialMode: input.trial_mode,
      gracePeriod: input.grace_period,
      graceInterval: input.grace_interval,
      periodicity: input.periodicity,
      periodicityType: input.periodicity_type,
    },
    today,
  );
  if (!isDateFault(revised)) return revised;
  throw invalidInput({ [revised.invalid === 'startsOn' ? 'starts_at' : 'ends_at']: [revised.message] });
}

function moveStatus(
  state: SubscriptionLifecycle,
  to: UpdateInput['status'],
  today: Change['today'],
): SubscriptionLifecycle {
  if (to === undefined) return state;
  const moved = changeStatus(state, to, today);
  if (isRefusal(moved)) throw refused(moved.refused, moved.message);
  return moved;
}
