import type { customerStatuses } from '@foyer/contract/resources/customer.ts';
import { conflict } from '../../../platform/failures.ts';

export type CustomerStatus = (typeof customerStatuses)[number];

/** Where each state leads. Termination is final. */
const moves: Readonly<Record<CustomerStatus, readonly CustomerStatus[]>> = {
  active: ['inactive', 'suspended', 'terminated'],
  inactive: ['active', 'suspended', 'terminated'],
  suspended: ['active', 'inactive', 'terminated'],
  terminated: [],
};

/** @throws 409 `status-change-not-allowed`; staying where it is is no move. */
export function refuseMove(from: CustomerStatus, to: CustomerStatus): void {
  if (from === to || moves[from].includes(to)) return;
  const allowed = moves[from].length === 0 ? 'none' : moves[from].join(', ');
  const message = `A customer that is ${from} cannot become ${to}. Allowed moves: ${allowed}.`;
  throw conflict('status-change-not-allowed', message, { status: [message] });
}

export interface CustomerUse {
  /** Its users may come in. */
  readonly access: boolean;
  /** What exists below it may be used. */
  readonly use: boolean;
  /** Subscriptions, accounts, rooms, users and invitations may be added. */
  readonly newThings: boolean;
}

const uses: Readonly<Record<CustomerStatus, CustomerUse>> = {
  active: { access: true, use: true, newThings: true },
  suspended: { access: true, use: true, newThings: false },
  inactive: { access: false, use: false, newThings: false },
  terminated: { access: false, use: false, newThings: false },
};

export function customerUse(status: CustomerStatus): CustomerUse {
  return uses[status];
}
