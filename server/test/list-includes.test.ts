import { once } from 'node:events';
import { connect } from 'node:net';
import { Client as Connection } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { recordedHeader, recordStatements } from './count-statements.ts';
import { makeCustomer, makeRoom, refusalOf } from './factories.ts';

let api: TestApi;
/** A room whose customer has 1,500 rooms and 11 accounts. */
let fixture: Awaited<ReturnType<typeof makeRoom>>;
let token: string;

beforeAll(async () => {
  api = await startApi();
  fixture = await makeRoom(api);
  await insertRooms(1499);
  await api.app.connection.pool.query(
    `insert into accounts (id, account_key, account_name, subscriber_id, subscription_id, status, created_at, updated_at)
     select gen_random_uuid(), 'account-' || n, 'Account ' || n, subscriber_id, subscription_id, 'active', now(), now()
     from accounts, generate_series(1, 10) n where id = $1`,
    [fixture.account.uuid],
  );
  await insertAccessCodes(10, `room_name like 'Row %'`);
  token = (await api.anyone.loginAdmin({ body: { username: 'root', password: 'a long enough password' } }))
    .access_token;
});
afterAll(() => api.close());

async function insertRooms(count: number, customer = fixture.customer.uuid): Promise<void> {
  await api.app.connection.pool.query(
    `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug, created_at, updated_at)
     select gen_random_uuid(), $1, $2, $3, 'Row ' || n, 'active', false, 'meet', 'row', now(), now() from generate_series(1, $4) n`,
    [customer, fixture.account.uuid, fixture.subscription.uuid, count],
  );
}

async function insertAccessCodes(perRoom: number, condition: string): Promise<void> {
  await api.app.connection.pool.query(
    `insert into room_access_codes (id, room_id, code, role, created_at, updated_at)
     select gen_random_uuid(), rooms.id, 'code-' || n, 'guest', now(), now() from rooms, generate_series(1, ${perRoom}) n
     where ${condition}`,
  );
}

function includedObjects(object: unknown, name: string): Record<string, unknown>[] {
  return (object as Record<string, { data: Record<string, unknown>[] }>)[name]?.data ?? [];
}

test('an include path that returns to an earlier type is ignored and listed, for any number of rows', async () => {
  const { data, meta } = await api.admin.listRooms({
    query: { limit: 1000, include: 'customer.rooms.customer.rooms,customer.rooms,customer' },
  });
  expect(data).toHaveLength(1000);
  expect(meta.custom).toEqual({ ignored_includes: ['customer.rooms.customer.rooms', 'customer.rooms'] });
  expect(data.every((one) => 'customer' in one)).toBe(true);
  const cases = [
    ['listUsers', 'customers.users.customers.users'],
    ['listUsers', 'customers.owner'],
    ['listCustomers', 'rooms.customer.rooms'],
    ['listCustomers', 'accounts.rooms.customer'],
  ] as const;
  for (const [name, include] of cases) {
    const { status, body } = await api.admin.request(name, { query: { limit: 50, include } });
    expect([status, body]).toMatchObject([200, { meta: { custom: { ignored_includes: [include] } } }]);
  }
});

test('relationships between objects of one type can be included', async () => {
  const reseller = await makeCustomer(api, { is_reseller: true });
  const { id } = await makeCustomer(api, { parent_customer_id: reseller.id });
  const params = { customer_id: reseller.id };
  const { data, meta } = await api.admin.readCustomer({ params, query: { include: 'sub_customers.owner' } });
  expect(includedObjects(data, 'sub_customers')).toMatchObject([{ id, owner: { data: { object: 'User' } } }]);
  expect(meta.custom).toEqual([]);
});

test('an include of more than 20 names is rejected before anything is read or written', async () => {
  const params = { customer_id: fixture.customer.id };
  const include = Array.from({ length: 21 }, (_, index) => `name_${index}`).join(',');
  const refusals = [
    await refusalOf(api.admin.listCustomers({ query: { include } })),
    await refusalOf(api.admin.listCustomers({ query: { include, limit: 0 } })),
    await refusalOf(api.admin.readCustomer({ params, query: { include } })),
    await refusalOf(api.admin.updateCustomer({ params, body: { last_name: 'Unchanged' }, query: { include } })),
  ];
  for (const refusal of refusals) {
    expect([refusal.status, refusal.errors]).toEqual([422, { include: [expect.stringContaining('at most 20')] }]);
  }
  expect((await api.admin.readCustomer({ params })).data.last_name).toBe('Lovelace');
  const twenty = include.split(',').slice(1).join(',');
  expect((await api.admin.readCustomer({ params, query: { include: twenty } })).meta.custom).toEqual({
    ignored_includes: twenty.split(','),
  });
});

