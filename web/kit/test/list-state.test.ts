import { expect, test } from 'vitest';
import { escapeSearch, parseConstraints, printConstraints, searchQuery } from '../list/search.ts';
import { withFilters, nextOrder, readListState } from '../list/list-state.ts';

test('typed text is searched literally, including special characters', () => {
  expect(escapeSearch('a:b;c,d\\e')).toBe('a\\:b\\;c\\,d\\\\e');
  expect(searchQuery('status:active', {})).toEqual({ search: 'status\\:active', searchJoin: 'and' });
});

test('free text and constraints must all match; without either there is no search', () => {
  expect(searchQuery(' Ada  Berg ', { status: 'active', customer_id: 'cust_1' })).toEqual({
    search: 'status:active;customer_id:cust_1;Ada  Berg',
    searchJoin: 'and',
  });
  expect(searchQuery('   ', {})).toEqual({});
});

test('filters are stored in the address; fields that the list does not offer are dropped', () => {
  const text = printConstraints({ status: 'active', room_type: '' });
  expect(text).toBe('status:active');
  expect(parseConstraints('status:active;evil:1;:x;y', ['status'])).toEqual({ status: 'active' });
  expect(printConstraints({})).toBeUndefined();
});

test('an invalid address shows the default first page', () => {
  expect(readListState({ page: 'x', limit: 7, sortedBy: 'up', find: '', only: 3, orderBy: null })).toEqual({});
  expect(readListState({ page: '3', limit: 50, find: 42, orderBy: 'name', sortedBy: 'desc' })).toEqual({
    page: 3,
    limit: 50,
    find: '42',
    orderBy: 'name',
    sortedBy: 'desc',
  });
});

test('a column is sorted ascending, then descending, then not at all', () => {
  const up = nextOrder({ page: 4, find: 'a' }, 'name');
  expect(up).toEqual({ find: 'a', orderBy: 'name', sortedBy: 'asc' });
  const down = nextOrder(up, 'name');
  expect(down).toEqual({ find: 'a', orderBy: 'name', sortedBy: 'desc' });
  expect(nextOrder(down, 'name')).toEqual({ find: 'a' });
  expect(nextOrder(down, 'status')).toEqual({ find: 'a', orderBy: 'status', sortedBy: 'asc' });
});

test('a new search returns to the first page', () => {
  expect(withFilters({ page: 4, limit: 50, find: 'a', only: 's:x' }, { find: 'b' })).toEqual({
    limit: 50,
    find: 'b',
    only: 's:x',
  });
  expect(withFilters({ find: 'a', only: 's:x' }, { only: undefined })).toEqual({ find: 'a' });
});
