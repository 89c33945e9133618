import { build } from 'esbuild';
import type { Plugin } from 'vite';

/**
 * Modules whose exports are plain data. They are evaluated during the build and shipped as JSON, so that neither the
 * contract nor the schema library that they are computed from reaches the first view.
 */
const tables = /\.table\.ts$|\/sdk\/src\/operations\.ts$/;

export function evaluateTables(): Plugin {
  return {
    name: 'foyer-evaluate-tables',
    apply: 'build',
    load: { filter: { id: tables }, handler: evaluate },
  };
}

async function evaluate(file: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [file],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    conditions: ['@foyer/source'],
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? '').toString('base64');
  const values = (await import(`data:text/javascript;base64,${code}`)) as Record<string, unknown>;
  return Object.entries(values)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join('\n');
}
