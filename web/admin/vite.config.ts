import react from '@vitejs/plugin-react';
import { readFileSync } from 'node:fs';
import { defaultClientConditions, defineConfig } from 'vite';
import { checkStyles } from './build/check-styles.ts';
import { compressAssets } from './build/compress-assets.ts';
import { evaluateTables } from './build/evaluate-tables.ts';
import { paintEarly } from './build/paint-early.ts';

const mantineStyles = readFileSync(new URL('../kit/theme/mantine.css', import.meta.url), 'utf8');

export default defineConfig({
  base: '/console/',
  plugins: [react(), evaluateTables(), checkStyles(mantineStyles), paintEarly(), compressAssets()],
  resolve: { conditions: ['@foyer/source', ...defaultClientConditions] },
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // No asset becomes a data: URL, so that the Content-Security-Policy of the page can be strict.
    assetsInlineLimit: 0,
    rolldownOptions: {
      output: {
        // Code that rarely changes stays cached across releases.
        codeSplitting: { groups: [{ name: 'libraries', test: /node_modules/, tags: ['$initial'] }] },
      },
    },
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/api', '/oauth', '/logout'].map((path) => [path, process.env['FOYER_URL'] ?? 'http://127.0.0.1:8080']),
    ),
  },
});
