import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction } from '../../../events/change.ts';
import { invalidInput, conflict } from '../../../platform/failures.ts';
import { type CalendarDate, lastCalendarDate } from '../../../platform/time/calendar-date.ts';
import type { CallOf, InputOf } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { changedColumns, refuseChanged, withoutUndefined } from '../../../platform/immutable.ts';
import { moneyFaults } from '../../../platform/text/money.ts';
import { heldByPlatformAfter, lockCustomerForShare } from '../../customers/index.ts';
import { refuseHeld, stateOrThrow } from './move-refused.ts';
import { lifecycleOf, columnsOf } from './lifecycle-of-row.ts';
import {
  cancel,
  changeStatus,
  expire,
  hasEnded,
  renew,
  renewDue,
  type SubscriptionLifecycle,
  withdrawCancellation,
} from './lifecycle.ts';
import { expiredEvent } from './expired-event.ts';
import { isDateFault, reviseDates } from './revise-dates.ts';
import { withdrawScheduledChange } from '../package-change/withdraw-package-change.ts';
import { applyDueChange } from '../package-change/apply-package-change.ts';
import { recomputeUsageWindows } from '../usage/quotas.ts';
import { rowEvent } from '../../../events/row-event.ts';
import { lockSubscription, requireSubscription, storeSubscription, type SubscriptionRow } from '../store.ts';

type UpdateInput = InputOf<'updateSubscription'>;
type RenewInput = InputOf<'renewSubscription'>;
type CancelInput = InputOf<'cancelSubscription'>;

/**
 * @throws 409 if the status change is not allowed, the customer is terminated, or the platform holds the subscription;
 * 422 if the dates contradict each other.
 */
export async function updateSubscription(
  dependencies: Dependencies,
  { actor, params: { subscription_id: id }, body: input, immutable }: CallOf<'updateSubscription'>,
): Promise<SubscriptionRow> {
  return await inTransaction(dependencies, actor, async (change) => {
    const customer = input.status === 'active' ? await lockSubscriberForShare(change, id) : undefined;
    const row = await applyOverdueChanges(change, await lockSubscription(change.tx, id));
    refuseChanged(immutable, { ...row });
    refuseHeld(actor, row, changesTerms(input) ? null : input.status);
    const faults = moneyFaults(input, { price: row.price }, input.currency ?? row.currency);
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
    const state = applyStatus(reviseTerms(lifecycleOf(row), input, change.today), input.status, change.today);
    if (customer?.effective_status === 'terminated')
      throw conflict('customer-not-active', 'The customer is terminated, so its subscriptions cannot be activated.');
    const updated = await storeSubscription(change.tx, id, {
      ...withoutUndefined({
        name: input.name,
        description: input.description,
        price: input.price,
        currency: input.currency,
        tier: input.tier,
      }),
      ...changedColumns({ subscription_metadata: input.subscription_metadata }, { subscription_metadata: {} }),
      ...columnsOf(state),
      ...withoutUndefined({ held_by_platform: heldByPlatformAfter(actor, input.status) }),
      updated_at: change.now,
    });
    if (updated.starts_at !== row.starts_at) await recomputeUsageWindows(change, id);
    if (hasEnded(state, change.today)) await withdrawScheduledChange(change, updated);
    const isSuspended = updated.status === 'suspended' && row.status !== 'suspended';
    const name = isSuspended ? 'subscription.suspended' : 'subscription.updated';
    await change.emit(rowEvent(name, { before: row, after: updated }));
    return updated;
  });
}

/** Whether the input changes more than the name, the description, the metadata and the status. */
function changesTerms({
  name: _name,
  description: _text,
  subscription_metadata: _data,
  status: _status,
  ...terms
}: UpdateInput) {
  return Object.values(terms).some((value) => value !== undefined);
}

/** Lock order: the customer before the subscription. @throws 404 */
async function lockSubscriberForShare({ tx }: Change, id: Uuid) {
  return await lockCustomerForShare(tx, (await requireSubscription(tx, id)).subscriber_id);
}

/**
 * Renews a subscription with automatic renewal up to the period that includes today.
 * @returns null if no renewal is due any more, for instance after a package change
 */
export async function renewAutomatically(change: Change, locked: SubscriptionRow): Promise<SubscriptionRow | null> {
  const row = await applyDueChange(change, locked, { isAboutToRenew: true });
  const before = lifecycleOf(row);
  const after = renewDue(before, change.today);
  return after === before ? null : await storeRenewal(change, row, after, true);
}

/** @throws 409 if the subscription is inactive, terminated, canceled without `uncancel`, or held by the platform. */
export async function renewSubscription(change: Change, id: Uuid, input: RenewInput): Promise<SubscriptionRow> {
  const locked = await lockSubscription(change.tx, id);
  // A package change that is due comes first, so that the renewal uses the new terms.
  const row = input.renew ? await applyDueChange(change, locked, { isAboutToRenew: true }) : locked;
  const before = lifecycleOf(row);
  if (input.renew) refuseHeld(change.actor, row, null);
  const after = renewOrThrow(before, input, change.today);
  if (after === before) return row;
  return await storeRenewal(change, row, after, false);
}

