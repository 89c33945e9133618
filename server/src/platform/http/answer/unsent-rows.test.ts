import { expect, test } from 'vitest';
import { createUnsentRows } from './unsent-rows.ts';

const megabyte = 1_048_576;

test('unread answers of one caller are limited; a single answer may have any length', () => {
  const rows = createUnsentRows();
  const reader = { caller: 'one', tenant: null };
  const release = rows.hold(reader, 50 * megabyte);
  expect(() => rows.hold(reader, megabyte)).toThrow('not read yet');
  expect(() => rows.check(reader)).toThrow('not read yet');
  release();
  release();
  rows.check(reader);
  rows.hold(reader, 20 * megabyte);
  rows.hold(reader, 12 * megabyte);
  expect(() => rows.hold(reader, megabyte)).toThrow('not read yet');
});

test('unread answers of all users of one tenant together leave room for other tenants', () => {
  const rows = createUnsentRows();
  const users = Array.from({ length: 10 }, (_, index) => ({ caller: `user ${index}`, tenant: 'tenant' }));
  const held = users.filter((reader) => {
    try {
      rows.hold(reader, 27 * megabyte);
      return true;
    } catch {
      return false;
    }
  });
  expect(held).toHaveLength(2);
  rows.hold({ caller: 'other', tenant: 'other tenant' }, 27 * megabyte);
});