test('an answer has at most 10,000 included objects; one more is rejected with the relationship, before nested includes are read', async () => {
  const customer = await makeCustomer(api);
  await insertRooms(10_000, customer.uuid);
  const params = { customer_id: customer.id };
  const { data } = await api.admin.readCustomer({ params, query: { include: 'rooms', filter: 'id,email' } });
  const ids = includedObjects(data, 'rooms').map(({ id }) => String(id));
  expect(ids).toHaveLength(10_000);
  expect(ids).toEqual(ids.toSorted());
  await insertRooms(500, customer.uuid);
  const statements = await recordStatements(async () => {
    const refusal = await refusalOf(api.admin.readCustomer({ params, query: { include: 'rooms.access_codes' } }));
    expect([refusal.status, refusal.code, refusal.errors]).toEqual([
      422,
      'include-too-large',
      { include: [expect.stringMatching(/^rooms /)] },
    ]);
  });
  expect(Math.max(...statements.map(({ rows }) => rows))).toBe(10_001);
  expect(statements.filter(({ text }) => text.includes('room_access_codes'))).toEqual([]);
});

test('an answer has at most 64 MiB of included objects, and more is rejected, naming the relationship', async () => {
  const customer = await makeCustomer(api);
  await insertRooms(1100, customer.uuid);
  const setNotes = (length: number) =>
    api.app.connection.pool.query(
      `update rooms set room_metadata = jsonb_build_object('notes', repeat('x', ${length})) where customer_id = $1`,
      [customer.uuid],
    );
  await setNotes(65_000);
  const params = { customer_id: customer.id };
  const search = `id:${customer.id}`;
  for (const attempt of [
    () => api.admin.readCustomer({ params, query: { include: 'accounts,rooms' } }),
    () => api.admin.listCustomers({ query: { search, include: 'accounts,rooms' } }),
    () => api.admin.listCustomers({ query: { search, include: 'accounts,rooms', limit: 0 } }),
  ]) {
    const refusal = await refusalOf(attempt());
    expect([refusal.status, refusal.code, refusal.errors]).toEqual([
      422,
      'include-too-large',
      { include: ['rooms would exceed the limit of 64 MiB of included objects in one answer.'] },
    ]);
  }
  await setNotes(10);
  const { data } = await api.admin.readCustomer({ params, query: { include: 'rooms' } });
  expect(includedObjects(data, 'rooms')).toHaveLength(1100);
});

test('an included object that many rows share counts as often as it is returned', async () => {
  const query = {
    limit: 1000,
    search: `customer_id:${fixture.customer.id}`,
    include: 'customer.accounts',
    filter: 'id',
  };
  const statements = await recordStatements(async () => {
    const refusal = await refusalOf(api.admin.listRooms({ query }));
    expect([refusal.code, refusal.errors]).toEqual([
      'include-too-large',
      { include: [expect.stringMatching(/^customer\.accounts /)] },
    ]);
  });
  expect(statements.find(({ text }) => text.includes('from "accounts"'))?.rows).toBe(11);
  const { data } = await api.admin.listRooms({ query: { ...query, limit: 800 } });
  expect(data).toHaveLength(800);
  for (const one of data) expect(includedObjects((one as never)['customer']['data'], 'accounts')).toHaveLength(11);
});

test('an answer to a write omits includes that are too large, and lists them', async () => {
  const customer = await makeCustomer(api);
  await insertRooms(10_001, customer.uuid);
  const params = { customer_id: customer.id };
  const changed = await api.admin.updateCustomer({
    params,
    body: { last_name: 'Changed' },
    query: { include: 'rooms,owner' },
  });
  expect(changed.data).toMatchObject({ last_name: 'Changed' });
  expect(changed.data).not.toHaveProperty('rooms');
  expect(changed.meta.custom).toEqual({ ignored_includes: ['rooms', 'owner'] });
});

