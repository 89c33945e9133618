import { expect, test } from 'vitest';
import { moveBeforeDeletion, statusMovesOf } from '../src/resource/actions/status-moves.ts';

test('every status offers exactly the moves that the platform allows', () => {
  const to = (path: string, status: string) => statusMovesOf(path, { id: '', status }).map((move) => move.to);
  expect(to('customers', 'suspended')).toEqual(['active', 'inactive', 'terminated']);
  expect(to('customers', 'terminated')).toEqual([]);
  expect(to('subscriptions', 'canceled')).toEqual(['terminated']);
  expect(to('subscriptions', 'terminated')).toEqual(['inactive']);
  expect(to('rooms', 'active')).toEqual([]);
});

test('a resource that cannot be deleted yet offers the required move', () => {
  const first = (path: string, status: string) => moveBeforeDeletion(path, { id: '', status })?.to ?? null;
  expect(first('customers', 'active')).toBe('terminated');
  expect(first('customers', 'terminated')).toBeNull();
  expect(first('subscriptions', 'active')).toBe('inactive');
  expect(first('subscriptions', 'canceled')).toBe('terminated');
  expect(first('subscriptions', 'inactive')).toBeNull();
  expect(first('accounts', 'active')).toBe('inactive');
  expect(first('service-packages', 'active')).toBeNull();
});

test('moves of a reseller mention the customers below it, except moves that are refused because of them', () => {
  const messageOf = (path: string, to: string) =>
    statusMovesOf(path, { id: '', status: 'active', is_reseller: true })
      .find((move) => move.to === to)
      ?.effects.at(-1);
  expect(messageOf('customers', 'suspended')).toMatch(/every customer below/);
  expect(messageOf('customers', 'terminated')).not.toMatch(/below/);
});
