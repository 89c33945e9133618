import { expect, test } from 'vitest';
import { changedFields, chooseSide, mergeSets, mergeUntouched } from '../concurrency/merge.ts';

const before = { name: 'Acme', phone: '1', note: null, tags: ['a'], metadata: { team: 'red', size: 3 } };

test('nothing is merged if the other person changed nothing, or made the same change', () => {
  const names = Object.keys(before);
  expect(changedFields(names, { before, theirs: before, mine: { ...before, name: 'Mine' } })).toEqual([]);
  const same = { ...before, name: 'Same', note: '' };
  expect(changedFields(names, { before, theirs: same, mine: same })).toEqual([]);
});

test('changes that only the other person made are adopted, and the input in this form is kept', () => {
  const theirs = { ...before, phone: '2', tags: ['a', 'b'] };
  const mine = { ...before, name: 'Mine' };
  const changed = changedFields(Object.keys(before), { before, theirs, mine });
  expect(changed.map(({ path, isConflict }) => [path, isConflict])).toEqual([
    [['phone'], false],
    [['tags'], false],
  ]);
  expect(mergeUntouched(mine, changed)).toEqual({ ...before, name: 'Mine', phone: '2', tags: ['a', 'b'] });
});

test('a field that both people changed keeps the input of this form until one value is chosen', () => {
  const theirs = { ...before, name: 'Theirs' };
  const mine = { ...before, name: 'Mine' };
  const [conflict] = changedFields(['name'], { before, theirs, mine });
  expect(conflict).toEqual({ path: ['name'], before: 'Acme', theirs: 'Theirs', mine: 'Mine', isConflict: true });
  if (!conflict) return;
  expect(mergeUntouched(mine, [conflict])).toEqual(mine);
  expect(chooseSide(mine, conflict, 'theirs')['name']).toBe('Theirs');
  expect(chooseSide({ ...mine, name: 'Later' }, conflict, 'mine')['name']).toBe('Mine');
});

test('maps are merged key by key, also where a key was added or removed', () => {
  const theirs = { metadata: { team: 'blue', floor: 2 } };
  const mine = { metadata: { team: 'green', size: 3, door: 'A' } };
  const changed = changedFields(['metadata'], { before, theirs, mine });
  expect(changed.map(({ path, isConflict }) => [path.join('.'), isConflict])).toEqual([
    ['metadata.team', true],
    ['metadata.size', false],
    ['metadata.floor', false],
  ]);
  expect(mergeUntouched(mine, changed)).toEqual({ metadata: { team: 'green', door: 'A', floor: 2 } });
  const absent = changedFields(['metadata'], { before: { metadata: null }, theirs, mine: { metadata: undefined } });
  expect(mergeUntouched({ metadata: undefined }, absent)).toEqual(theirs);
});

test('a value that was emptied by the other person can be chosen', () => {
  const theirs = { ...before, name: null };
  const [field] = changedFields(['name'], { before, theirs, mine: { ...before, name: 'Mine' } });
  expect(field?.isConflict).toBe(true);
  expect(field && chooseSide(before, field, 'theirs')['name']).toBeNull();
});

test('sets are merged by the additions and removals of both sides', () => {
  const merged = mergeSets(new Set(['a', 'b', 'c']), new Set(['a', 'c', 'x']), new Set(['a', 'b', 'y']));
  expect([...merged].sort()).toEqual(['a', 'x', 'y']);
});
