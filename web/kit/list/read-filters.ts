import { type Constraints, parseConstraints } from './search.ts';
import type { Noun } from '../noun/noun.ts';
import type { ListState } from './list-state.ts';

/** Reads the filters of a list from its state: by fields, and by query parameters. */
export function readFilters(noun: Noun, state: ListState): [fields: Constraints, parameters: Constraints] {
  return [parseConstraints(state.only, noun.filters), parseConstraints(state.only, Object.keys(noun.parameters ?? {}))];
}
