import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isInstalled, markInstalled } from '../prepare.mjs';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'foyer-prepare-'));
  writeLock('1.0.0');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

test('without node_modules, the packages do not count as installed', () => {
  expect(isInstalled(folder)).toBe(false);
});

test('an installation is up to date until the lock file changes', () => {
  simulateInstallation('1.0.0');
  markInstalled(folder);
  expect(isInstalled(folder)).toBe(true);
  writeLock('1.0.1');
  expect(isInstalled(folder)).toBe(false);
});

test('an installation that npm made by itself is recognized', () => {
  simulateInstallation('1.0.0');
  expect(isInstalled(folder)).toBe(true);
  rmSync(join(folder, 'node_modules/.package-lock.json'));
  expect(isInstalled(folder)).toBe(true);
});

test('an installation with another version of a package is out of date', () => {
  simulateInstallation('0.9.0');
  expect(isInstalled(folder)).toBe(false);
});

test('the installation is complete without optional packages for other platforms, but not without those for this one', () => {
  simulateInstallation('1.0.0');
  writeLock('1.0.0', { version: '2.0.0', optional: true, os: ['another'] });
  expect(isInstalled(folder)).toBe(true);
  writeLock('1.0.0', { version: '2.0.0', optional: true, os: [process.platform] });
  expect(isInstalled(folder)).toBe(false);
});

test('dependencies of a package for another platform can be missing, too', () => {
  simulateInstallation('1.0.0');
  writeLock('1.0.0', { version: '2.0.0', optional: true });
  expect(isInstalled(folder)).toBe(true);
});

test('an interrupted installation does not count', () => {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  expect(isInstalled(folder)).toBe(false);
});

test('a running child process is stopped with the script', async () => {
  const url = new URL('../prepare.mjs', import.meta.url).href;
  const inner = `process.on('SIGTERM', () => { console.log('told'); process.exit(0); }); console.log('up'); setInterval(() => {}, 1000);`;
  const outer = `import { run } from ${JSON.stringify(url)}; await run(process.execPath, ['-e', ${JSON.stringify(inner)}]);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output === 'up\n') child.kill('SIGTERM');
  });
  const [code] = (await once(child, 'close')) as [number | null];
  expect({ output, code }).toEqual({ output: 'up\ntold\n', code: 143 });
});

function writeLock(version: string, another?: object): void {
  const packages = {
    '': { name: 'product' },
    workspace: { version: '1.0.0' },
    'node_modules/workspace': { resolved: 'workspace', link: true },
    'node_modules/library': { version },
    'workspace/node_modules/nested': { version: '3.0.0' },
    ...(another ? { 'node_modules/another': another } : {}),
  };
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages }));
}

function simulateInstallation(version: string): void {
  mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
  const packages = { 'node_modules/library': { version }, 'workspace/node_modules/nested': { version: '3.0.0' } };
  writeFileSync(join(folder, 'node_modules/.package-lock.json'), JSON.stringify({ packages }));
}
