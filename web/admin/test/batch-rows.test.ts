import { expect, test } from 'vitest';
import { areShownAtRows, hasFaults, readBatch, rowSentences, withFaults } from '../src/rooms/tokens/batch-rows.ts';

test('a list is parsed with any delimiter, with or without a byte order mark', () => {
  for (const text of ['role,name\nattendee,Ada', '\uFEFFrole;name\r\nattendee;Ada\r\n', 'Role\tName\nattendee\tAda']) {
    const { rows, problem } = readBatch(text);
    expect(problem).toBeNull();
    expect(rows).toEqual([{ line: 2, cells: { role: 'attendee', name: 'Ada' }, faults: {} }]);
  }
});

test('each invalid cell is reported with its row and column', () => {
  const { rows } = readBatch(
    'role,max_uses,not_before,expires_at\nking,1,,\nguest,none,,\nguest,,tomorrow,\nguest,,2027-02-01,2027-01-01\nguest,2,2027-01-01T09:00:00Z,\n',
  );
  expect(rows.map(({ faults }) => Object.keys(faults))).toEqual([
    ['role'],
    ['max_uses'],
    ['not_before'],
    ['not_before'],
    [],
  ]);
});

test('an unreadable list shows the reason', () => {
  expect(readBatch('').problem).toContain('empty');
  expect(readBatch('name\nAda').problem).toContain('role');
  expect(readBatch('role,colour\nguest,red').problem).toContain('colour');
  expect(readBatch('role').problem).toContain('no rows');
  expect(readBatch('role,name\nguest,"open').problem).toContain('CSV');
  expect(readBatch(`role\n${'guest\n'.repeat(10_001)}`).problem).toContain('10,000');
});

test('errors of the API are shown at their rows', () => {
  const { rows } = readBatch('role\nguest\nguest\n');
  const marked = withFaults(rows, { 'tokens.1.user_id': ['Unknown.'], csv: ['Elsewhere.'] });
  expect(marked.map(hasFaults)).toEqual([false, true]);
  expect(marked[1]?.faults).toEqual({ user_id: 'Unknown.' });
});

test('errors of a whole row and of columns that the list does not have are shown at the row', () => {
  const { rows, columns } = readBatch('role\nguest\n');
  const [row] = withFaults(rows, {
    'tokens.0': ['Twice.'],
    'tokens.0.email': ['Unknown.'],
    'tokens.0.role': ['Wrong.'],
  });
  expect(row && rowSentences(row, columns)).toEqual(['Twice.', 'Unknown.']);
});

test('an error that belongs to no row of the list is not considered shown', () => {
  const { rows } = readBatch('role\nguest\n');
  expect(areShownAtRows({ 'tokens.0.role': [], 'tokens.0': [] }, rows)).toBe(true);
  for (const path of ['name', 'tokens', 'tokens.1.role'])
    expect(areShownAtRows({ 'tokens.0.role': [], [path]: [] }, rows)).toBe(false);
  expect(areShownAtRows({}, rows)).toBe(false);
});

test('row numbers match the lines of a spreadsheet, also with empty and multi-line cells', () => {
  const { rows } = readBatch('role,name\nguest,A\n\n\nguest,"B\nof C"\nguest,D\n');
  expect(rows.map(({ line }) => line)).toEqual([2, 5, 6]);
});
