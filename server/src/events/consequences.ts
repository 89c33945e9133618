import type { Uuid } from '../platform/identifier.ts';
import type { Change } from './change.ts';

/**
 * What must happen elsewhere in the same transaction when a resource changes. Earlier modules run it without knowing
 * the later ones that registered, the last registered first: what is below goes before what it stands on.
 */
export interface Consequences {
  add(consequence: (under: Change, id: Uuid) => Promise<void>): void;
  run(under: Change, id: Uuid): Promise<void>;
}

export function createConsequences(): Consequences {
  const registered: ((under: Change, id: Uuid) => Promise<void>)[] = [];
  return {
    add: (consequence) => void registered.unshift(consequence),
    async run(under, id) {
      for (const consequence of registered) await consequence(under, id);
    },
  };
}
