import { expect, test } from 'vitest';
import { moveBeforeDeletion, statusMovesOf } from '../src/resource/actions/status-moves.ts';

test('every status offers exactly the changes that the platform allows', () => {
  const movesFrom = (path: string, status: string) => statusMovesOf(path, { id: '', status }).map((move) => move.to);
  expect(movesFrom('customers', 'suspended')).toEqual(['active', 'inactive', 'terminated']);
  expect(movesFrom('customers', 'terminated')).toEqual([]);
  expect(movesFrom('subscriptions', 'canceled')).toEqual(['terminated']);
  expect(movesFrom('subscriptions', 'terminated')).toEqual(['inactive']);
  expect(movesFrom('rooms', 'active')).toEqual([]);
});

test('a resource that cannot be deleted yet offers the required status change', () => {
  const requiredMove = (path: string, status: string) => moveBeforeDeletion(path, { id: '', status })?.to ?? null;
  expect(requiredMove('customers', 'active')).toBe('terminated');
  expect(requiredMove('customers', 'terminated')).toBeNull();
  expect(requiredMove('subscriptions', 'active')).toBe('inactive');
  expect(requiredMove('subscriptions', 'canceled')).toBe('terminated');
  expect(requiredMove('subscriptions', 'inactive')).toBeNull();
  expect(requiredMove('accounts', 'active')).toBe('inactive');
  expect(requiredMove('service-packages', 'active')).toBeNull();
});

test('status changes of a reseller mention the customers below it, except a termination', () => {
  const lastEffectOf = (path: string, to: string) =>
    statusMovesOf(path, { id: '', status: 'active', is_reseller: true })
      .find((move) => move.to === to)
      ?.effects.at(-1);
  expect(lastEffectOf('customers', 'suspended')).toMatch(/every customer below/);
  expect(lastEffectOf('customers', 'terminated')).not.toMatch(/below/);
});
