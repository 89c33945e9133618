import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Plugin } from 'vite';

/** Writes `.br` and `.gz` files beside each asset, at the highest levels. */
export function compressAssets(): Plugin {
  return {
    name: 'foyer-compress-assets',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const entries = await readdir(dir, { recursive: true, withFileTypes: true });
      const files = entries.filter((entry) => entry.isFile() && /\.(?:js|css|html|svg)$/.test(entry.name));
      await Promise.all(files.map(({ parentPath, name }) => compress(join(parentPath, name))));
    },
  };
}

async function compress(file: string): Promise<void> {
  const contents = await readFile(file);
  const brotli = await promisify(brotliCompress)(contents, {
    params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length },
  });
  const gzipped = await promisify(gzip)(contents, { level: 9 });
  if (brotli.length < contents.length) await writeFile(`${file}.br`, brotli);
  if (gzipped.length < contents.length) await writeFile(`${file}.gz`, gzipped);
}
