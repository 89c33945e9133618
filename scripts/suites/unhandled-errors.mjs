import { writeFileSync } from 'node:fs';

/** A reporter for Vitest: creates the file of `FOYER_UNHANDLED_ERRORS` if there were errors outside of tests. */
// oxlint-disable-next-line import/no-default-export -- Vitest loads the default export of a reporter.
export default class UnhandledErrors {
  /**
   * @param {unknown} _modules
   * @param {readonly unknown[]} errors
   */
  onTestRunEnd(_modules, errors) {
    const file = process.env['FOYER_UNHANDLED_ERRORS'];
    if (file !== undefined && errors.length > 0) writeFileSync(file, '');
  }
}
