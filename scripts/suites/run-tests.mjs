import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrepareFailure, install, run } from '../prepare.mjs';
import { root } from '../targets.mjs';
import { countTests } from './test-report.mjs';

/** @typedef {import('./test-files.mjs').TestSelection} TestSelection */

/** @type {Record<string, { hasChecks: boolean, selections: readonly TestSelection[] }>} */
const suites = {
  fast: { hasChecks: true, selections: ['fast', 'serial'] },
  slow: { hasChecks: false, selections: ['slow'] },
  all: { hasChecks: true, selections: ['fast', 'slow', 'serial'] },
};

/**
 * Runs the checks and tests of a suite (`--suite=fast`, `slow` or `all`), and ends with the line `N passed, N failed`.
 * A failed step counts as one failure. Other arguments are passed to Vitest; then the checks are skipped.
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
      const { passed, failed } = await tests(selection, vitestArgs, failures);
      counts.passed += passed;
      counts.failed += failed;
    }
  }
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
 * @param {string[]} failures
 */
async function tests(selection, args, failures) {
  const name = selection ? `Tests: ${selection}` : 'Tests';
  console.log(`\n── ${name}`);
  if (selection) process.env['FOYER_TESTS'] = selection;
  const folder = mkdtempSync(join(tmpdir(), 'foyer-tests-'));
  const file = join(folder, 'report.json');
  try {
    const exitCode = await run(process.execPath, [
      join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`,
      ...args,
    ]);
    const counts = countTests(existsSync(file) ? readFileSync(file, 'utf8') : null);
    if (exitCode !== 0 && counts.failed === 0) failures.push(name);
    return counts;
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
