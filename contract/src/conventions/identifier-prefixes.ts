import { nouns } from '../resources/nouns.ts';
import type { Noun } from './noun.ts';

type Nouns = typeof nouns;

export type IdentifierPrefix = {
  [Name in keyof Nouns]: Nouns[Name] extends { prefix: infer Prefix extends string } ? Prefix : never;
}[keyof Nouns];

/** The type prefix of each resource's `id`. */
export const identifierPrefixes = [
  ...new Set(Object.values<Noun>(nouns).flatMap(({ prefix }) => (prefix === undefined ? [] : [prefix]))),
] as readonly IdentifierPrefix[];
