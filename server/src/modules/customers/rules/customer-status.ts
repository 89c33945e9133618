import type { customerStatuses } from '@foyer/contract/resources/customers/customer.ts';
import { conflict } from '../../../platform/failures.ts';

export type CustomerStatus = (typeof customerStatuses)[number];

/** The allowed status changes. Termination is final. */
const transitions: Readonly<Record<CustomerStatus, readonly CustomerStatus[]>> = {
  active: ['inactive', 'suspended', 'terminated'],
  inactive: ['active', 'suspended', 'terminated'],
  suspended: ['active', 'inactive', 'terminated'],
  terminated: [],
};

/** @throws 409 `status-change-not-allowed`; keeping the status is always allowed. */
export function refuseTransition(from: CustomerStatus, to: CustomerStatus): void {
  if (from === to || transitions[from].includes(to)) return;
  const allowed = transitions[from].length === 0 ? 'none' : transitions[from].join(', ');
  const message = `The status cannot change from ${from} to ${to}. Allowed: ${allowed}.`;
  throw conflict('status-change-not-allowed', message, { status: [message] });
}

export interface CustomerUse {
  readonly canSignIn: boolean;
  /** Whether its rooms and subscriptions can be used. */
  readonly canUse: boolean;
  /** Whether subscriptions, accounts, rooms, users and invitations can be created. */
  readonly canCreate: boolean;
}

const useByStatus: Readonly<Record<CustomerStatus, CustomerUse>> = {
  active: { canSignIn: true, canUse: true, canCreate: true },
  suspended: { canSignIn: true, canUse: true, canCreate: false },
  inactive: { canSignIn: false, canUse: false, canCreate: false },
  terminated: { canSignIn: false, canUse: false, canCreate: false },
};

export function customerUse(status: CustomerStatus): CustomerUse {
  return useByStatus[status];
}
