import { type Constraints, parseConstraints } from './search.ts';
import type { Noun } from '../noun/noun.ts';
import type { ListState } from './list-state.ts';

/** What a list is narrowed to: by its fields, and by parameters of its own. */
export function narrowedTo(noun: Noun, state: ListState): [fields: Constraints, parameters: Constraints] {
  return [parseConstraints(state.only, noun.filters), parseConstraints(state.only, Object.keys(noun.parameters ?? {}))];
}
