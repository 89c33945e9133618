import { prepare } from './prepare.mjs';

await prepare({ build: true });
await import('../server/dist/main.js');
