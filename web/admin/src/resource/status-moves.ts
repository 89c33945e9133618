import { type Row, text } from '../../../kit/noun/noun.ts';

/** A change of the status, with its effects. */
export interface StandingMove {
  readonly to: string;
  /** What one does, as a button says it. */
  readonly verb: string;
  readonly isDangerous: boolean;
  readonly effects: readonly string[];
  /** What it then is: "is suspended now". */
  readonly outcome: string;
}

/** What can become of the status of something, by what it is now; nothing where that is no action of its own. */
export function standingMovesOf(path: string, row: Row): readonly StandingMove[] {
  return (moves[path]?.[text(row, 'status')] ?? []).map((move) =>
    path === 'customers' && row.is_reseller === true && move.to !== 'terminated'
      ? { ...move, effects: [...move.effects, 'The same holds for every customer below it.'] }
      : move,
  );
}

/** The move that comes first where something is to be deleted; null where it can be. */
export function moveBeforeDeletion(path: string, row: Row): StandingMove | null {
  const end = lastStatus[path];
  if (end === undefined || row.status === end) return null;
  const possible = standingMovesOf(path, row);
  return possible.find(({ to }) => to === end) ?? possible.find(({ to }) => to === 'terminated') ?? null;
}

/** In which things have to be before they can be deleted. */
const lastStatus: Readonly<Record<string, string>> = {
  customers: 'terminated',
  subscriptions: 'inactive',
  accounts: 'inactive',
};

const customer = {
  reactivate: {
    to: 'active',
    verb: 'Reactivate',
    isDangerous: false,
    effects: ['Its people come in, what it has can be used, and new things can be opened for it again.'],
    outcome: 'is active again',
  },
  suspend: {
    to: 'suspended',
    verb: 'Suspend',
    isDangerous: true,
    effects: [
      'Nothing new is opened for it: no subscription, account, room, user or invitation.',
      'What there is goes on: its people come in, and meetings take place.',
      'Its own people cannot lift it. You can, at any time.',
    ],
    outcome: 'is suspended now',
  },
  takeOut: {
    to: 'inactive',
    verb: 'Take out of use',
    isDangerous: true,
    effects: [
      'Its people can no longer sign in, and its rooms can’t be joined.',
      'Meetings that are running end after the grace of the settings.',
      'Everything is kept, and is back once you reactivate it.',
    ],
    outcome: 'is out of use now',
  },
  terminate: {
    to: 'terminated',
    verb: 'Terminate',
    isDangerous: true,
    effects: [
      'Its subscriptions, accounts and rooms become inactive at once. Its rooms can no longer be joined.',
      'You cannot undo this. Afterwards you can delete the customer.',
    ],
    outcome: 'is terminated',
  },
} as const satisfies Record<string, StandingMove>;

const subscription = {
  reactivate: {
    to: 'active',
    verb: 'Reactivate',
    isDangerous: false,
    effects: ['It can be used again at once, as long as its days allow it. Otherwise renew it.'],
    outcome: 'is active again',
  },
  suspend: {
    to: 'suspended',
    verb: 'Suspend',
    isDangerous: true,
    effects: ['Its rooms can’t be joined until it is reactivated or renewed.', 'Its days run on meanwhile.'],
    outcome: 'is suspended now',
  },
  switchOff: {
    to: 'inactive',
    verb: 'Switch off',
    isDangerous: true,
    effects: ['Its rooms can’t be joined until it is reactivated.', 'Its days run on meanwhile. It can be deleted.'],
    outcome: 'is switched off now',
  },
  terminate: {
    to: 'terminated',
    verb: 'Terminate',
    isDangerous: true,
    effects: ['Its rooms can no longer be joined.', 'It can neither be renewed nor used again, but be deleted.'],
    outcome: 'is terminated',
  },
  release: {
    to: 'inactive',
    verb: 'Release for deletion',
    isDangerous: false,
    effects: ['It stays out of use, and can be deleted.'],
    outcome: 'can be deleted now',
  },
} as const satisfies Record<string, StandingMove>;

const account = {
  reactivate: {
    to: 'active',
    verb: 'Reactivate',
    isDangerous: false,
    effects: ['Its rooms let people in again.'],
    outcome: 'is active again',
  },
  switchOff: {
    to: 'inactive',
    verb: 'Switch off',
    isDangerous: true,
    effects: ['Its rooms can’t be joined until it is reactivated.', 'Afterwards it can be deleted.'],
    outcome: 'is switched off now',
  },
} as const satisfies Record<string, StandingMove>;

const moves: Readonly<Record<string, Readonly<Record<string, readonly StandingMove[]>>>> = {
  customers: {
    active: [customer.suspend, customer.takeOut, customer.terminate],
    suspended: [customer.reactivate, customer.takeOut, customer.terminate],
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
