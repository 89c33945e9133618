import { expect, test } from 'vitest';
import type { Noun } from '../src/conventions/noun.ts';
import { permissions } from '../src/conventions/permissions.ts';
import { nouns } from '../src/resources/nouns.ts';

const allNouns = Object.values<Noun>(nouns);

test('every permission that another one requires exists', () => {
  const names = new Set(permissions.map(({ name }) => name));
  expect(permissions.flatMap(({ requires }) => requires).filter((name) => !names.has(name))).toEqual([]);
});

test('no two nouns declare the same permissions, and no two resources with identifiers share a prefix', () => {
  const groups = allNouns.flatMap((noun) => Object.keys(noun.permissions ?? {}));
  expect(groups).toEqual([...new Set(groups)]);
  const prefixes = allNouns
    .filter(({ object }) => object !== 'Feature' && object !== 'EventType')
    .flatMap(({ prefix }) => prefix ?? []);
  expect(prefixes).toEqual([...new Set(prefixes)]);
});
