import type { Change, RunReactions } from './change.ts';
import type { ReactionName, ReactionSubjects } from './reaction-subjects.ts';

export type Reaction<Name extends ReactionName> = (change: Change, subject: ReactionSubjects[Name]) => Promise<void>;

/** Functions of a module that run in the transaction in which an earlier module changes a resource. */
export type Reactions = { readonly [Name in ReactionName]?: Reaction<Name> };

/** Runs the reactions of the last module first: children are deleted before their parents. */
export function createReactions(modules: readonly { readonly reactions?: Reactions }[]): RunReactions {
  const lastFirst = modules.flatMap(({ reactions }) => (reactions ? [reactions] : [])).toReversed();
  return async (change, name, subject) => {
    for (const reactions of lastFirst) await reactions[name]?.(change, subject);
  };
}
