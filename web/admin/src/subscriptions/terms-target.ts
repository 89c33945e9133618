import type { WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';

/** A write that fails if a field on which renewals, cancellations and package changes depend has changed. */
export function termsTarget(subscriptionId: string): WriteTarget {
  return {
    read: 'readSubscription',
    params: { subscription_id: subscriptionId },
    fields: ['status', 'package_id', 'price', 'periodicity', 'periodicity_type', 'starts_at', 'ends_at', 'canceled_at'],
  };
}