test('a stream reads its rows in batches that stay below the limit, regardless of the total', async () => {
  const search = `customer_id:${fixture.customer.id}`;
  const query = { limit: 0, search, include: 'access_codes', filter: 'id' };
  const statements = await recordStatements(async () => {
    const { data } = await api.admin.listRooms({ query });
    expect(data).toHaveLength(1500);
    const counts = data.map((one) => includedObjects(one, 'access_codes').length);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(14_990);
  });
  const reads = statements.filter(({ text }) => text.includes('from "room_access_codes"'));
  expect(Math.max(...reads.map(({ rows }) => rows))).toBeLessThanOrEqual(2001);
  expect(reads.length).toBeLessThan(30);
});

test('a row that alone exceeds the limit is rejected at the start of a stream, and aborts the stream later', async () => {
  const customerSearch = `customer_id:${fixture.customer.id}`;
  const { data: rows } = await api.admin.listRooms({
    query: { limit: 1, search: customerSearch, orderBy: 'room_name', sortedBy: 'desc' },
  });
  await insertAccessCodes(10_011, `rooms.id = '${rows[0]?.uuid}' and n > 10`);
  const search = `id:${rows[0]?.id}`;
  const refusal = await refusalOf(api.admin.listRooms({ query: { limit: 0, search, include: 'access_codes' } }));
  expect([refusal.status, refusal.code]).toEqual([422, 'include-too-large']);
  const whole = await fetch(
    `${api.url}/api/v1/rooms?limit=0&include=access_codes&orderBy=room_name&search=${customerSearch}`,
    { headers: { authorization: `Bearer ${token}` } },
  );
  expect(whole.status).toBe(200);
  await expect(whole.text()).rejects.toThrow();
  await expect.poll(() => api.log()).toContain('include-too-large');
  await expect.poll(() => countConnectionsInUse()).toBe(0);
});

function countConnectionsInUse(): number {
  const { pool } = api.app.connection;
  return pool.totalCount - pool.idleCount;
}

test('after a disconnect, no further includes are read', async () => {
  const lockHolder = new Connection({ connectionString: api.connectionString });
  await lockHolder.connect();
  await lockHolder.query('begin');
  await lockHolder.query('lock table accounts in access exclusive mode');
  const statements = await recordStatements(async () => {
    for (const limit of [5, 0]) {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      const path = `/api/v1/rooms?limit=${limit}&include=account,owner&count=false`;
      const headers = ['Host: foyer.example', `Authorization: Bearer ${token}`, `${recordedHeader}: 1`];
      socket.write(`GET ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`);
      await expect.poll(() => countBlockedQueries(lockHolder)).toBe(limit === 5 ? 1 : 2);
      socket.end();
      socket.resume();
      await once(socket, 'close');
    }
    await lockHolder.query('rollback');
    await expect.poll(() => countConnectionsInUse()).toBe(0);
  });
  await lockHolder.end();
  expect(statements.filter(({ text }) => text.includes('from "accounts"'))).toHaveLength(2);
  expect(statements.filter(({ text }) => text.includes('from "users"'))).toEqual([]);
});

async function countBlockedQueries(connection: Connection): Promise<number> {
  const { rows } = await connection.query(
    `select count(*)::int as waiting from pg_locks where not granted and database = (select oid from pg_database where datname = current_database())`,
  );
  return (rows[0] as { waiting: number }).waiting;
}

test('HEAD of a streamed list reads no rows', async () => {
  const url = `${api.url}/api/v1/rooms?limit=0&filter=id,url,slug`;
  const headers = { authorization: `Bearer ${token}` };
  const recordCursors = async (method: 'GET' | 'HEAD') => {
    const statements = await recordStatements(async () => {
      const answer = await fetch(url, { method, headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
      expect((await answer.text()) === '').toBe(method === 'HEAD');
    });
    return statements.filter(({ text }) => text.includes('cursor for'));
  };
  expect(await recordCursors('GET')).toHaveLength(1);
  expect(await recordCursors('HEAD')).toEqual([]);
  await expect.poll(() => countConnectionsInUse()).toBe(0);
});
