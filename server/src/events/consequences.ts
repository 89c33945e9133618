import type { Uuid } from '../platform/identifier.ts';
import type { Change } from './change.ts';

/**
 * What must happen elsewhere in the same transaction when a resource changes. Earlier modules run it without knowing
 * the later ones that registered, the last registered first: what is below goes before what it stands on.
 */
export interface Consequences<Subject = Uuid> {
  add(consequence: (under: Change, subject: Subject) => Promise<void>): void;
  run(under: Change, subject: Subject): Promise<void>;
}

export function createConsequences<Subject = Uuid>(): Consequences<Subject> {
  const registered: ((under: Change, subject: Subject) => Promise<void>)[] = [];
  return {
    add: (consequence) => void registered.unshift(consequence),
    async run(under, subject) {
      for (const consequence of registered) await consequence(under, subject);
    },
  };
}
