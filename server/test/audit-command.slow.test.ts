import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest';
import { bundleOptions } from '../../scripts/bundle-options.mjs';
import { printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const bundle = join(root, 'server', 'dist', `audit-${process.pid}.js`);
const running = new Set<ChildProcess>();
let folder: string;
let api: TestApi;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'foyer-audit-'));
  const entryPoints = [join(root, 'server/src/main.ts')];
  await build({ ...bundleOptions, entryPoints, outfile: bundle, logLevel: 'error' });
  api = await startApi();
});
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL');
  await rm(bundle, { force: true });
  await rm(folder, { recursive: true, force: true });
  await api.close();
});

interface Run {
  readonly child: ChildProcess;
  readonly lines: () => string[];
  readonly err: () => string;
  readonly ended: Promise<number | null>;
}

function runFoyer(command: string[], environment: Record<string, string>): Run {
  const child = spawn(process.execPath, [bundle, ...command], {
    env: {
      PATH: process.env['PATH'] ?? '',
      PORT: '0',
      FOYER_SANDBOX_PORT: '0',
      FOYER_MEDIA_PORT: '0',
      LOG_LEVEL: 'warn',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk) => (out += String(chunk)));
  child.stderr.on('data', (chunk) => (err += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
  void ended.then(() => running.delete(child));
  return { child, lines: () => out.trim().split('\n'), err: () => err, ended };
}

function runOnDatabase(...command: string[]): Run {
  return runFoyer(command, { DATABASE_URL: api.connectionString, FOYER_SECRET_KEYS: inject('secretKeys') });
}

const intactLine = /^The audit log is intact: (\d+) entries, head (\d+:[0-9a-f]{64})$/;

/** The standard error output of a command, without the line that names the database. */
function errorText({ err }: { err: () => string }): string {
  expect(err()).toMatch(/^On the database /);
  return err().replace(/^.*\n/, '');
}

test('verifying an intact log prints one line and exits with code 0, also while the API writes', async () => {
  const { room } = await makeRoom(api);
  const verified = new AbortController();
  const writing = (async () => {
    let writes = 0;
    for (; !verified.signal.aborted; writes++)
      await api.admin.updateRoom({ params: { room_id: room.id }, body: { room_name: `Name ${writes}` } });
    return writes;
  })();
  const runs = [runOnDatabase('audit', 'verify'), runOnDatabase('audit', 'verify')];
  const codes = await Promise.all(runs.map(({ ended }) => ended));
  verified.abort();
  expect(await writing).toBeGreaterThan(0);
  for (const run of runs) expect([run.lines(), errorText(run)]).toEqual([[expect.stringMatching(intactLine)], '']);
  expect(codes).toEqual([0, 0]);
  const [, , head = ''] = intactLine.exec(runs[0]?.lines()[0] ?? '') ?? [];
  const second = runOnDatabase('audit', 'verify', '--since', head);
  expect([await second.ended, second.lines()]).toEqual([0, [expect.stringMatching(intactLine)]]);
});

test('each finding is a line that names the entry, and the exit code is 1', async () => {
  const { room } = await makeRoom(api);
  const { rows } = await api.app.connection.pool.query<{ id: string }>(
    'select id from audit_entries where resource_id = $1',
    [room.uuid],
  );
  const [id = ''] = rows.map((row) => row.id);
  const sealing = runOnDatabase('jobs', 'run', 'seal-audit');
  expect([await sealing.ended, sealing.lines()]).toEqual([
    0,
    [expect.stringMatching(/^seal-audit is done; entries added: [1-9]\d*$/)],
  ]);
  const client = await api.app.connection.pool.connect();
  onTestFinished(() => client.release());
  await client.query(
    `set session_replication_role = replica; update audit_entries set actor_name = 'nobody' where id = '${id}'; reset session_replication_role`,
  );
  const { ended, lines } = runOnDatabase('audit', 'verify');
  expect([await ended, lines()]).toEqual([
    1,
    [
      `${printIdentifier('audit', id)}: altered: the entry was altered`,
      expect.stringMatching(/^The audit log was tampered with: 1 finding in \d+ entries, head \d+:[0-9a-f]{64}$/),
    ],
  ]);
  await client.query(
    `set session_replication_role = replica; update audit_entries set actor_name = 'root' where id = '${id}'; reset session_replication_role`,
  );
  const repaired = runOnDatabase('audit', 'verify');
  expect(await repaired.ended).toBe(0);
});

test('a malformed --since is an error; a head that is not in the chain is a finding', async () => {
  const wrong = runOnDatabase('audit', 'verify', '--since', 'yesterday');
  expect([await wrong.ended, errorText(wrong)]).toEqual([1, 'The option --since must have the form sequence:hash.\n']);
  const otherChain = runOnDatabase('audit', 'verify', '--since', `1:${'0'.repeat(64)}`);
  expect([await otherChain.ended, otherChain.lines()[0]]).toEqual([
    1,
    'link 1: forged: the chain does not contain the head given with --since',
  ]);
});

test('a wrong encryption key is reported with the name of the key that is needed', async () => {
  const run = runFoyer(['audit', 'verify'], {
    DATABASE_URL: api.connectionString,
    FOYER_SECRET_KEYS: `foreign:${Buffer.alloc(32, 1).toString('base64')}`,
  });
  const message =
    /^The encryption key \S+ is missing\. Add the key to FOYER_SECRET_KEYS or to the file secret-keys\.\n$/;
  expect([await run.ended, errorText(run)]).toEqual([1, expect.stringMatching(message)]);
});

test('the audit log of the embedded database can be verified while the server runs and after it stopped', async () => {
  const environment = { FOYER_DATA_DIR: join(folder, 'data'), FOYER_DEMO: 'false' };
  const server = runFoyer(['start'], environment);
  await expect
    .poll(() => server.lines().at(-1) + (server.child.exitCode === null ? '' : `exited: ${server.err()}`), {
      timeout: 30_000,
    })
    .toMatch(/Foyer is ready at|exited/);
  const duringRun = runFoyer(['audit', 'verify'], environment);
  expect([await duringRun.ended, duringRun.lines()]).toEqual([0, [expect.stringMatching(intactLine)]]);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const afterStop = runFoyer(['audit', 'verify'], environment);
  expect([await afterStop.ended, afterStop.lines()]).toEqual([0, [expect.stringMatching(intactLine)]]);
});
