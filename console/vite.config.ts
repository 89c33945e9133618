import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // The policy of the page allows no data addresses in scripts and styles; every asset is a hashed file.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  server: {
    host: '127.0.0.1',
    proxy: Object.fromEntries(
      ['/api', '/oauth', '/logout'].map((path) => [path, process.env['FOYER_URL'] ?? 'http://127.0.0.1:8080']),
    ),
  },
});
