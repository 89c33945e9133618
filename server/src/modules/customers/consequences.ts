import { createConsequences } from '../../events/consequences.ts';

/** What becomes inactive below a customer that is terminated: its rooms, accounts and subscriptions. */
export const whenCustomerIsTerminated = createConsequences();

/** What goes with a customer: its accounts, with their rooms, and its subscriptions. */
export const whenCustomerIsDeleted = createConsequences();
