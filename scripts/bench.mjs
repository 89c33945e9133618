import { prepare } from './prepare.mjs';
import { bundle } from './build.mjs';

await prepare({ build: true });
await bundle('bench/src/main.ts', 'bench/dist/main.js');
await import('../bench/dist/main.js');
