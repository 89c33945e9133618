/** Slow files run in `npm run test:slow`; serial files compare latencies, so nothing else may run at the same time. */
const suffixes = { slow: '*.slow.test.ts', serial: '*.serial.test.ts' };

/** @typedef {'fast' | keyof typeof suffixes} TestSelection */

/**
 * The file patterns of a selection, for the environment variable `FOYER_TESTS`. Without one, files of all kinds can be
 * named on the command line, except serial ones.
 *
 * @param {string} folder
 * @param {string | undefined} selection
 * @throws {Error} for an unknown selection
 */
export function testFiles(folder, selection) {
  const { slow, serial } = suffixes;
  const all = `${folder}/**/*.test.{ts,tsx}`;
  switch (selection) {
    case undefined:
      return { include: [all], exclude: [`**/${serial}`] };
    case 'fast':
      return { include: [all], exclude: [`**/${slow}`, `**/${serial}`] };
    case 'slow':
    case 'serial':
      return { include: [`${folder}/**/${suffixes[selection]}`], exclude: [] };
    default:
      throw new Error(`FOYER_TESTS is "${selection}". Use "fast", "slow" or "serial".`);
  }
}
