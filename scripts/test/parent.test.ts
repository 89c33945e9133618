import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';

test('the server stops when npm is killed', async () => {
  const url = new URL('../parent.mjs', import.meta.url).href;
  const inner = `import { stopWithoutParent } from ${JSON.stringify(url)};
    process.on('SIGTERM', () => { console.log('told'); process.exit(0); });
    stopWithoutParent();
    setInterval(() => {}, 1000);
    console.log('up');`;
  const outer = `require('child_process').spawn(process.execPath, ['--input-type=module', '-e', ${JSON.stringify(inner)}], { stdio: 'inherit' })`;
  const npm = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  npm.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output === 'up\n') npm.kill('SIGKILL');
  });
  await once(npm, 'close');
  expect(output).toBe('up\ntold\n');
});
