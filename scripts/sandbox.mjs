import { prepare } from './prepare.mjs';

await prepare({ build: true });
await import('../sandbox/dist/main.js');
