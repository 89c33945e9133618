import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleOptions } from '../bundle-options.mjs';
import { PrepareFailure } from '../prepare.mjs';
import { writeOperations } from './sdk-types.mjs';
import { root } from '../targets.mjs';

/**
 * The files of the SDK package: one module for Node and browsers, and its types. They contain the operations of the
 * contract, so that the package does not depend on it.
 *
 * @param {typeof import('esbuild')} esbuild
 * @returns {Promise<ReadonlyMap<string, string>>} contents by the name of the file
 */
export async function buildSdk(esbuild) {
  const folder = mkdtempSync(join(tmpdir(), 'foyer-sdk-'));
  try {
    const sources = join(folder, 'src');
    cpSync(join(root, 'sdk/src'), sources, { recursive: true });
    writeFileSync(join(sources, 'operations.ts'), writeOperations(await loadContract(esbuild)));
    const module = await bundle(esbuild, { entryPoints: [join(sources, 'index.ts')], target: 'es2022' });
    const types = join(folder, 'types');
    mkdirSync(types);
    declare(join(sources, 'index.ts'), types);
    return new Map([
      ['index.js', module],
      ...readdirSync(types).map((name) => /** @type {const} */ ([name, readDeclaration(join(types, name))])),
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Bundles the TypeScript contract and imports it from memory, since Node cannot run TypeScript.
 *
 * @param {typeof import('esbuild')} esbuild
 */
async function loadContract(esbuild) {
  const contents = `export { endpoints } from './index.ts';
export { eventTypes } from './conventions/event-types.ts';
export { resourcesByNoun } from './resources-by-noun.ts';`;
  const module = await bundle(esbuild, { stdin: { contents, resolveDir: join(root, 'contract/src') } });
  return await import(`data:text/javascript;base64,${Buffer.from(module).toString('base64')}`);
}

/**
 * @param {typeof import('esbuild')} esbuild
 * @param {import('esbuild').BuildOptions} options
 * @returns {Promise<string>}
 */
async function bundle(esbuild, options) {
  const { conditions = [] } = bundleOptions;
  const built = await esbuild
    .build({
      bundle: true,
      format: 'esm',
      platform: 'neutral',
      conditions,
      absWorkingDir: root,
      write: false,
      legalComments: 'none',
      logLevel: 'warning',
      ...options,
    })
    .catch(() => {
      throw new PrepareFailure('The SDK could not be bundled, for the reasons above.');
    });
  return built.outputFiles?.[0]?.text ?? '';
}

/**
 * TypeScript looks for the types of a module next to its JavaScript.
 *
 * @param {string} file
 */
function readDeclaration(file) {
  return readFileSync(file, 'utf8').replaceAll(/(?<= from '\.\/[\w-]+\.)ts(?=';)/g, 'js');
}

/**
 * @param {string} entry
 * @param {string} folder takes the declarations
 */
function declare(entry, folder) {
  const options =
    '--ignoreConfig --declaration --emitDeclarationOnly --rewriteRelativeImportExtensions --strict ' +
    '--exactOptionalPropertyTypes --verbatimModuleSyntax --target es2022 --lib es2022,dom,dom.iterable --module esnext ' +
    '--moduleResolution bundler --types';
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), ...options.split(' '), '', '--outDir', folder, entry],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new PrepareFailure(`The types of the SDK could not be written.\n${stdout}`);
}
