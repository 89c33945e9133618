import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.mjs';
import { root } from './root.mjs';

/** Installs what package-lock.json names and builds what is missing or stale; quick when there is nothing to do. */
export async function prepare(options) {
  install();
  if (options.build) await build({ onlyStale: true });
}

function install() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .update(`${process.platform} ${process.arch}`)
    .digest('hex');
  const record = join(root, 'node_modules', '.foyer-install');
  if (readText(record) === wanted) return;
  if (!isInstalled()) runNpm();
  writeFileSync(record, wanted);
}

/** Whether npm itself has installed exactly the locked versions, as after an "npm ci" by hand. */
function isInstalled() {
  const installedText = readText(join(root, 'node_modules', '.package-lock.json'));
  if (installedText === null) return false;
  const installed = JSON.parse(installedText).packages;
  const locked = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  return Object.entries(locked).every(
    ([path, entry]) =>
      !path.includes('node_modules/') ||
      entry.link ||
      (entry.optional && !fits(entry)) ||
      (installed[path] !== undefined && installed[path].version === entry.version),
  );
}

function fits(entry) {
  // Only Linux tells packages apart by its C library, and no name of it means that either one does.
  return includes(entry.os, process.platform) && includes(entry.cpu, process.arch) && includes(entry.libc, cLibrary());
}

function includes(names, name) {
  return names === undefined || name === null || names.includes(name);
}

function cLibrary() {
  if (process.platform !== 'linux') return null;
  return process.report.getReport().header.glibcVersionRuntime ? 'glibc' : 'musl';
}

function runNpm() {
  console.error('Installing the dependencies. This happens once and takes about a minute.');
  const npm = process.env.npm_execpath?.endsWith('npm-cli.js') ? [process.execPath, process.env.npm_execpath] : ['npm'];
  const [program, ...first] = npm;
  const { status, error } = spawnSync(
    program,
    // The build needs development dependencies even where NODE_ENV says production.
    [...first, 'ci', '--no-audit', '--no-fund', '--include=dev', '--include=optional'],
    { cwd: root, stdio: ['inherit', 2, 'inherit'] },
  );
  if (status === 0) return;
  console.error(
    error ? `npm cannot be run: ${error.message}` : 'The dependencies could not be installed: npm says why above.',
  );
  process.exit(1);
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
