import { hash } from '@node-rs/argon2';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFirstPartyClient } from '../src/modules/auth/index.ts';
import { printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeCustomer, makeRoom } from './factories.ts';
import { firstAdmin } from './first-admin.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
const { username, password } = firstAdmin;
const wrongPassword = 'wrong password here';

beforeEach(async () => {
  api = await startApi({ rateLimits: true, trustProxy: 'loopback' });
  // Only failed attempts are limited here, not requests.
  const noLimit = 1_000_000;
  await api.admin.updateSettings({
    body: { requests_per_minute: noLimit, anonymous_requests_per_minute: noLimit, logins_per_minute: noLimit },
  });
});
afterEach(() => api.close());

interface Credentials {
  readonly username?: string;
  readonly password?: string;
  readonly otp?: string;
}

/** Signs an administrator in from the address, and returns the status. */
async function signIn(address: string, credentials: Credentials = {}, node = api): Promise<number> {
  const { status } = await node.anyone.request('loginAdmin', {
    body: { username, password, ...credentials },
    headers: { 'x-forwarded-for': address },
  });
  return status;
}

async function failSignIns(times: number, address: string, credentials: Credentials = {}): Promise<void> {
  for (let time = 0; time < times; time++)
    expect(await signIn(address, { password: wrongPassword, ...credentials })).toBe(422);
}

async function signInUser(email: string, secret: string, address = '198.51.100.200') {
  return await api.anyone.request('loginUser', {
    body: { username: email, password: secret },
    headers: { 'x-forwarded-for': address },
  });
}

async function countAuditEntries(action: string): Promise<number> {
  const { rows } = await api.app.connection.pool.query<{ count: number }>(
    'select count(*)::int as count from audit_entries where action = $1',
    [action],
  );
  return rows[0]?.count ?? 0;
}

test('ten failures across processes block sign-in in all of them until the window passes', async () => {
  const other = await api.another();
  for (let time = 0; time < 10; time++) {
    expect(await signIn('198.51.100.1', { password: wrongPassword }, time % 2 === 0 ? api : other)).toBe(422);
  }
  for (const process of [api, other]) {
    const refused = await process.anyone.request('loginAdmin', {
      body: { username, password },
      headers: { 'x-forwarded-for': '198.51.100.1' },
    });
    expect([refused.status, refused.body]).toMatchObject([429, { code: 'too-many-requests' }]);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds > 590 && seconds <= 600).toBe(true);
  }
  api.clock.advance({ minutes: 9, seconds: 59 });
  expect(await signIn('198.51.100.1')).toBe(429);
  api.clock.advance({ seconds: 2 });
  expect(await signIn('198.51.100.1', {}, other)).toBe(200);
  await other.close();
});

test('failures from other addresses cannot block a person, who can still sign in after a few wrong passwords', async () => {
  await failSignIns(5, '198.51.100.1');
  await failSignIns(5, '198.51.100.2', { username: firstAdmin.email.toUpperCase() });
  expect(await signIn('198.51.100.1', { password: wrongPassword })).toBe(429);
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await signIn('198.51.100.3', { password: wrongPassword })).toBe(422);
  expect(await signIn('198.51.100.3', { password: wrongPassword })).toBe(429);
  expect(await signIn('203.0.113.9')).toBe(200);
  for (let attempt = 0; attempt < 2; attempt++)
    expect(await signIn('203.0.113.9', { password: wrongPassword })).toBe(422);
  expect(await signIn('203.0.113.9')).toBe(200);
});

test('an address with ten failures, with any names, is blocked; other addresses are not', async () => {
  for (let time = 0; time < 10; time++) await failSignIns(1, '198.51.100.1', { username: `nobody-${time}` });
  expect(await signIn('198.51.100.1')).toBe(429);
  expect(await signIn('198.51.100.2')).toBe(200);
});

