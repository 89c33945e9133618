import { type Change } from '../../events/change.ts';
import { Failure } from '../../platform/failures.ts';
import { printIdentifier, type Uuid } from '../../platform/identifier.ts';
import { consume, findUsedFeature, release, requireSubscription, rollWindow, spend } from './store.ts';
import { usageOf } from './usage-of-row.ts';

/**
 * Takes `amount` of a consumable feature for the change under way; with the change it is undone.
 * @throws 422 `feature-limit-reached` that names tag, limit and what is used, or `feature-not-sold`.
 */
export async function consumeFeature(under: Change, subscriptionId: Uuid, tag: string, amount = 1): Promise<void> {
  const { tx, now, today } = under;
  const taken =
    (await consume(tx, subscriptionId, tag, amount, today, now)) ??
    (await consumeInNextWindow(under, subscriptionId, tag, amount));
  if (String(taken.used) === taken.value) {
    const { subscriber_id: customerId } = await requireSubscription(tx, subscriptionId);
    await under.emit({
      name: 'subscription.limit_reached',
      resource: { type: 'ServicePackageSubscription', id: subscriptionId },
      customerId,
      after: { tag, limit: taken.value, used: taken.used },
    });
  }
}

export async function releaseFeature(
  { tx, now }: Change,
  subscriptionId: Uuid,
  tag: string,
  amount = 1,
): Promise<void> {
  await release(tx, subscriptionId, tag, amount, now);
}

/** Adds what was spent, even where it exceeds what was sold: it cannot be unspent. */
export async function spendFeature(under: Change, subscriptionId: Uuid, tag: string, amount: number): Promise<void> {
  const { tx, now, today } = under;
  const feature = await findUsedFeature(tx, subscriptionId, tag);
  if (!feature) return;
  const usage = usageOf(feature, today);
  if (feature.valid_until !== null && usage.validUntil !== feature.valid_until) {
    await rollWindow(tx, feature.usage_id, feature.valid_until, usage.validUntil, now);
  }
  await spend(tx, subscriptionId, tag, amount, now);
}

async function consumeInNextWindow(
  under: Change,
  subscriptionId: Uuid,
  tag: string,
  amount: number,
): Promise<{ used: number; value: string }> {
  const { tx, now, today } = under;
  const feature = await findUsedFeature(tx, subscriptionId, tag);
  if (!feature) throw notSold(tag);
  const usage = usageOf(feature, today);
  if (feature.valid_until !== null && usage.validUntil !== feature.valid_until) {
    await rollWindow(tx, feature.usage_id, feature.valid_until, usage.validUntil, now);
    const taken = await consume(tx, subscriptionId, tag, amount, today, now);
    if (taken) return taken;
  }
  throw limitReached(subscriptionId, tag, feature.value, usage.used);
}

/** @throws 422 `feature-not-sold` where the subscription does not switch the flag on */
export async function requireFlag({ tx }: Change, subscriptionId: Uuid, tag: string): Promise<void> {
  const feature = await findUsedFeature(tx, subscriptionId, tag);
  if (feature?.value !== 'true') throw notSold(tag);
}

function notSold(tag: string): Failure {
  const message = `The subscription does not include ${tag}.`;
  return new Failure('feature-not-sold', message, { errors: { [tag]: [message] } });
}

function limitReached(subscriptionId: Uuid, tag: string, limit: string, used: number): Failure {
  const message = `The limit of ${tag} is reached: ${used} of ${limit} are used in the subscription ${printIdentifier('sub', subscriptionId)}.`;
  return new Failure('feature-limit-reached', message, { errors: { [tag]: [message] } });
}
