import { type Row, text } from '../../../../kit/noun/noun.ts';

/** A change of the status, with its effects. */
export interface StatusMove {
  readonly to: string;
  /** The label of the button. */
  readonly verb: string;
  readonly isDangerous: boolean;
  readonly effects: readonly string[];
  /** The new status within a sentence: "has been suspended". */
  readonly outcome: string;
}

/** The status changes that a resource allows now; empty if its status is only changed in the edit form. */
export function statusMovesOf(path: string, row: Row): readonly StatusMove[] {
  return (moves[path]?.[text(row, 'status')] ?? []).map((move) =>
    path === 'customers' && row.is_reseller === true && move.to !== 'terminated'
      ? { ...move, effects: [...move.effects, 'The same applies to every customer below it.'] }
      : move,
  );
}

/** The status change that is required before deletion; null if the resource can be deleted. */
export function moveBeforeDeletion(path: string, row: Row): StatusMove | null {
  const deletableStatus = deletableStatuses[path];
  if (deletableStatus === undefined || row.status === deletableStatus) return null;
  const possibleMoves = statusMovesOf(path, row);
  const findMove = (status: string) => possibleMoves.find(({ to }) => to === status);
  return findMove(deletableStatus) ?? findMove('terminated') ?? null;
}

/** The status in which a resource can be deleted. */
const deletableStatuses: Readonly<Record<string, string>> = {
  customers: 'terminated',
  subscriptions: 'inactive',
  accounts: 'inactive',
};

const customer = {
  reactivate: {
    to: 'active',
    verb: 'Reactivate',
    isDangerous: false,
    effects: ['Its users can join rooms again, and you can create new items for it again.'],
    outcome: 'is active again',
  },
  suspend: {
    to: 'suspended',
    verb: 'Suspend',
    isDangerous: true,
    effects: [
      'Nothing new can be created for it: no subscriptions, accounts, rooms, users or invitations.',
      'Existing rooms keep working: its users can join, and meetings take place.',
      'You can reactivate it at any time, but its own users cannot.',
    ],
    outcome: 'has been suspended',
  },
  switchOff: {
    to: 'inactive',
    verb: 'Switch off',
    isDangerous: true,
    effects: [
      'Its users can no longer sign in, and its rooms can’t be joined.',
      'Running meetings end after the grace period in the settings.',
      'All its data is kept, and it works again as soon as you reactivate it.',
    ],
    outcome: 'has been switched off',
  },
  terminate: {
    to: 'terminated',
    verb: 'Terminate',
    isDangerous: true,
    effects: [
      'Its subscriptions, accounts and rooms become inactive immediately. Its rooms can no longer be joined.',
      'You cannot undo this. Afterwards you can delete the customer.',
    ],
    outcome: 'is terminated',
  },
} as const satisfies Record<string, StatusMove>;

const subscription = {
  reactivate: {
    to: 'active',
    verb: 'Reactivate',
    isDangerous: false,
    effects: ['It can be used again immediately if its period has not ended. Otherwise renew it.'],
    outcome: 'is active again',
  },
  suspend: {
    to: 'suspended',
    verb: 'Suspend',
    isDangerous: true,
    effects: ['Its rooms can’t be joined until it is reactivated or renewed.', 'Its period continues to run.'],
    outcome: 'has been suspended',
  },
  switchOff: {
    to: 'inactive',
    verb: 'Switch off',
    isDangerous: true,
    effects: ['Its rooms can’t be joined until it is reactivated.', 'Its period continues to run. It can be deleted.'],
    outcome: 'has been switched off',
  },
  terminate: {
    to: 'terminated',
    verb: 'Terminate',
    isDangerous: true,
    effects: ['Its rooms can no longer be joined.', 'It can’t be renewed or used again, but it can be deleted.'],
    outcome: 'is terminated',
  },
  release: {
    to: 'inactive',
    verb: 'Release for deletion',
    isDangerous: false,
    effects: ['It stays unusable, and can be deleted.'],
    outcome: 'can now be deleted',
  },
} as const satisfies Record<string, StatusMove>;

const account = {
  reactivate: {
    to: 'active',
    verb: 'Reactivate',
    isDangerous: false,
    effects: ['Its rooms can be joined again.'],
    outcome: 'is active again',
  },
  switchOff: {
    to: 'inactive',
    verb: 'Switch off',
    isDangerous: true,
    effects: ['Its rooms can’t be joined until it is reactivated.', 'Afterwards it can be deleted.'],
    outcome: 'has been switched off',
  },
} as const satisfies Record<string, StatusMove>;

const moves: Readonly<Record<string, Readonly<Record<string, readonly StatusMove[]>>>> = {
  customers: {
    active: [customer.suspend, customer.switchOff, customer.terminate],
    suspended: [customer.reactivate, customer.switchOff, customer.terminate],
    inactive: [customer.reactivate, customer.suspend, customer.terminate],
  },
  subscriptions: {
    active: [subscription.suspend, subscription.switchOff, subscription.terminate],
    inactive: [subscription.reactivate, subscription.terminate],
    canceled: [subscription.terminate],
    suspended: [subscription.reactivate, subscription.terminate],
    terminated: [subscription.release],
  },
  accounts: {
    active: [account.switchOff],
    inactive: [account.reactivate],
  },
};