test('the addresses of one IPv6 network, and both ways to write an IPv4 address, count as one', async () => {
  for (let time = 0; time < 10; time++) await failSignIns(1, `2001:db8:0:7::${time + 1}`);
  expect(await signIn('2001:db8:0:7:ffff::1')).toBe(429);
  expect(await signIn('2001:db8:0:8::1')).toBe(200);
  for (let time = 0; time < 10; time++) {
    await failSignIns(1, time % 2 === 0 ? '203.0.113.4' : '::ffff:203.0.113.4', { username: 'nobody' });
  }
  expect(await signIn('203.0.113.4')).toBe(429);
  expect(await signIn('::ffff:203.0.113.5')).toBe(200);
});

test('a successful sign-in clears its failures, but not those of other names from the address', async () => {
  await failSignIns(9, '198.51.100.1');
  expect(await signIn('198.51.100.1')).toBe(200);
  await failSignIns(5, '198.51.100.1');
  await failSignIns(4, '198.51.100.1', { username: 'nobody' });
  expect(await signIn('198.51.100.1')).toBe(200);
  await failSignIns(6, '198.51.100.1', { username: 'nobody' });
  expect(await signIn('198.51.100.1')).toBe(429);
});

test('of a hundred concurrent guesses at two processes, only about ten are checked', async () => {
  const other = await api.another();
  const statuses = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      signIn('198.51.100.1', { password: `guess number ${index}` }, index % 2 === 0 ? api : other),
    ),
  );
  const checkedCount = statuses.filter((status) => status === 422).length;
  expect(checkedCount >= 10 && checkedCount <= 12).toBe(true);
  expect(statuses.filter((status) => status === 429)).toHaveLength(100 - checkedCount);
  await other.close();
});

test('of a hundred concurrent guesses of an access code, only ten are checked', async () => {
  const { room } = await makeRoom(api, { room: { room_settings: { anyone_can_start: true } } });
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'RIGHT-1' } });
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, index) =>
      api.anyone.request('joinRoom', {
        params,
        body: { token: token.token, access_code: `WRONG-${index}`, name: 'Eve' },
      }),
    ),
  );
  expect(answers.filter(({ status }) => status === 403)).toHaveLength(10);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(90);
});

test('wrong passwords at sign-in, at the password grant and at a password confirmation are counted together', async () => {
  const newClient = await createFirstPartyClient(api.app.dependencies, 'test', 'admins');
  const client = { client_id: printIdentifier('client', newClient.id), client_secret: newClient.secret };
  const headers = { 'x-forwarded-for': '198.51.100.1' };
  const grant = (body: Record<string, string>) =>
    api.anyone.request('issueToken', { body: { grant_type: 'password', username, ...client, ...body }, headers });
  for (let time = 0; time < 3; time++) expect((await grant({ password: wrongPassword })).status).toBe(400);
  for (let time = 0; time < 4; time++) {
    // The idempotency key replays the answer, but the attempt counts.
    const refused = await api.admin.request('beginTwoFactor', {
      body: { password: `${wrongPassword} ${time}` },
      headers: { ...headers, 'idempotency-key': `guess-${time}` },
    });
    expect(refused.status).toBe(422);
  }
  await failSignIns(3, '198.51.100.1');
  expect(await signIn('198.51.100.1')).toBe(429);
  expect((await grant({ password })).status).toBe(429);
  const response = await api.admin.request('beginTwoFactor', { body: { password }, headers });
  expect([response.status, response.headers.get('retry-after') !== null]).toEqual([429, true]);
});

test('wrong codes of the second factor with the correct password are counted, but missing codes are not', async () => {
  const { data: enrollment } = await api.admin.beginTwoFactor({ body: { password } });
  const { generateSync } = await import('otplib/functional');
  const code = () => generateSync({ secret: enrollment.secret, epoch: Math.floor(api.clock.nowMs() / 1000) });
  await api.admin.confirmTwoFactor({ body: { code: code() } });
  api.clock.advance({ seconds: 60 });
  for (let time = 0; time < 12; time++) expect(await signIn('198.51.100.1')).toBe(422);
  expect(await signIn('198.51.100.1', { otp: code() })).toBe(200);
  await failSignIns(10, '198.51.100.2', { password, otp: '000000' });
  api.clock.advance({ seconds: 30 });
  expect(await signIn('198.51.100.2', { otp: code() })).toBe(429);
  expect(await signIn('198.51.100.1', { otp: code() })).toBe(200);
});

