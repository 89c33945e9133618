import type { Uuid } from '../platform/identity/identifier.ts';
import type { Change } from './change.ts';

/** The changes that later modules can react to, with their subjects. */
export interface ReactionSubjects {
  /** The sessions of an administrator end: with a new password, a deactivation, or on request. */
  'admin.sessions-ending': { readonly adminId: Uuid; readonly keptFamilyId: Uuid | null };
  'admin.two-factor-enabled': { readonly adminId: Uuid; readonly keptFamilyId: Uuid };
  /** The sessions of a user end: with a new password, a deactivation, or on request. */
  'user.sessions-ending': { readonly userId: Uuid; readonly keptFamilyId: Uuid | null };
  'user.deleting': { readonly userId: Uuid };
  'customer.terminating': { readonly customerId: Uuid };
  'customer.deleting': { readonly customerId: Uuid };
  'subscription.deleting': { readonly subscriptionId: Uuid };
  'account.deleting': { readonly accountId: Uuid };
  'room.deleting': { readonly roomId: Uuid };
}

export type ReactionName = keyof ReactionSubjects;

export type Reaction<Name extends ReactionName> = (change: Change, subject: ReactionSubjects[Name]) => Promise<void>;

/** What one module does, in the same transaction, when an earlier module changes a resource. */
export type Reactions = { readonly [Name in ReactionName]?: Reaction<Name> };

export type RunReactions = <Name extends ReactionName>(
  change: Change,
  name: Name,
  subject: ReactionSubjects[Name],
) => Promise<void>;

/** Runs the reactions of the last module first: children are deleted before their parents. */
export function createReactions(modules: readonly { readonly reactions?: Reactions }[]): RunReactions {
  const lastFirst = modules.flatMap(({ reactions }) => (reactions ? [reactions] : [])).toReversed();
  return async (change, name, subject) => {
    for (const reactions of lastFirst) await reactions[name]?.(change, subject);
  };
}
