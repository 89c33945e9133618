import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@foyer/sdk';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { cloneDatabase } from './database.ts';
import { buildFoyer, foyer, removeFoyer } from './foyer-process.ts';
import { databaseAt, execute } from './global-setup.ts';

const folders: string[] = [];

beforeAll(buildFoyer);
afterAll(async () => {
  await removeFoyer();
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
});

async function makeDataFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-cli-'));
  folders.push(folder);
  return join(folder, 'data');
}

const password = 'correct horse battery';

test('all errors of the configuration are reported together, with exit code 2', async () => {
  const { ended, err } = foyer(['start'], {
    PORT: 'eighty',
    DATABASE_URL: 'mysql://localhost/foyer',
    FOYER_PUBLIC_URL: 'foyer.example',
    FOYER_ADMIN_USERNAME: 'x',
    FOYER_ADMIN_PASSWORD: 'short',
    FOYER_DEMO: 'perhaps',
    FOYER_TLS_CERT: '/tmp/cert.pem',
    FOYER_TRUST_PROXY: 'everyone',
    FOYER_SECRET_KEYS: 'nonsense',
    LOG_LEVEL: 'loud',
  });
  expect(await ended).toBe(2);
  for (const name of [
    'PORT',
    'DATABASE_URL',
    'FOYER_PUBLIC_URL',
    'FOYER_ADMIN_USERNAME',
    'FOYER_ADMIN_PASSWORD',
    'FOYER_DEMO',
    'FOYER_TLS_CERT',
    'FOYER_TRUST_PROXY',
    'FOYER_SECRET_KEYS',
    'LOG_LEVEL',
  ]) {
    expect(err()).toContain(name);
  }
});

test('encryption keys are required if DATABASE_URL is set', async () => {
  const { ended, err } = foyer(['start'], { DATABASE_URL: 'postgres://127.0.0.1:1/foyer' });
  expect(await ended).toBe(2);
  expect(err()).toContain('FOYER_SECRET_KEYS is required');
});

test('an unreachable database causes a one-sentence error and a non-zero exit code', async () => {
  const { ended, err } = foyer(['start'], {
    DATABASE_URL: 'postgres://127.0.0.1:1/foyer',
    FOYER_SECRET_KEYS: inject('secretKeys'),
  });
  expect(await ended).toBe(1);
  expect(err().trim().split('\n')).toEqual([
    expect.stringMatching(/^The database cannot be reached: .*DATABASE_URL\.$/),
  ]);
});

test('a database of a newer version causes a one-sentence error and a non-zero exit code', async () => {
  const { connectionString, drop } = await cloneDatabase();
  await execute(connectionString, "insert into migrations values (99, '0099-future', 'unknown')");
  const { ended, err } = foyer(['migrate'], {
    DATABASE_URL: connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
  });
  expect(await ended).toBe(1);
  expect(err()).toContain('A newer version of Foyer has upgraded this database');
  await drop();
});

test('a database whose migration has changed causes a one-sentence error and a non-zero exit code', async () => {
  const server = inject('postgres')['18'];
  await execute(server, 'create database changed_migration');
  const connectionString = databaseAt(server, 'changed_migration');
  await execute(
    connectionString,
    'create table migrations (number integer primary key, name text not null, applied_at timestamptz default now())',
  );
  await execute(connectionString, "insert into migrations values (1, '0001-house')");
  const { ended, err } = foyer(['migrate'], {
    DATABASE_URL: connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
  });
  expect(await ended).toBe(1);
  expect(err()).toContain('Migration 0001-house has changed since it was applied to this database');
  expect(err()).toContain('Start with an empty database.');
});

test('a port in use causes a one-sentence error and a non-zero exit code', async () => {
  const database = await cloneDatabase();
  const blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const { port } = blocker.address() as { port: number };
  const { ended, err } = foyer(['api'], {
    PORT: String(port),
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    LOG_LEVEL: 'silent',
  });
  expect(await ended).toBe(1);
  expect(err().trim()).toBe(`Port ${port} on 127.0.0.1 is in use by another program. Set PORT to a free one.`);
  blocker.close();
  await database.drop();
});