async function storeRenewal(
  change: Change,
  row: SubscriptionRow,
  after: SubscriptionLifecycle,
  isAutomatic: boolean,
): Promise<SubscriptionRow> {
  const { id } = row;
  const updated = await storeSubscription(change.tx, id, {
    ...columnsOf(after),
    held_by_platform: false,
    updated_at: change.now,
  });
  if (updated.starts_at !== row.starts_at) await recomputeUsageWindows(change, id);
  const { starts_at, ends_at } = row;
  // Each of the two events has its own part of the change.
  const uncanceled = row.canceled_at === null ? row : { ...updated, starts_at, ends_at };
  if (uncanceled !== row) await change.emit(rowEvent('subscription.uncanceled', { before: row, after: uncanceled }));
  await change.emit(
    rowEvent('subscription.renewed', {
      before: uncanceled,
      after: updated,
      details: { automatic: isAutomatic },
    }),
  );
  return updated;
}

/** Does nothing unless the subscription is active. Withdraws a scheduled package change. */
export async function cancelSubscription(change: Change, id: Uuid, input: CancelInput): Promise<SubscriptionRow> {
  const row = await applyDueChange(change, await lockSubscription(change.tx, id));
  const before = lifecycleOf(row);
  const after = cancel(before, { cancel: input.cancel, cancelNow: input.cancel_now }, change.today, change.now);
  if (after === before) return await placeHold(change, row, input);
  const updated = await storeSubscription(change.tx, id, {
    ...columnsOf(after),
    ...withoutUndefined({ held_by_platform: heldByPlatformAfter(change.actor, after.status) }),
    updated_at: change.now,
  });
  await withdrawScheduledChange(change, updated);
  await change.emit(rowEvent('subscription.canceled', { before: row, after: updated }));
  return updated;
}

/** Withdraws a cancellation without a renewal. @throws 409 if there is none or if it has taken effect. */
export async function uncancelSubscription(change: Change, id: Uuid): Promise<SubscriptionRow> {
  const row = await lockSubscription(change.tx, id);
  const after = stateOrThrow(withdrawCancellation(lifecycleOf(row), change.today));
  refuseHeld(change.actor, row, null);
  const updated = await storeSubscription(change.tx, id, {
    ...columnsOf(after),
    held_by_platform: false,
    updated_at: change.now,
  });
  await change.emit(rowEvent('subscription.uncanceled', { before: row, after: updated }));
  return updated;
}

/** An administrator's cancellation of a canceled subscription changes no date, but users cannot withdraw it any more. */
async function placeHold(change: Change, row: SubscriptionRow, { cancel: shouldCancel }: CancelInput) {
  const canHold = shouldCancel && row.canceled_at !== null && heldByPlatformAfter(change.actor, 'canceled') === true;
  if (!canHold || row.held_by_platform) return row;
  const updated = await storeSubscription(change.tx, row.id, { held_by_platform: true, updated_at: change.now });
  await change.emit(rowEvent('subscription.updated', { before: row, after: updated }));
  return updated;
}

/** @throws 409, or 422 if the period would end after the last calendar date */
function renewOrThrow(state: SubscriptionLifecycle, input: RenewInput, today: CalendarDate): SubscriptionLifecycle {
  const after = stateOrThrow(renew(state, input, today));
  if (after.endsOn === lastCalendarDate && state.endsOn !== lastCalendarDate) {
    throw invalidInput({ cycles: ['The period would end beyond the year 9999.'] });
  }
  return after;
}

/** Applies a due package change and expiry before another change, in case the jobs have not run yet. */
async function applyOverdueChanges(change: Change, locked: SubscriptionRow): Promise<SubscriptionRow> {
  const currentRow = await applyDueChange(change, locked);
  const row = (await renewAutomatically(change, currentRow)) ?? currentRow;
  const before = lifecycleOf(row);
  const after = expire(before, change.today);
  if (after === before) return row;
  const expired = await storeSubscription(change.tx, row.id, { ...columnsOf(after), updated_at: change.now });
  await change.emit(expiredEvent(row, expired));
  return expired;
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
      autoRenew: input.auto_renew,
      periodicity: input.periodicity,
      periodicityType: input.periodicity_type,
    },
    today,
  );
  if (!isDateFault(revised)) return revised;
  throw invalidInput({ [revised.invalid === 'startsOn' ? 'starts_at' : 'ends_at']: [revised.message] });
}

function applyStatus(
  state: SubscriptionLifecycle,
  newStatus: UpdateInput['status'],
  today: Change['today'],
): SubscriptionLifecycle {
  if (newStatus === undefined) return state;
  return stateOrThrow(changeStatus(state, newStatus, today));
}
