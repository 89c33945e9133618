import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { nodeVersionFault } from '../node-version.mjs';

test.each(['20.19.0', '20.20.2', '21.0.0', '22.0.0', '24.5.0'])('Node %s is accepted', (version) => {
  expect(nodeVersionFault(version)).toBeNull();
});

test.each(['20.18.3', '20.9.0', '19.9.0', '18.20.8', '16.0.0', '8.17.0'])(
  'Node %s is rejected in one sentence',
  (version) => {
    expect(nodeVersionFault(version)).toBe(
      `Foyer needs Node.js 20.19 or newer, but this is ${version}. See https://nodejs.org`,
    );
  },
);

test.each(['start', 'foyer', 'sandbox', 'bench', 'build', 'test'])(
  'npm run %s on an old Node prints only this error',
  (script) => {
    const url = new URL(`../${script}.mjs`, import.meta.url).href;
    const pretendOld = `Object.defineProperty(process.versions, 'node', { value: '18.20.8' }); import('${url}');`;
    const { status, stdout, stderr } = spawnSync(process.execPath, ['-e', pretendOld], {
      cwd: fileURLToPath(new URL('.', import.meta.url)),
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: 'Foyer needs Node.js 20.19 or newer, but this is 18.20.8. See https://nodejs.org\n',
    });
  },
);
