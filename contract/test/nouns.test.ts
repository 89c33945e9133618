import { expect, test } from 'vitest';
import type { Noun } from '../src/conventions/noun.ts';
import { permissions } from '../src/conventions/permissions.ts';
import { nouns } from '../src/resources/nouns.ts';

const all = Object.values<Noun>(nouns);

test('every permission that another one requires exists', () => {
  const names = new Set(permissions.map(({ name }) => name));
  expect(permissions.flatMap(({ requires }) => requires).filter((name) => !names.has(name))).toEqual([]);
});

test('no two nouns declare the same permissions, and only lists without identifiers share a prefix', () => {
  const groups = all.flatMap((noun) => Object.keys(noun.permissions ?? {}));
  expect(groups).toEqual([...new Set(groups)]);
  const prefixes = all
    .filter(({ object }) => object !== 'Feature' && object !== 'EventType')
    .flatMap(({ prefix }) => prefix ?? []);
  expect(prefixes).toEqual([...new Set(prefixes)]);
});