test('the first start shows the generated password once; a stop and a second start keep all data; kill -9 loses no data', async () => {
  const environment = { FOYER_DATA_DIR: await makeDataFolder(), LOG_LEVEL: 'warn' };
  const first = foyer(['start'], environment);
  const firstUrl = await first.ready();
  const [, generatedPassword = ''] = /with the password (\S+) \(shown only once\)/.exec(first.out()) ?? [];
  expect(generatedPassword).toHaveLength(20);
  const client = await login(firstUrl, generatedPassword);
  const servicePackage = await client.createServicePackage({ body: { name: 'Before the stop' } });
  first.child.kill('SIGTERM');
  expect(await first.ended).toBe(0);
  expect(first.err()).toBe('');

  const second = foyer(['start'], environment);
  const secondUrl = await second.ready();
  expect(second.out()).not.toContain('password');
  const secondClient = await login(secondUrl, generatedPassword);
  expect(
    (await secondClient.readServicePackage({ params: { service_package_id: servicePackage.data.id } })).data.name,
  ).toBe('Before the stop');
  const acknowledgedIds: string[] = [];
  const writing = (async () => {
    for (let index = 0; ; index++)
      acknowledgedIds.push((await secondClient.createServicePackage({ body: { name: `Package ${index}` } })).data.id);
  })().catch(() => undefined);
  await expect.poll(() => acknowledgedIds.length, { timeout: 60_000 }).toBeGreaterThan(20);
  second.child.kill('SIGKILL');
  await writing;

  const third = foyer(['start'], environment);
  const thirdClient = await login(await third.ready(), generatedPassword);
  const { data } = await thirdClient.listServicePackages({ query: { limit: 0 } });
  const storedIds = new Set(data.map(({ id }) => id));
  expect(acknowledgedIds.filter((id) => !storedIds.has(id))).toEqual([]);
  third.child.kill('SIGINT');
  expect(await third.ended).toBe(0);
  expect((await stat(join(environment.FOYER_DATA_DIR, 'secret-keys'))).mode & 0o077).toBe(0);
});

async function login(url: string, secret: string) {
  const { access_token: token } = await createClient({ baseUrl: url }).loginAdmin({
    body: { username: 'admin', password: secret },
  });
  return createClient({ baseUrl: url, token });
}

test('several API and worker processes can start simultaneously on one database, and every API responds', async () => {
  const server = inject('postgres')['15'];
  await execute(server, 'create database many_processes');
  const environment = {
    DATABASE_URL: databaseAt(server, 'many_processes'),
    FOYER_SECRET_KEYS: inject('secretKeys'),
    FOYER_ADMIN_PASSWORD: password,
    LOG_LEVEL: 'warn',
  };
  const apis = [foyer(['api'], environment), foyer(['api'], environment), foyer(['start'], environment)];
  const worker = foyer(['worker'], environment);
  const urls = await Promise.all(apis.map((api) => api.ready()));
  await expect.poll(() => worker.out()).toContain('The Foyer worker is ready');
  const clients = await Promise.all(urls.map((url) => login(url, password)));
  const servicePackage = await clients[0]?.createServicePackage({ body: { name: 'Seen by all' } });
  for (const client of clients) {
    expect((await client.listServicePackages()).data.map(({ id }) => id)).toContain(servicePackage?.data.id);
  }
  const { rows } = await query(environment.DATABASE_URL, 'select count(*)::int as admins from admins');
  expect(rows).toEqual([{ admins: 1 }]);
  for (const run of [...apis, worker]) {
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
  }
});

async function query(connectionString: string, text: string) {
  const client = new Client({ connectionString });
  await client.connect();
  const result = await client.query(text);
  await client.end();
  return result;
}

test('commands list and run jobs, create administrators, reset passwords and create a client', async () => {
  const database = await cloneDatabase();
  const environment = {
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    LOG_LEVEL: 'silent',
  };
  const list = foyer(['jobs', 'list'], environment);
  expect(await list.ended).toBe(0);
  // Three aligned columns, separated by at least two spaces.
  const lines = list.out().trimEnd().split('\n');
  const columns = lines.map((line) =>
    /^(\S+ {2,})(\S+(?: \S+)* {2,})\S/
      .exec(line)
      ?.slice(1)
      .map((cell) => cell.length),
  );
  expect(new Set(columns.map((cells) => JSON.stringify(cells))).size).toBe(1);
  for (const [name, countLabel] of [
    ['expire-subscriptions', 'subscriptions suspended'],
    ['reset-usage', 'windows started'],
    ['reconcile-usage', 'usages corrected'],
    ['sync-meetings', 'meetings checked'],
  ] as const) {
    expect(list.out()).toContain(name);
    const run = foyer(['jobs', 'run', name], environment);
    expect([await run.ended, run.out()]).toEqual([0, `${name} is done; ${countLabel}: 0\n`]);
  }
  const unknown = foyer(['jobs', 'run', 'nonsense'], environment);
  expect(await unknown.ended).toBe(1);
  expect(unknown.err()).toContain('There is no job nonsense');
  const createSecond = ['admin', 'create', '--username', 'second', '--email', 'second@example.com'];
  const creation = foyer(createSecond, environment);
  expect(await creation.ended).toBe(0);
  expect(creation.out()).toMatch(/^Created the administrator second with the password \S{20}\n$/);
  const second = foyer(createSecond, environment);
  expect([await second.ended, second.out()]).toEqual([1, '']);
  expect(second.err()).toContain('An administrator second already exists.');
  const first = foyer(['admin', 'create'], environment);
  expect([await first.ended, first.out()]).toEqual([
    0,
    'An administrator already exists. To create another one, give --username and --email.\n',
  ]);
  const reset = foyer(['admin', 'reset-password', 'root'], environment);
  expect(await reset.ended).toBe(0);
  expect(reset.out()).toMatch(/The new password of root is \S{20}\n/);
  const client = foyer(['client', 'create', 'Integration'], environment);
  expect(await client.ended).toBe(0);
  expect(client.out()).toMatch(/client_id\s+client_\w{26}\nclient_secret\s+fcs_\S+/);
  await database.drop();
});

