import { prepare } from './prepare.mjs';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './root.mjs';

const chosenTests = process.argv.slice(2);
await prepare({ build: chosenTests.length > 0 });
installBrowser();

let passed = 0;
let failed = 0;
if (chosenTests.length === 0) {
  step('Types', 'node_modules/.bin/tsc', ['--noEmit']);
  step('Lint', 'node_modules/.bin/oxlint', ['--type-aware']);
  step('Format', 'node_modules/.bin/oxfmt', ['--check', '.']);
  step('Build', process.execPath, ['scripts/build.mjs']);
}
runTests(chosenTests);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;

function step(name, program, programArguments) {
  console.log(`\n── ${name}`);
  const { status, error } = spawnSync(program, programArguments, { cwd: root, stdio: 'inherit' });
  if (status === 0) return;
  failed += 1;
  console.log(error ? `${name}: ${error.message}` : `${name}: failed.`);
}

function runTests(chosen) {
  console.log('\n── Tests');
  const folder = mkdtempSync(join(tmpdir(), 'foyer-test-'));
  const report = join(folder, 'report.json');
  const { status } = spawnSync(
    'node_modules/.bin/vitest',
    ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...chosen],
    { cwd: root, stdio: 'inherit' },
  );
  const counts = countTests(report);
  rmSync(folder, { recursive: true, force: true });
  passed += counts.passed;
  failed += counts.failed;
  if (status !== 0 && counts.failed === 0) failed += 1;
}

function countTests(report) {
  if (!existsSync(report)) return { passed: 0, failed: 0 };
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const brokenFiles = testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  return { passed: numPassedTests, failed: numFailedTests + brokenFiles.length };
}

function installBrowser() {
  if (existsSync(process.env.CHROMIUM_PATH ?? '/usr/bin/chromium')) return;
  const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '--non-interactive'];
  if (existsSync('/usr/bin/apt-get') && succeeds([...asRoot, 'true'])) {
    console.log('Installing Chromium for the tests in the browser.');
    const environment = ['env', 'DEBIAN_FRONTEND=noninteractive'];
    const install = [...asRoot, ...environment, 'apt-get', 'install', '--yes', '--no-install-recommends', 'chromium'];
    if (succeeds(install) || (succeeds([...asRoot, 'apt-get', 'update']) && succeeds(install))) return;
  }
  console.log(
    'Chromium is missing: install it, or say where it is in CHROMIUM_PATH; the browser tests fail without it.',
  );
}

function succeeds([program, ...programArguments]) {
  return spawnSync(program, programArguments, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0;
}
