import './node-version.mjs';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { PrepareFailure, install } from './prepare.mjs';
import { buildSdk } from './sdk/build-sdk.mjs';
import { bundleOptions } from './bundle-options.mjs';
import { isStale, root, takeStamp, targets, writeStamp } from './targets.mjs';

/** @satisfies {Record<import('./targets.mjs').TargetName, (target: import('./targets.mjs').Target) => Promise<void>>} */
const builders = {
  server: buildBundle,
  sandbox: buildBundle,
  media: buildBundle,
  bench: buildBundle,
  console: buildConsole,
  player: buildPlayer,
  sdk: writeSdk,
};

/**
 * Builds one target from its sources, whether it is stale or not.
 *
 * @param {import('./targets.mjs').TargetName} name
 */
async function build(name) {
  const target = targets[name];
  const startedMs = Date.now();
  const stamp = takeStamp(target);
  await builders[name](target);
  writeStamp(target, stamp);
  console.error(
    `Built ${relative(root, dirname(target.output))} in ${((Date.now() - startedMs) / 1000).toFixed(1)} s.`,
  );
}

/** @param {import('./targets.mjs').Target} target */
async function buildBundle({ entry, output }) {
  const esbuild = await import('esbuild').catch(explainMissing('esbuild'));
  const built = await esbuild
    .build({
      ...bundleOptions,
      absWorkingDir: root,
      entryPoints: [entry],
      outfile: output,
      write: false,
      sourcemap: 'linked',
      sourcesContent: false,
      logLevel: 'warning',
    })
    .catch(() => {
      throw new PrepareFailure(`${relative(root, entry)} could not be bundled, for the reasons above.`);
    });
  await esbuild.stop();
  mkdirSync(dirname(output), { recursive: true });
  for (const file of built.outputFiles) replaceFile(file.path, file.contents);
}

/**
 * The types first, so that the module never exists without them.
 *
 * @param {import('./targets.mjs').Target} target
 */
async function writeSdk({ output }) {
  const esbuild = await import('esbuild').catch(explainMissing('esbuild'));
  const files = await buildSdk(esbuild);
  await esbuild.stop();
  mkdirSync(dirname(output), { recursive: true });
  for (const [name, contents] of [...files].reverse()) replaceFile(join(dirname(output), name), contents);
}

/**
 * The script and the style sheet of each page, with a compressed file beside each.
 *
 * @param {import('./targets.mjs').Target} target
 */
async function buildPlayer({ entry, output }) {
  const esbuild = await import('esbuild').catch(explainMissing('esbuild'));
  const built = await esbuild.build({
    absWorkingDir: root,
    entryPoints: {
      player: entry,
      broadcast: join(dirname(entry), 'broadcast/main.ts'),
      upload: join(dirname(entry), 'upload/main.ts'),
    },
    outdir: dirname(output),
    bundle: true,
    minify: true,
    format: 'iife',
    platform: 'browser',
    target: 'es2022',
    write: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
  await esbuild.stop();
  mkdirSync(dirname(output), { recursive: true });
  for (const { path, contents } of built.outputFiles) {
    replaceFile(path, contents);
    replaceFile(`${path}.gz`, gzipSync(contents, { level: 9 }));
    replaceFile(`${path}.br`, brotliCompressSync(contents));
  }
}

/** @param {import('./targets.mjs').Target} target */
async function buildConsole({ entry, output }) {
  const vite = await import('vite').catch(explainMissing('vite'));
  const draft = join(root, 'node_modules/.cache', `foyer-console-${process.pid}`);
  try {
    await vite.build({ root: dirname(entry), logLevel: 'warn', build: { outDir: draft, emptyOutDir: true } });
    rmSync(dirname(output), { recursive: true, force: true });
    renameSync(draft, dirname(output));
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Replaces the file atomically: readers get the old or the new content, never a part.
 *
 * @param {string} file
 * @param {string | Uint8Array} contents
 */
function replaceFile(file, contents) {
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, file);
}

/**
 * @param {string} tool
 * @returns {(error: unknown) => never}
 */
function explainMissing(tool) {
  return (error) => {
    throw new PrepareFailure(
      `${tool} cannot be loaded: run "npm ci --include=dev --include=optional".\n${error instanceof Error ? error.message : String(error)}`,
    );
  };
}

try {
  await install();
  const parts = process.argv.slice(2);
  const unknown = parts.find((name) => !Object.hasOwn(targets, name));
  if (unknown !== undefined) throw new PrepareFailure(`There is nothing named ${unknown} to build.`, 2);
  for (const name of /** @type {import('./targets.mjs').TargetName[]} */ (Object.keys(targets))) {
    if ((parts.length === 0 || parts.includes(name)) && isStale(targets[name])) await build(name);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = error instanceof PrepareFailure ? error.exitCode : 1;
}
