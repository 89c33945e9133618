import { build } from 'esbuild';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createCaller } from './signed-call.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sandbox-command-'));
  await build({
    entryPoints: [fileURLToPath(new URL('../src/main.ts', import.meta.url))],
    outfile: join(folder, 'sandbox.mjs'),
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test.each(['SIGTERM', 'SIGINT'] as const)(
  'The bundle prints its address in one line, and stops cleanly at %s',
  async (signal) => {
    const sandbox = run({ SANDBOX_PORT: '0', SANDBOX_SECRET: 'one,two' });
    const [line] = (await once(sandbox.process.stdout ?? sandbox.process, 'data')) as [Buffer];
    expect(line.toString()).toMatch(/^The sandbox is ready at http:\/\/127\.0\.0\.1:\d+\/bigbluebutton\/api\n$/);
    const apiUrl = line.toString().trim().split(' ').at(-1) ?? '';
    for (const secret of ['one', 'two']) {
      expect((await createCaller({ apiUrl, secret }).call('getMeetings')).returncode).toBe('SUCCESS');
    }
    sandbox.process.kill(signal);
    expect(await sandbox.exitCode).toBe(0);
    expect(sandbox.errors()).toBe('');
  },
);

test('SANDBOX_MAX_USER_CONCURRENT_ACCESSES limits the sessions of a user id', async () => {
  const sandbox = run({ SANDBOX_PORT: '0', SANDBOX_MAX_USER_CONCURRENT_ACCESSES: '1' });
  const [line] = (await once(sandbox.process.stdout ?? sandbox.process, 'data')) as [Buffer];
  const apiUrl = line.toString().trim().split(' ').at(-1) ?? '';
  const api = createCaller({ apiUrl, secret: 'sandbox-secret' });
  await api.call('create', { meetingID: 'demo', name: 'Demo' });
  for (const fullName of ['First', 'Second']) {
    await api.call('join', { meetingID: 'demo', fullName, role: 'VIEWER', userID: 'u1', redirect: 'false' });
  }
  expect((await api.call('getSessions')).elements['sessions']).toMatchObject({ meeting: [{ userName: 'Second' }] });
});

test('With SANDBOX_KIND=scalelite it reports a build and does not support hooks', async () => {
  const sandbox = run({ SANDBOX_PORT: '0', SANDBOX_KIND: 'scalelite' });
  const [line] = (await once(sandbox.process.stdout ?? sandbox.process, 'data')) as [Buffer];
  const apiUrl = line.toString().trim().split(' ').at(-1) ?? '';
  expect(await (await fetch(apiUrl)).text()).toContain('<build>');
  const api = createCaller({ apiUrl, secret: 'sandbox-secret' });
  expect((await api.call('hooks/list')).messageKey).toBe('unsupportedRequest');
});

test('A port in use causes a one-sentence error and exit code 1', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  const sandbox = run({ SANDBOX_PORT: String(port) });
  expect(await sandbox.exitCode).toBe(1);
  expect(sandbox.errors()).toBe(
    `Port ${port} on 127.0.0.1 is already in use. Stop the program that uses it, or set SANDBOX_PORT.\n`,
  );
});

test('Every invalid environment variable is reported, with exit code 2', async () => {
  const sandbox = run({
    SANDBOX_HOST: 'a b',
    SANDBOX_PORT: '70000',
    SANDBOX_SECRET: 'one,,two',
    SANDBOX_MAX_USER_CONCURRENT_ACCESSES: '-1',
    SANDBOX_KIND: 'teapot',
  });
  expect(await sandbox.exitCode).toBe(2);
  expect(sandbox.errors().trim().split('\n')).toEqual([
    'SANDBOX_HOST must be a host name or an address.',
    'SANDBOX_PORT must be a whole number from 0 to 65535.',
    'SANDBOX_SECRET must be a secret, or several separated by commas, none of them empty.',
    'SANDBOX_MAX_USER_CONCURRENT_ACCESSES must be a whole number; 0 sets no limit.',
    'SANDBOX_KIND must be bigbluebutton or scalelite.',
  ]);
});

interface RunningCommand {
  process: ChildProcess;
  exitCode: Promise<number | null>;
  errors(): string;
}

function run(environment: Record<string, string>): RunningCommand {
  const command = spawn(process.execPath, [join(folder, 'sandbox.mjs')], {
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  });
  onTestFinished(() => void command.kill('SIGKILL'));
  let errors = '';
  command.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  const exitCode = once(command, 'close').then(([code]) => code as number | null);
  return { process: command, exitCode, errors: () => errors };
}
