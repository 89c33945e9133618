import { expect, test } from 'vitest';
import { moveBeforeDeletion, statusMovesOf } from '../src/resource/actions/status-moves.ts';

test('from every status there are only the moves that the platform makes, and none leads nowhere', () => {
  const to = (path: string, status: string) => statusMovesOf(path, { id: '', status }).map((move) => move.to);
  expect(to('customers', 'suspended')).toEqual(['active', 'inactive', 'terminated']);
  expect(to('customers', 'terminated')).toEqual([]);
  expect(to('subscriptions', 'canceled')).toEqual(['terminated']);
  expect(to('subscriptions', 'terminated')).toEqual(['inactive']);
  expect(to('rooms', 'active')).toEqual([]);
});

test('what cannot be deleted yet leads to what comes first', () => {
  const first = (path: string, status: string) => moveBeforeDeletion(path, { id: '', status })?.to ?? null;
  expect(first('customers', 'active')).toBe('terminated');
  expect(first('customers', 'terminated')).toBeNull();
  expect(first('subscriptions', 'active')).toBe('inactive');
  expect(first('subscriptions', 'canceled')).toBe('terminated');
  expect(first('subscriptions', 'inactive')).toBeNull();
  expect(first('accounts', 'active')).toBe('inactive');
  expect(first('service-packages', 'active')).toBeNull();
});

test('what happens to a reseller is said to happen to those below it, but for what it is refused for', () => {
  const said = (path: string, to: string) =>
    statusMovesOf(path, { id: '', status: 'active', is_reseller: true })
      .find((move) => move.to === to)
      ?.effects.at(-1);
  expect(said('customers', 'suspended')).toMatch(/every customer below/);
  expect(said('customers', 'terminated')).not.toMatch(/below/);
});