test('failed sign-ins of one population do not block the other', async () => {
  const customer = await makeCustomer(api);
  for (let time = 0; time < 10; time++) {
    expect((await signInUser(firstAdmin.email, password, '198.51.100.1')).status).toBe(422);
  }
  expect((await signInUser(customer.email, 'difference engine no. 2', '198.51.100.1')).status).toBe(429);
  expect(await signIn('198.51.100.1')).toBe(200);
});

test('the audit log records once that sign-in to an account is blocked, and no later attempts', async () => {
  await failSignIns(9, '198.51.100.1');
  expect(await countAuditEntries('admin.sign_ins_throttled')).toBe(0);
  await failSignIns(1, '198.51.100.1');
  for (let time = 0; time < 20; time++) expect(await signIn('198.51.100.1', { password: wrongPassword })).toBe(429);
  for (let time = 0; time < 20; time++) await failSignIns(1, `198.51.100.${time + 50}`);
  expect(await countAuditEntries('admin.sign_ins_throttled')).toBe(1);
  for (let time = 0; time < 10; time++) await failSignIns(1, '198.51.100.9', { username: 'nobody' });
  expect(await countAuditEntries('admin.sign_ins_throttled')).toBe(1);
  const { rows } = await api.app.connection.pool.query(
    `select actor_type, actor_id, address, resource_type from audit_entries where action = 'admin.sign_ins_throttled'`,
  );
  expect(rows).toEqual([{ actor_type: 'visitor', actor_id: null, address: '198.51.100.1', resource_type: 'Admin' }]);
});

test('attempted names are stored as hashes, and old attempts are removed', async () => {
  await failSignIns(3, '198.51.100.1', { username: 'a-name-that-nobody-has' });
  const readAttempts = async () =>
    (await api.app.connection.pool.query<{ row: string }>('select t::text as row from failed_attempts t')).rows;
  expect(await readAttempts()).toHaveLength(3);
  expect(JSON.stringify(await readAttempts())).not.toContain('a-name-that-nobody-has');
  expect(await runJob(api.app.dependencies, 'prune-failed-attempts')).toBe(0);
  api.clock.advance({ minutes: 10, seconds: 1 });
  expect(await runJob(api.app.dependencies, 'prune-failed-attempts')).toBe(3);
  expect(await readAttempts()).toEqual([]);
});

test('a user can sign in if at least one of their customers is active or suspended, or if they have no customer', async () => {
  const email = 'of-two@example.com';
  const secret = 'a user of two customers';
  const first = await makeCustomer(api, { email, password: secret });
  const second = await makeCustomer(api, { email: 'other@example.com', password: secret });
  const { pool } = api.app.connection;
  const {
    rows: [user],
  } = await pool.query<{ id: string }>('select id from users where email = $1', [email]);
  await pool.query(
    `insert into room_users (id, room_id, user_id, owner, created_at, updated_at)
     select gen_random_uuid(), $1, $2, false, now(), now()`,
    [(await makeRoom(api)).room.uuid, user?.id],
  );
  const setStatus = (uuid: string, status: string) =>
    pool.query('update customers set status = $2 where id = $1', [uuid, status]);
  const { rows: rooms } = await pool.query<{ customer_id: string }>('select customer_id from rooms');
  const roomCustomerId = rooms[0]?.customer_id ?? '';
  expect((await signInUser(email, secret)).status).toBe(200);
  await setStatus(first.uuid, 'inactive');
  expect((await signInUser(email, secret)).status).toBe(200);
  await setStatus(roomCustomerId, 'terminated');
  const refused = await signInUser(email, secret);
  const unknown = await signInUser('nobody@example.com', secret);
  const bodyOf = ({ status, body }: typeof refused) => ({ status, ...(body as object), request_id: null });
  expect(bodyOf(refused)).toEqual(bodyOf(unknown));
  expect(bodyOf(refused)).toMatchObject({ status: 422, code: 'wrong-credentials' });
  await setStatus(first.uuid, 'suspended');
  expect((await signInUser(email, secret)).status).toBe(200);
  expect((await signInUser(second.email, secret)).status).toBe(200);
  await pool.query('delete from customer_users where user_id = $1', [user?.id]);
  await pool.query('delete from room_users where user_id = $1', [user?.id]);
  expect((await signInUser(email, secret)).status).toBe(200);
});

