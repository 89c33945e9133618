import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';

export type SubscriptionStatus = 'active' | 'inactive' | 'canceled' | 'suspended' | 'terminated';

/**
 * What callers do to a subscription. `uncancel` is a renewal that takes a cancellation back first, `take-back` takes one
 * back that has not taken effect yet, and renews nothing.
 */
export const subscriptionMoves = [
  'renew',
  'uncancel',
  'take-back',
  'cancel',
  'change-package',
  'set-active',
  'set-inactive',
  'set-suspended',
  'set-terminated',
  'delete',
] as const;

export type SubscriptionMove = (typeof subscriptionMoves)[number];

/**
 * Where each move leads from each state; what is not listed is refused, but for a `cancel`, which is then ignored.
 * Only from `inactive` and `suspended` is there more to ask: what was canceled goes on by `uncancel` alone, all else
 * never by it, and a suspended one is set active only while its dates allow its use.
 */
export const transitions: Readonly<
  Record<SubscriptionStatus, Partial<Record<SubscriptionMove | 'expire', SubscriptionStatus | 'deleted'>>>
> = {
  active: {
    renew: 'active',
    cancel: 'canceled',
    'change-package': 'active',
    'set-inactive': 'inactive',
    'set-suspended': 'suspended',
    'set-terminated': 'terminated',
    expire: 'suspended',
  },
  inactive: { 'set-active': 'active', 'set-terminated': 'terminated', delete: 'deleted' },
  canceled: { uncancel: 'active', 'take-back': 'active', 'set-terminated': 'terminated', expire: 'suspended' },
  suspended: { renew: 'active', uncancel: 'active', 'set-active': 'active', 'set-terminated': 'terminated' },
  terminated: { 'set-inactive': 'inactive' },
};

/** The states that an administrator can set by hand from this one. */
export function settableStatuses(status: SubscriptionStatus): SubscriptionStatus[] {
  return Object.entries(transitions[status]).flatMap(([move, to]) =>
    move.startsWith('set-') && to !== 'deleted' ? [to] : [],
  );
}

/** Why a move is not made, and what is possible instead. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly message: string;
  readonly allowed: readonly SubscriptionMove[];
}

export function isRefusal(outcome: object): outcome is Refusal {
  return 'refused' in outcome;
}