test('plain HTTP is rejected if FOYER_REQUIRE_HTTPS is true, unless a trusted proxy reports HTTPS', async () => {
  const database = await cloneDatabase();
  const run = foyer(['api'], {
    DATABASE_URL: database.connectionString,
    FOYER_SECRET_KEYS: inject('secretKeys'),
    FOYER_REQUIRE_HTTPS: 'true',
    FOYER_TRUST_PROXY: 'loopback',
    LOG_LEVEL: 'silent',
  });
  const url = await run.ready();
  const plain = await fetch(`${url}/api/v1/rooms`);
  expect([plain.status, await plain.json()]).toMatchObject([403, { code: 'https-required' }]);
  const proxied = await fetch(`${url}/api/v1/rooms`, { headers: { 'x-forwarded-proto': 'https' } });
  expect(proxied.status).toBe(401);
  run.child.kill('SIGTERM');
  expect(await run.ended).toBe(0);
  await database.drop();
});

test('the keys in the data directory are generated once', async () => {
  const environment = { FOYER_DATA_DIR: await makeDataFolder(), LOG_LEVEL: 'silent' };
  expect(await foyer(['migrate'], environment).ended).toBe(0);
  const keys = await readFile(join(environment.FOYER_DATA_DIR, 'secret-keys'), 'utf8');
  expect(await foyer(['migrate'], environment).ended).toBe(0);
  expect(await readFile(join(environment.FOYER_DATA_DIR, 'secret-keys'), 'utf8')).toBe(keys);
});

test('a command reports that Foyer is not installed in a folder or database, and creates nothing', async () => {
  const folder = await makeDataFolder();
  for (const command of [['keys', 'rotate'], ['doctor'], ['audit', 'verify'], ['jobs', 'run', 'reset-usage']]) {
    const run = foyer(command, { FOYER_DATA_DIR: folder, LOG_LEVEL: 'silent' });
    expect([await run.ended, run.out()]).toEqual([1, '']);
    expect(run.err()).toContain(`Foyer is not installed in the embedded database in ${folder}. Set FOYER_DATA_DIR`);
  }
  await expect(stat(folder)).rejects.toThrow();
  const server = inject('postgres')['18'];
  const url = databaseAt(server, 'postgres');
  const external = foyer(['doctor'], { DATABASE_URL: url, FOYER_SECRET_KEYS: inject('secretKeys') });
  expect([await external.ended, external.out()]).toEqual([1, '']);
  expect(external.err()).toContain('Foyer is not installed in the database postgres at');
  expect(external.err()).not.toContain(new URL(url).password || 'no password');
});

