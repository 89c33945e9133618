import { prepare } from './prepare.mjs';

await prepare({ build: true });
process.argv.splice(2, 0, 'start');
await import('../server/dist/main.js');
