import { Account } from '@foyer/contract/resources/customers/account.ts';
import { Room } from '@foyer/contract/resources/rooms/room.ts';
import { Subscription } from '@foyer/contract/resources/subscriptions/subscription.ts';
import { expect, test } from 'vitest';
import { columnsOf, includesOf } from '../../kit/list/columns.ts';
import { nounIndex } from '../src/nouns/nouns.ts';
import { resourceOf } from '../../kit/noun/resource-of.ts';

test('a table can show every scalar member of a resource, and no map, long text or alternative id', () => {
  const names = columnsOf(Room, nounIndex.prefixOfObject).map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['id', 'room_name', 'status', 'is_public', 'slug', 'created_at']));
  for (const name of [
    'object',
    'uuid',
    'ulid',
    'room_features',
    'room_settings',
    'room_metadata',
    'readable_created_at',
  ]) {
    expect(names).not.toContain(name);
  }
});

test('a reference is included through the relationship with its name, or through the only one to its type', () => {
  const room = columnsOf(Room, nounIndex.prefixOfObject).find(({ name }) => name === 'customer_id');
  expect(room).toMatchObject({ refersTo: 'cust', include: 'customer', label: 'Customer' });
  const account = columnsOf(Account, nounIndex.prefixOfObject).find(({ name }) => name === 'subscriber_id');
  expect(account).toMatchObject({ refersTo: 'cust', include: 'customer' });
  const subscription = columnsOf(Subscription, nounIndex.prefixOfObject).find(({ name }) => name === 'package_id');
  expect(subscription).toMatchObject({ refersTo: 'pkg', include: 'package' });
});

test('the id of a row is not a reference', () => {
  expect(columnsOf(Room, nounIndex.prefixOfObject).find(({ name }) => name === 'id')).toMatchObject({
    refersTo: null,
    include: null,
  });
});

test('a table only requests the relationships of its visible columns', () => {
  const columns = columnsOf(Room, nounIndex.prefixOfObject).filter(({ name }) =>
    ['room_name', 'account_id'].includes(name),
  );
  expect(includesOf(columns)).toBe('account');
  expect(includesOf([])).toBeUndefined();
});

test.each(nounIndex.all)('the columns and filters of $path exist in the contract', (noun) => {
  const columns = columnsOf(resourceOf(noun), nounIndex.prefixOfObject);
  const names = [...columns.map(({ name }) => name), ...Object.keys(noun.relationships ?? {})];
  expect(names).toEqual(expect.arrayContaining([...noun.columns, ...noun.filters]));
  for (const name of noun.filters) {
    const column = columns.find((candidate) => candidate.name === name);
    // A list with one or two filters shows them as selects beside the search field.
    if (noun.filters.length <= 2) expect(column?.choices.length).toBeGreaterThan(1);
    else expect(column).toBeDefined();
  }
});
