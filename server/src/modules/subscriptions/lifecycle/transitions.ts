import type { ErrorCode } from '@foyer/contract/conventions/error-codes.ts';

export type SubscriptionStatus = 'active' | 'inactive' | 'canceled' | 'suspended' | 'terminated';

/**
 * The moves that callers can make. `uncancel` renews a canceled subscription; `take-back` withdraws a cancellation that
 * has not taken effect, without a renewal.
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
 * The next status by status and move. Other moves are rejected, except `cancel`, which is ignored. `lifecycle.ts` adds
 * conditions to moves from `inactive` and `suspended`.
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

/** The statuses that a request can set. */
export function settableStatuses(status: SubscriptionStatus): SubscriptionStatus[] {
  return Object.entries(transitions[status]).flatMap(([move, to]) =>
    move.startsWith('set-') && to !== 'deleted' ? [to] : [],
  );
}

/** Why a move is not allowed, and the moves that are. */
export interface Refusal {
  readonly refused: ErrorCode;
  readonly message: string;
  readonly allowed: readonly SubscriptionMove[];
}

export function isRefusal(outcome: object): outcome is Refusal {
  return 'refused' in outcome;
}
