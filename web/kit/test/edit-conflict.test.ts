import { expect, test } from 'vitest';
import { versionOfListRow, EditConflict } from '../concurrency/edit-conflict.ts';

const shown = versionOfListRow({ id: 'cust_1', status: 'active', company_name: 'Acme' });

function messageAfter(stored: Record<string, unknown>): string {
  return new EditConflict(['status', 'company_name'], shown, versionOfListRow({ ...shown.row, ...stored })).message;
}

test('a conflict shows the stored values, and explains that nothing was saved and what to do', () => {
  expect(messageAfter({ status: 'suspended' })).toBe(
    'Someone changed “Status” to “Suspended” while you had this open. Nothing was saved. Check the new values, then try again.',
  );
  expect(messageAfter({ status: 'inactive', company_name: 'New' })).toMatch(
    /^Someone changed status and company while you had this open\./,
  );
});
