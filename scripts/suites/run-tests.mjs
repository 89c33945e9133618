import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { PrepareFailure, install, run } from '../prepare.mjs';
import { root } from '../targets.mjs';
import { readReport } from './test-report.mjs';

/** @typedef {import('./test-files.mjs').TestSelection} TestSelection */
/** @typedef {import('./test-report.mjs').TestReport} TestReport */

/** @type {Record<string, { hasChecks: boolean, selections: readonly TestSelection[] }>} */
const suites = {
  fast: { hasChecks: true, selections: ['fast', 'serial'] },
  slow: { hasChecks: false, selections: ['slow'] },
  all: { hasChecks: true, selections: ['fast', 'slow', 'serial'] },
};

/** If more files than this fail, then the cause is not a busy machine. */
const maxFilesRepeated = 5;

/**
 * Runs the checks and tests of a suite (`--suite=fast`, `slow` or `all`), and ends with the line `N passed, N failed`.
 * A failed step counts as one failure. A few files that failed are run once more, one after the other, because a busy
 * machine can make a test wait too long; the tests that then pass are named at the end. Nothing is run again after an
 * error outside of tests. Other arguments are passed to
 * Vitest; then the checks are skipped, and nothing is run again.
 *
 * @param {readonly string[]} args
 */
export async function runTests(args) {
  const [, name] = /^--suite=(.*)$/.exec(args[0] ?? '') ?? [];
  const suite = suites[name ?? ''];
  if (!suite)
    throw new Error(
      `Name a suite: ${Object.keys(suites)
        .map((each) => `--suite=${each}`)
        .join(', ')}.`,
    );
  const vitestArgs = args.slice(1);
  const isWholeSuite = vitestArgs.length === 0;
  /** @type {string[]} */
  const failures = [];
  /** @type {string[]} */
  const repeated = [];
  const counts = { passed: 0, failed: 0 };
  if (await step('Install', failures, installed)) {
    if (isWholeSuite) await step('Chromium', failures, chromium);
    if (isWholeSuite && suite.hasChecks) {
      await step('Types', failures, () => tool('tsc', '--noEmit'));
      await step('Lint', failures, () => tool('oxlint', '--type-aware'));
      await step('Format', failures, () => tool('oxfmt', '--check', '.'));
    }
    await step('Build', failures, () => succeeds(process.execPath, ['scripts/build.mjs']));
    for (const selection of isWholeSuite ? suite.selections : [undefined]) {
      const { passed, failed } = await tests(selection, vitestArgs, failures, repeated);
      counts.passed += passed;
      counts.failed += failed;
    }
  }
  if (repeated.length > 0) console.log(`\nFailed, then passed when repeated:\n${repeated.join('\n')}`);
  if (failures.length > 0) console.log(`\nFailed: ${failures.join(', ')}`);
  const failed = counts.failed + failures.length;
  process.exitCode = failed > 0 || counts.passed === 0 ? 1 : 0;
  console.log(`\n${counts.passed} passed, ${failed} failed`);
}

/**
 * @param {string} name
 * @param {string[]} failures
 * @param {() => Promise<boolean>} act
 */
async function step(name, failures, act) {
  console.log(`\n── ${name}`);
  const isDone = await act();
  if (!isDone) failures.push(name);
  console.log(isDone ? `${name}: passed` : `${name}: FAILED`);
  return isDone;
}

async function installed() {
  try {
    await install();
    return true;
  } catch (error) {
    if (!(error instanceof PrepareFailure)) throw error;
    console.error(error.message);
    return false;
  }
}

/** The browser tests use the system's Chromium. */
async function chromium() {
  if (existsSync(process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium')) return true;
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const mayInstall =
    spawnSync('apt-get', ['--version']).status === 0 &&
    (asRoot.length === 0 || spawnSync('sudo', ['-n', 'true']).status === 0);
  if (!mayInstall) {
    console.error(
      'The browser tests need Chromium, and it cannot be installed from here: install it, or name it in CHROMIUM_PATH.',
    );
    return false;
  }
  console.log('Installing Chromium …');
  const apt = [...asRoot, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-qq'];
  const commands = [
    [...apt, 'update'],
    [...apt, 'install', '--yes', '--no-install-recommends', 'chromium'],
  ];
  for (const [program, ...args] of commands) {
    if (program === undefined || !(await succeeds(program, args))) return false;
  }
  return true;
}

/**
 * @param {TestSelection | undefined} selection
 * @param {readonly string[]} args
 * @param {string[]} failures gets the name of the step if it failed without a failed test
 * @param {string[]} repeated gets the names of tests that failed and then passed
 */
async function tests(selection, args, failures, repeated) {
  const name = selection ? `Tests: ${selection}` : 'Tests';
  if (selection) process.env['FOYER_TESTS'] = selection;
  const first = await vitest(name, args);
  const files = [...new Set(first.failures.map(({ file }) => relative(root, file)))];
  const areFew = files.length > 0 && files.length <= maxFilesRepeated;
  const mayRepeat = selection !== undefined && areFew && !first.hasUnhandledErrors;
  const last = mayRepeat ? await vitest(`${name}, repeated`, ['--maxWorkers=1', ...files]) : first;
  if (last.exitCode !== 0 && last.failed === 0) failures.push(name);
  const names = last.failures.map(fullName);
  if (names.length > 0) console.log(`\nFailed:\n${names.join('\n')}`);
  repeated.push(...first.failures.map(fullName).filter((each) => !names.includes(each)));
  return { passed: first.passed + first.failed - last.failed, failed: last.failed };
}

/** @param {{ file: string, test: string }} failure */
function fullName({ file, test }) {
  return [relative(root, file), test].join(' ').trimEnd();
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 * @returns {Promise<TestReport & { exitCode: number, hasUnhandledErrors: boolean }>}
 */
async function vitest(name, args) {
  console.log(`\n── ${name}`);
  const folder = mkdtempSync(join(tmpdir(), 'foyer-tests-'));
  const file = join(folder, 'report.json');
  const unhandledErrors = join(folder, 'unhandled-errors');
  process.env['FOYER_UNHANDLED_ERRORS'] = unhandledErrors;
  try {
    const exitCode = await run(process.execPath, [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--reporter=${join(root, 'scripts/suites/unhandled-errors.mjs')}`,
      `--outputFile.json=${file}`,
      ...args,
    ]);
    const report = readReport(existsSync(file) ? readFileSync(file, 'utf8') : null);
    return { exitCode, hasUnhandledErrors: existsSync(unhandledErrors), ...report };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} name
 * @param {readonly string[]} args
 */
function tool(name, ...args) {
  return succeeds(join(root, 'node_modules/.bin', name), args);
}

/**
 * @param {string} program
 * @param {readonly string[]} args
 */
async function succeeds(program, args) {
  return (await run(program, args)) === 0;
}
