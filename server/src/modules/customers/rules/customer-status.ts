import type { customerStatuses } from '@foyer/contract/resources/customer.ts';
import { conflict } from '../../../platform/failures.ts';

export type CustomerStatus = (typeof customerStatuses)[number];

/** Where each state leads. Termination is final. */
const transitions: Readonly<Record<CustomerStatus, readonly CustomerStatus[]>> = {
  active: ['inactive', 'suspended', 'terminated'],
  inactive: ['active', 'suspended', 'terminated'],
  suspended: ['active', 'inactive', 'terminated'],
  terminated: [],
};

/** @throws 409 `status-change-not-allowed`; staying where it is is no move. */
export function refuseTransition(from: CustomerStatus, to: CustomerStatus): void {
  if (from === to || transitions[from].includes(to)) return;
  const allowed = transitions[from].length === 0 ? 'none' : transitions[from].join(', ');
  const message = `A customer that is ${from} cannot become ${to}. Allowed moves: ${allowed}.`;
  throw conflict('status-change-not-allowed', message, { status: [message] });
}

export interface CustomerUse {
  /** Its users may come in. */
  readonly canSignIn: boolean;
  /** What exists below it may be used. */
  readonly canUse: boolean;
  /** Subscriptions, accounts, rooms, users and invitations may be added. */
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