test('keys are rotated while the server runs and uses secrets, and doctor finds no faults', async () => {
  const environment = { FOYER_DATA_DIR: await makeDataFolder(), FOYER_ADMIN_PASSWORD: password, LOG_LEVEL: 'warn' };
  const keyFile = join(environment.FOYER_DATA_DIR, 'secret-keys');
  const server = foyer(['start'], environment);
  const client = await login(await server.ready(), password);
  const properties = { host_url: 'http://127.0.0.1:9/bigbluebutton/api', secret: 'a secret of the provider' };
  const { data: provider } = await client.createServiceProvider({
    body: { provider_name: 'Ours', provider_type: 'bigbluebutton', properties, active: false },
  });
  const params = { service_provider_id: provider.id };
  /** The request to the provider needs the stored secret. */
  const readProblem = async (caller: typeof client) => (await caller.checkServiceProvider({ params })).data.problem;
  const expectedProblem = await readProblem(client);
  const [firstKey = ''] = (await readFile(keyFile, 'utf8')).split(':');

  const rotation = foyer(['keys', 'rotate'], environment);
  const databaseLine = `On the embedded database in ${environment.FOYER_DATA_DIR}\n`;
  expect([await rotation.ended, rotation.err()]).toEqual([0, databaseLine]);
  const auditEntries = await client.listAuditEntries({ query: { search: 'action:keys.rotated', limit: 1 } });
  const [newKey = ''] = (await readFile(keyFile, 'utf8')).split(':');
  expect(newKey).not.toBe(firstKey);
  expect(auditEntries.data).toMatchObject([{ action: 'keys.rotated', new_values: { newest: newKey, made: true } }]);
  expect((await stat(keyFile)).mode & 0o077).toBe(0);
  expect(rotation.out()).toMatch(/service_providers\.properties +[1-9]\d* encrypted again/);
  expect(rotation.out()).toContain(`Created the key ${newKey}. All secrets are encrypted with ${newKey}.`);

  expect(await readProblem(client)).toBe(expectedProblem);
  const changedProperties = { ...properties, secret: 'another secret of the provider' };
  await client.updateServiceProvider({ params, body: { properties: changedProperties } });
  const doctor = foyer(['doctor'], environment);
  await doctor.ended;
  expect(doctor.out()).toMatch(/ok +database +PostgreSQL \S+, up to date/);
  expect(doctor.out()).toMatch(/ok +secrets +all \d+ are encrypted with the newest key/);
  expect(doctor.out()).toMatch(/ok +administrators +1 active administrator with full access/);
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);
  const secondServer = foyer(['start'], environment);
  const secondClient = await login(await secondServer.ready(), password);
  expect(await readProblem(secondClient)).toBe(expectedProblem);
  secondServer.child.kill('SIGTERM');
  expect(await secondServer.ended).toBe(0);
});

test('secrets are encrypted with the first configured key; secrets that no key decrypts are listed, stay unchanged, and are a fault in doctor', async () => {
  const database = await cloneDatabase();
  const [oldKey, nextKey] = ['a', 'b'].map((id) => `${id}:${Buffer.alloc(32, id).toString('base64')}`);
  const environmentWith = (keys: string) => ({ DATABASE_URL: database.connectionString, FOYER_SECRET_KEYS: keys });
  const server = foyer(['start'], {
    ...environmentWith(`${oldKey},${inject('secretKeys')}`),
    FOYER_ADMIN_PASSWORD: password,
  });
  const url = await server.ready();
  const reset = foyer(['admin', 'reset-password', 'root'], {
    ...environmentWith(`${oldKey},${inject('secretKeys')}`),
    FOYER_ADMIN_PASSWORD: password,
  });
  expect(await reset.ended).toBe(0);
  const { access_token: token } = await createClient({ baseUrl: url }).loginAdmin({
    body: { username: 'root', password },
  });
  const { data: provider } = await createClient({ baseUrl: url, token }).createServiceProvider({
    body: {
      provider_name: 'Silent',
      provider_type: 'bigbluebutton',
      properties: { host_url: 'http://127.0.0.1:9/bigbluebutton/api', secret: 'a secret of the provider' },
    },
  });
  server.child.kill('SIGTERM');
  expect(await server.ended).toBe(0);

  // Re-encrypts the key of the audit log with the newest key. Otherwise nothing starts.
  const migration = foyer(['migrate'], environmentWith(`${nextKey},${oldKey},${inject('secretKeys')}`));
  expect(await migration.ended).toBe(0);
  const rotationWithoutOldKey = foyer(['keys', 'rotate'], environmentWith(`${nextKey}`));
  expect(await rotationWithoutOldKey.ended).toBe(1);
  expect(rotationWithoutOldKey.out()).toContain(
    `service_providers.properties of ${provider.uuid}: The encryption key a is missing.`,
  );
  const doctorBefore = foyer(['doctor'], environmentWith(`${nextKey}`));
  expect(await doctorBefore.ended).toBe(1);
  expect(doctorBefore.out()).toMatch(/fault +secrets +service_providers\.properties of/);
  expect(doctorBefore.out()).toMatch(
    /warning +address +links would begin with http:\S+, from HOST and PORT of this shell/,
  );

  const rotation = foyer(['keys', 'rotate'], environmentWith(`${nextKey},${oldKey}`));
  expect(await rotation.ended).toBe(0);
  expect(rotation.out()).toMatch(/service_providers\.properties +1 encrypted again\n/);
  expect(rotation.out()).toContain('All secrets are encrypted with b.');
  const doctorAfter = foyer(['doctor'], {
    ...environmentWith(`${nextKey}`),
    FOYER_PUBLIC_URL: 'https://rooms.example.com',
  });
  await doctorAfter.ended;
  expect(doctorAfter.out()).toMatch(/ok +secrets/);
  expect(doctorAfter.out()).toMatch(/ok +address +links begin with https:\/\/rooms\.example\.com$/m);
  expect(doctorAfter.out()).toMatch(/fault +providers +Silent: /);
  await database.drop();
});
