import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../targets.mjs';
import { testFiles } from '../suites/test-files.mjs';

/** The files that Vitest would run. */
function listFiles(selection: string): string[] {
  const { stdout, status } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vitest/vitest.mjs'), 'list', '--filesOnly', '--json'],
    { cwd: root, encoding: 'utf8', env: { PATH: process.env['PATH'], FOYER_TESTS: selection } },
  );
  expect(status).toBe(0);
  return (JSON.parse(stdout) as { file: string }[]).map(({ file }) => file);
}

function filesOnDisk(): string[] {
  const folders = readdirSync(root).filter((name) => !name.startsWith('.') && name !== 'node_modules');
  return folders
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isDirectory())
    .flatMap((path) => readdirSync(path, { recursive: true, encoding: 'utf8' }).map((file) => join(path, file)))
    .filter((file) => /\.test\.tsx?$/.test(file) && !/\/(node_modules|dist)\//.test(file));
}

test('each test file of the repository is fast, slow or serial, so that all three run every test once', () => {
  const [fast, slow, serial] = [listFiles('fast'), listFiles('slow'), listFiles('serial')];
  expect([...fast, ...slow, ...serial].toSorted()).toEqual(filesOnDisk().toSorted());
  expect(slow.every((file) => file.includes('.slow.test.'))).toBe(true);
  expect(serial.every((file) => file.includes('.serial.test.'))).toBe(true);
});

test('an unknown selection is rejected', () => {
  expect(() => testFiles('server', 'quick')).toThrow('FOYER_TESTS is "quick". Use "fast", "slow" or "serial".');
});
