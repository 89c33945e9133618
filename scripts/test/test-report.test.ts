import { expect, test } from 'vitest';
import { countTests } from '../suites/test-report.mjs';

test('counts the tests that passed and those that failed', () => {
  expect(
    count(3, 1, [
      { status: 'failed', assertionResults: [{ status: 'passed' }, { status: 'failed' }] },
      { status: 'passed', assertionResults: [{ status: 'passed' }, { status: 'passed' }] },
    ]),
  ).toEqual({ passed: 3, failed: 1 });
});

test('counts a file that could not be run as a failure', () => {
  expect(
    count(1, 0, [
      { status: 'failed', assertionResults: [] },
      { status: 'passed', assertionResults: [{ status: 'passed' }] },
    ]),
  ).toEqual({ passed: 1, failed: 1 });
});

test('counts no tests without a report', () => {
  expect(countTests(null)).toEqual({ passed: 0, failed: 0 });
});

function count(numPassedTests: number, numFailedTests: number, testResults: object[]) {
  return countTests(JSON.stringify({ numPassedTests, numFailedTests, testResults }));
}
