import type { WriteTarget } from '../../../kit/concurrency/write-if-unchanged.ts';

/** The members on which a renewal, cancellation or package change depends. */
export function termsTarget(subscriptionId: string): WriteTarget {
  return {
    read: 'readSubscription',
    params: { subscription_id: subscriptionId },
    members: [
      'status',
      'package_id',
      'price',
      'periodicity',
      'periodicity_type',
      'starts_at',
      'ends_at',
      'canceled_at',
    ],
  };
}
