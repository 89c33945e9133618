import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isStale, root, targets } from './targets.mjs';

/** A failure with a message for the user. */
export class PrepareFailure extends Error {
  /**
   * @param {string} message
   * @param {number} exitCode
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/**
 * Installs dependencies and builds targets if they are outdated.
 *
 * @param {readonly import('./targets.mjs').TargetName[]} names
 */
export async function prepare(names) {
  await install();
  const stale = names.filter((name) => isStale(targets[name]));
  if (stale.length === 0) return;
  // Builds in a separate process, so that its memory is freed before the server runs.
  const exitCode = await run(process.execPath, [join(root, 'scripts/build.mjs'), ...stale], 2);
  if (exitCode !== 0) throw new PrepareFailure(`Building ${stale.join(' and ')} failed.`, exitCode);
}

/** Runs `npm ci` unless the installed packages are those of the lock file. */
export async function install() {
  if (isInstalled(root)) return;
  console.error('Installing the dependencies, which takes a while the first time …');
  const startedMs = Date.now();
  const npm = process.env['npm_execpath'];
  const [program, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  // Warnings of packages about other Node versions are not actionable for the user.
  const exitCode = await run(program, [...first, 'ci', '--include=dev', '--include=optional', '--loglevel=error'], 2);
  if (exitCode !== 0) {
    throw new PrepareFailure(
      `The dependencies could not be installed ("npm ci" ended with exit code ${exitCode}); the reason stands above.`,
      exitCode,
    );
  }
  markInstalled(root);
  console.error(`Installed in ${((Date.now() - startedMs) / 1000).toFixed(1)} s.`);
}

/**
 * @param {string} folder with `package-lock.json`
 * @returns {boolean} whether `node_modules` matches the lock file
 */
export function isInstalled(folder) {
  const modules = join(folder, 'node_modules');
  const wanted = readOrNull(join(folder, 'package-lock.json'));
  if (wanted === null) return existsSync(modules);
  if (readOrNull(join(modules, '.foyer-install')) === digest(wanted) && existsSync(join(modules, '.bin'))) return true;
  const found = readOrNull(join(modules, '.package-lock.json'));
  if (found === null || !agree(JSON.parse(wanted), JSON.parse(found))) return false;
  markInstalled(folder);
  return true;
}

/** @param {string} folder */
export function markInstalled(folder) {
  writeFileSync(
    join(folder, 'node_modules/.foyer-install'),
    digest(readFileSync(join(folder, 'package-lock.json'), 'utf8')),
  );
}

/**
 * Runs a program to its end in our terminal. Forwards signals to it, and exits with the same signal.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {1 | 2} [output] our file descriptor for its output
 * @returns {Promise<number>} its exit code
 */
export function run(program, args, output = 1) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { cwd: root, stdio: ['inherit', output, 'inherit'] });
    /** @param {NodeJS.Signals} signal */
    const forward = (signal) => {
      child.once('exit', () => process.exit(signal === 'SIGINT' ? 130 : 143));
      child.kill(signal);
    };
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.once('error', (error) => {
      console.error(`${program} could not be run: ${error.message}`);
      resolve(127);
    });
    child.once('exit', (code) => resolve(code ?? 1));
    child.once('close', () => process.off('SIGINT', forward).off('SIGTERM', forward));
  });
}

/**
 * @typedef {object} LockedPackage
 * @property {string} [version]
 * @property {boolean} [link]
 * @property {boolean} [optional]
 * @property {string[]} [os]
 * @property {string[]} [cpu]
 * @property {string[]} [libc]
 *
 * @typedef {{ packages?: Record<string, LockedPackage> }} Lock
 *
 * @param {Lock} wanted
 * @param {Lock} found
 */
function agree(wanted, found) {
  return Object.entries(wanted.packages ?? {}).every(([path, locked]) => {
    if (!path.includes('node_modules/') || locked.link === true) return true;
    const installed = found.packages?.[path];
    return installed ? installed.version === locked.version : locked.optional === true && !isForHere(locked);
  });
}

/**
 * An optional package without a platform belongs to one with a platform, and is only installed together with it.
 *
 * @param {LockedPackage} locked
 */
function isForHere({ os, cpu, libc }) {
  return (
    (os !== undefined || cpu !== undefined || libc !== undefined) &&
    (os?.includes(process.platform) ?? true) &&
    (cpu?.includes(process.arch) ?? true) &&
    (libc === undefined ||
      process.platform !== 'linux' ||
      libc.includes(existsSync('/etc/alpine-release') ? 'musl' : 'glibc'))
  );
}

/** @param {string} text */
function digest(text) {
  return createHash('sha256').update(text).digest('hex');
}

/** @param {string} file */
function readOrNull(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
