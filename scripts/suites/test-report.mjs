/**
 * @typedef {object} TestReport
 * @property {number} passed
 * @property {number} failed a file that could not be run counts as one failed test
 * @property {{ file: string, test: string }[]} failures test: the full name, or empty if the file could not be run
 */

/**
 * Reads Vitest's JSON report.
 *
 * @param {string | null} json null: there is none
 * @returns {TestReport}
 */
export function readReport(json) {
  if (json === null) return { passed: 0, failed: 0, failures: [] };
  /** @type {{ numPassedTests: number, testResults: { name: string, status: string, assertionResults: { status: string, fullName: string }[] }[] }} */
  const { numPassedTests, testResults } = JSON.parse(json);
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name: file, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      return failed.length > 0 ? failed.map(({ fullName: test }) => ({ file, test })) : [{ file, test: '' }];
    });
  return { passed: numPassedTests, failed: failures.length, failures };
}
