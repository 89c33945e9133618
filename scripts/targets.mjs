import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** @typedef {'server' | 'sandbox' | 'media' | 'bench' | 'console' | 'player' | 'sdk'} TargetName */

/**
 * @typedef {object} Target
 * @property {string} entry is made into
 * @property {string} output again when one of
 * @property {readonly string[]} sources has changed; files and folders
 */

/** @type {Readonly<Record<TargetName, Target>>} */
export const targets = {
  server: bundle('server', ['contract/src', 'sandbox/src', 'server/texts']),
  sandbox: bundle('sandbox', []),
  media: bundle('media', []),
  bench: bundle('bench', ['contract/src', 'sdk/src', 'sandbox/src', 'server/src', 'server/texts', 'media/src']),
  console: {
    entry: join(root, 'web/admin/index.html'),
    output: join(root, 'web/admin/dist/index.html'),
    sources: sourcesOf(['web/admin', 'web/kit', 'contract/src', 'sdk/src']),
  },
  player: {
    entry: join(root, 'web/player/src/main.ts'),
    output: join(root, 'web/player/dist/player.js'),
    sources: sourcesOf(['web/player/src', 'web/kit/uploads']),
  },
  sdk: {
    entry: join(root, 'sdk/src/index.ts'),
    output: join(root, 'sdk/dist/index.js'),
    sources: sourcesOf(['sdk/src', 'contract/src', 'scripts/sdk/build-sdk.mjs', 'scripts/sdk/sdk-types.mjs']),
  },
};

/**
 * Whether the target must be built: it is missing, or its sources have changed. False without its entry.
 *
 * @param {Target} target
 */
export function isStale(target) {
  if (!existsSync(target.entry)) return false;
  const stamp = readStamp(target);
  if (stamp === null || !existsSync(target.output)) return true;
  const files = listFiles(target.sources);
  const glance = fingerprintAtAGlance(files);
  if (stamp.glance === glance) return false;
  if (stamp.contents !== fingerprintOfContents(files)) return true;
  writeStamp(target, { ...stamp, glance });
  return false;
}

/**
 * A stamp of the sources, taken before the build and stored by `markBuilt` after it, since they can change meanwhile.
 *
 * @param {Target} target
 */
export function takeStamp(target) {
  const files = listFiles(target.sources);
  return { glance: fingerprintAtAGlance(files), contents: fingerprintOfContents(files) };
}

/**
 * @param {Target} target
 * @param {{ glance: string, contents: string }} stamp
 */
export function writeStamp(target, stamp) {
  mkdirSync(dirname(target.output), { recursive: true });
  writeFileSync(stampFile(target), JSON.stringify(stamp));
}

/**
 * @param {string} name
 * @param {readonly string[]} others
 * @returns {Target}
 */
function bundle(name, others) {
  return {
    entry: join(root, name, 'src/main.ts'),
    output: join(root, name, 'dist/main.js'),
    sources: sourcesOf([`${name}/src`, `${name}/package.json`, ...others]),
  };
}

/** @param {readonly string[]} own */
function sourcesOf(own) {
  return [...own, 'package-lock.json', 'tsconfig.json', 'scripts/build.mjs'].map((path) => join(root, path));
}

/** @param {Target} target */
function stampFile(target) {
  return join(dirname(target.output), '.foyer-build.json');
}

/**
 * @param {Target} target
 * @returns {{ glance: string, contents: string } | null}
 */
function readStamp(target) {
  try {
    return JSON.parse(readFileSync(stampFile(target), 'utf8'));
  } catch {
    return null;
  }
}

/**
 * @param {readonly string[]} sources
 * @returns {string[]}
 */
function listFiles(sources) {
  /** @type {string[]} */
  const files = [];
  for (const source of sources) {
    const stats = statSync(source, { throwIfNoEntry: false });
    if (stats?.isFile()) files.push(source);
    if (stats?.isDirectory()) walk(source, files);
  }
  return files.sort();
}

/**
 * @param {string} folder
 * @param {string[]} files
 */
function walk(folder, files) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!['node_modules', 'test'].includes(entry.name) && !/^dist\b/.test(entry.name)) walk(path, files);
    } else if (entry.isFile() && !/\.test\.tsx?$/.test(entry.name)) {
      files.push(path);
    }
  }
}

/**
 * Cheap to compute at every start. It changes with the times of files, even if their contents stay the same.
 *
 * @param {readonly string[]} files
 */
function fingerprintAtAGlance(files) {
  const hash = createHash('sha256');
  for (const file of files) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${relative(root, file)} ${size} ${mtimeMs}\n`);
  }
  return hash.digest('hex');
}

/** @param {readonly string[]} files */
function fingerprintOfContents(files) {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${relative(root, file)}\n`).update(readFileSync(file));
  return hash.digest('hex');
}
