/**
 * Counts the tests of Vitest's JSON report. A file that could not be run counts as one failed test.
 *
 * @param {string | null} report null: there is none
 */
export function countTests(report) {
  if (report === null) return { passed: 0, failed: 0 };
  /** @type {{ numPassedTests: number, numFailedTests: number, testResults: { status: string, assertionResults: { status: string }[] }[] }} */
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(report);
  const broken = testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((assertion) => assertion.status === 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + broken.length };
}
