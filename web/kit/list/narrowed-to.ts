import { type Constraints, parseConstraints } from './search.ts';
import type { Noun } from '../noun/noun.ts';
import type { ListState } from './list-state.ts';

/** Filters of a list, by fields and by its own parameters. */
export function narrowedTo(noun: Noun, state: ListState): [fields: Constraints, parameters: Constraints] {
  return [parseConstraints(state.only, noun.filters), parseConstraints(state.only, Object.keys(noun.parameters ?? {}))];
}
