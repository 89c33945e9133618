import { expect, test } from 'vitest';
import { readReport } from '../suites/test-report.mjs';

test('counts the tests that passed, and names those that failed', () => {
  expect(
    report(3, [
      file('a.test.ts', 'failed', [
        { status: 'passed', fullName: 'adds' },
        { status: 'failed', fullName: 'subtracts' },
      ]),
      file('b.test.ts', 'passed', [
        { status: 'passed', fullName: 'multiplies' },
        { status: 'passed', fullName: 'divides' },
      ]),
    ]),
  ).toEqual({ passed: 3, failed: 1, failures: [{ file: 'a.test.ts', test: 'subtracts' }] });
});

test('counts a file that could not be run as a failure', () => {
  expect(
    report(1, [file('a.test.ts', 'failed', []), file('b.test.ts', 'passed', [{ status: 'passed', fullName: 'adds' }])]),
  ).toEqual({ passed: 1, failed: 1, failures: [{ file: 'a.test.ts', test: '' }] });
});

test('counts no tests without a report', () => {
  expect(readReport(null)).toEqual({ passed: 0, failed: 0, failures: [] });
});

function report(numPassedTests: number, testResults: object[]) {
  return readReport(JSON.stringify({ numPassedTests, testResults }));
}

function file(name: string, status: string, assertionResults: object[]) {
  return { name, status, assertionResults };
}
