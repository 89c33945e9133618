import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { cloneDatabase } from './database.ts';
import { buildFoyer, foyer, removeFoyer } from './foyer-process.ts';
import { freePort } from './free-port.ts';

const builder = fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url));

beforeAll(async () => {
  await Promise.all([buildFoyer(), promisify(execFile)(process.execPath, [builder, 'media'])]);
});
afterAll(removeFoyer);

/** The id of the only child process of Foyer. */
async function readChildPid(pid: number | undefined): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return Number(children.trim().split(' ')[0]);
}

test('npm start runs a media server with a generated secret, restarts it after a crash, and the media server stops when Foyer is killed', async () => {
  const [database, port, dataDir] = [await cloneDatabase(), await freePort(), await mkdtemp(join(tmpdir(), 'foyer-'))];
  const run = foyer(['start'], {
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    FOYER_DATA_DIR: dataDir,
    FOYER_DEMO: 'false',
    FOYER_MEDIA_PORT: String(port),
    FOYER_MEDIA_RTMP_PORT: '0',
  });
  onTestFinished(async () => {
    run.child.kill('SIGKILL');
    await run.ended;
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  const checkHealth = async () =>
    await fetch(`http://127.0.0.1:${port}/health`).then(
      async (response) => (await response.text()) && response.status,
      () => 'down',
    );
  await run.ready();
  expect(run.out()).toContain(`Media server  http://127.0.0.1:${port}`);
  expect(await checkHealth()).toBe(200);
  const secretFile = join(dataDir, 'media-secret');
  expect((await readFile(secretFile, 'utf8')).trim().length).toBeGreaterThan(32);
  expect((await stat(secretFile)).mode & 0o077).toBe(0);
  expect(run.out() + run.err()).not.toContain((await readFile(secretFile, 'utf8')).trim());
  const firstPid = await readChildPid(run.child.pid);
  process.kill(firstPid, 'SIGKILL');
  await expect
    .poll(async () => await readChildPid(run.child.pid))
    .toSatisfy((pid: number) => pid > 0 && pid !== firstPid);
  await expect.poll(checkHealth).toBe(200);
  run.child.kill('SIGKILL');
  await expect.poll(checkHealth).toBe('down');
});

test('the platform starts even if the port of the media server is in use', async () => {
  const [database, dataDir] = [await cloneDatabase(), await mkdtemp(join(tmpdir(), 'foyer-'))];
  const portHolder = createServer().listen(0, '127.0.0.1');
  await once(portHolder, 'listening');
  const run = foyer(['start'], {
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    FOYER_DATA_DIR: dataDir,
    FOYER_DEMO: 'false',
    FOYER_MEDIA_PORT: String((portHolder.address() as AddressInfo).port),
  });
  onTestFinished(async () => {
    run.child.kill('SIGKILL');
    await run.ended;
    portHolder.close();
    await database.drop();
    await rm(dataDir, { recursive: true, force: true });
  });
  expect((await fetch(`${await run.ready()}/readyz`)).status).toBe(200);
  expect(run.out()).not.toContain('Media server');
  expect(run.err() + run.out()).toContain('FOYER_MEDIA_PORT');
});