test('a user without a password is rejected like an unknown one', async () => {
  const customer = await makeCustomer(api);
  await api.app.connection.pool.query('update users set password_hash = null where email = $1', [customer.email]);
  const refused = await signInUser(customer.email, 'difference engine no. 2');
  expect([refused.status, refused.body]).toMatchObject([422, { code: 'wrong-credentials' }]);
});

test('a correct password with an outdated hash is rehashed', async () => {
  const { pool } = api.app.connection;
  const customer = await makeCustomer(api);
  const readHash = async (table: 'admins' | 'users') => {
    const { rows } = await pool.query<{ hash: string }>(
      `select password_hash as hash from ${table} order by created_at, id limit 1`,
    );
    return rows[0]?.hash ?? '';
  };
  const cheap = { memoryCost: 1024, timeCost: 1, parallelism: 1 };
  await pool.query('update admins set password_hash = $1', [await hash(password, cheap)]);
  await pool.query('update users set password_hash = $1', [await hash('difference engine no. 2', cheap)]);
  await failSignIns(1, '198.51.100.1');
  expect(await readHash('admins')).toContain('m=1024');
  expect(await signIn('198.51.100.1')).toBe(200);
  expect((await signInUser(customer.email, 'difference engine no. 2')).status).toBe(200);
  for (const table of ['admins', 'users'] as const) expect(await readHash(table)).toContain('m=19456,t=2,p=1');
  expect(await signIn('198.51.100.1')).toBe(200);
  expect((await signInUser(customer.email, 'difference engine no. 2')).status).toBe(200);
});

test('a successful sign-in takes three statements: the account, the throttle, and all writes', async () => {
  expect(await signIn('198.51.100.1')).toBe(200);
  expect(await countStatements(() => signIn('198.51.100.1'))).toBe(3);
});

/** Only in this database, because other test files use the same server. */
const lockWaits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";

const changes: readonly (readonly [description: string, statement: string, code: string])[] = [
  ['the password', `update admins set password_hash = 'another' where username = $1`, 'wrong-credentials'],
  [
    'the second factor',
    `insert into admin_two_factor (admin_id, secret_sealed, confirmed_at, created_at, updated_at)
     select id, 'sealed', now(), now(), now() from admins where username = $1`,
    'second-factor-required',
  ],
];

test.each(changes)(
  'a sign-in while %s is changed waits and is rejected, without a session',
  async (_, statement, code) => {
    const { pool } = api.app.connection;
    const countRecords = async () =>
      (
        await pool.query(`
        select (select count(*) from token_families) as families, (select count(*) from access_tokens) as access,
          (select count(*) from refresh_tokens) as refresh,
          (select count(*) from audit_entries where action = 'admin.logged_in') as entries,
          (select count(*) from events where name = 'admin.logged_in') as events,
          (select sum(last) from event_sequences) as numbers
      `)
      ).rows;
    const before = await countRecords();
    const client = await pool.connect();
    await client.query('begin');
    await client.query('select from admins where username = $1 for no key update', [username]);
    const answer = api.anyone.request('loginAdmin', { body: { username, password } });
    await expect.poll(async () => (await pool.query(lockWaits)).rowCount).toBe(1);
    await client.query(statement, [username]);
    await client.query('commit');
    client.release();
    const { status, body } = await answer;
    expect([status, body]).toMatchObject([422, { code }]);
    expect(await countRecords()).toEqual(before);
  },
);
