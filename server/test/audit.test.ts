import fc from 'fast-check';
import { Client } from 'pg';
import pino from 'pino';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createApp } from '../src/app.ts';
import { migrate, readMigrations } from '../src/database/migrate.ts';
import { inTransaction, system } from '../src/events/change.ts';
import { verifyAudit } from '../src/modules/audit/index.ts';
import { createFirstPartyClient } from '../src/modules/auth/index.ts';
import { sealEntries } from '../src/modules/audit/seal-entries.ts';
import { newUuid, printIdentifier } from '../src/platform/identity/identifier.ts';
import { parseSecretKeys } from '../src/platform/crypto/secret-box.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeProvider, makeRoom, refusalOf, unique } from './factories.ts';
import { firstAdmin } from './first-admin.ts';
import { databaseAt, execute } from './global-setup.ts';

let api: TestApi;
let fixture: Awaited<ReturnType<typeof makeRoom>>;

beforeAll(async () => {
  api = await startApi();
  fixture = await makeRoom(api);
  await api.admin.request('updateRoom', {
    params: { room_id: fixture.room.id },
    body: { room_name: 'After' },
    headers: { 'x-request-id': 'audit-me' },
  });
});
afterAll(() => api.close());

async function findEntries(search: string, query: Record<string, string | number | boolean> = {}) {
  return (await api.admin.listAuditEntries({ query: { search, limit: 0, ...query } })).data;
}

async function verifyLog(node: TestApi = api): Promise<string[]> {
  const texts: string[] = [];
  await verifyAudit(node.app.dependencies, ({ subject, tampering }) => texts.push(`${subject}: ${tampering}`));
  return texts;
}

test('an entry records the actor, client, customer, action, address, time and changed values', async () => {
  const { data: me } = await api.admin.readCallingAdmin();
  const [entry, ...otherEntries] = await findEntries('request_id:audit-me');
  expect(otherEntries).toEqual([]);
  expect(entry).toEqual({
    object: 'AuditEntry',
    id: expect.stringMatching(/^audit_[0-9a-z]{26}$/),
    uuid: expect.any(String),
    ulid: expect.any(String),
    occurred_at: expect.stringMatching(/^2026-03-10T12:00:00\.\d{6}Z$/),
    readable_occurred_at: expect.any(String),
    actor_type: 'admin',
    actor_id: me.id,
    actor_name: 'root',
    client_id: expect.stringMatching(/^client_/),
    client_name: expect.stringMatching(/\w/),
    customer_id: fixture.customer.id,
    action: 'room.updated',
    resource_type: 'Room',
    resource_id: fixture.room.id,
    sequence: 2,
    old_values: { room_name: fixture.room.room_name },
    new_values: { room_name: 'After' },
    request_id: 'audit-me',
    address: '127.0.0.1',
    sealed: false,
  });
  const one = await api.admin.readAuditEntry({ params: { entry_id: entry?.ulid ?? '' } });
  expect(one.data).toEqual(entry);
});

test('an unknown entry is a 404; an administrator without the permission is rejected', async () => {
  const unknown = printIdentifier('audit', newUuid());
  expect((await refusalOf(api.admin.readAuditEntry({ params: { entry_id: unknown } }))).status).toBe(404);
  expect((await refusalOf(api.anyone.listAuditEntries())).status).toBe(401);
  await makeCustomer(api, { email: 'nosy@example.com', password: 'nosy member of a customer' });
  const { access_token: token } = await api.anyone.loginUser({
    body: { username: 'nosy@example.com', password: 'nosy member of a customer' },
  });
  expect((await refusalOf(api.clientWith(token).listAuditEntries())).status).toBe(403);
});

test('entries can be filtered by the id, UUID or ULID of their resource; another prefix matches nothing', async () => {
  const { room } = fixture;
  for (const form of [room.id, room.uuid, room.ulid, room.id.toUpperCase()]) {
    expect((await findEntries(`resource_id:${form}`)).map(({ action }) => action)).toEqual([
      'room.updated',
      'room.created',
    ]);
  }
  for (const form of [`acct_${room.ulid}`, 'room_nonsense', 'nonsense', '']) {
    expect(await findEntries(`resource_id:${form}`)).toEqual([]);
  }
  const otherEntries = await findEntries(`resource_id:${room.id}`, { searchFields: 'resource_id:!=' });
  expect(otherEntries.length).toBeGreaterThan(5);
  expect(otherEntries.filter(({ resource_id: id }) => id === room.id)).toEqual([]);
});

test('the list accepts every filter, order and page parameter', async () => {
  const { data: me } = await api.admin.readCallingAdmin();
  expect((await findEntries('action:room.created')).map(({ resource_id: id }) => id)).toContain(fixture.room.id);
  expect((await findEntries(`actor_id:${me.ulid}`)).length).toBeGreaterThan(3);
  expect((await findEntries(`actor_id:user_${me.ulid}`)).length).toBe(0);
  expect((await findEntries(`customer_id:${fixture.customer.uuid}`)).map(({ action }) => action)).toContain(
    'account.created',
  );
  expect(await findEntries('actor_name:nobody')).toEqual([]);
  expect((await findEntries('occurred_at:2026-03-10')).length).toBeGreaterThan(5);
  expect(await findEntries('occurred_at:2026-03-09')).toEqual([]);
  expect((await findEntries('room.upd root')).map(({ action }) => action)).toContain('room.updated');
  expect(
    (await findEntries('resource_type:Room;action:created', { searchJoin: 'and' })).map(({ action }) => action),
  ).toEqual(expect.arrayContaining(['room.created']));
  const oldest = await api.admin.listAuditEntries({ query: { orderBy: 'occurred_at', limit: 2 } });
  const newest = await api.admin.listAuditEntries({ query: { limit: 2 } });
  expect((newest.data[0]?.occurred_at ?? '') > (oldest.data[0]?.occurred_at ?? '')).toBe(true);
  const next = await api.admin.listAuditEntries({
    query: { limit: 2, cursor: newest.meta.pagination?.next_cursor ?? '' },
  });
  expect(next.data.map(({ id }) => id)).not.toContain(newest.data[1]?.id);
  expect((await refusalOf(api.admin.listAuditEntries({ query: { search: 'mac:00' } }))).status).toBe(422);
});

test('the job seals entries of any process', async () => {
  const { room } = await makeRoom(api);
  expect((await findEntries(`resource_id:${room.id}`)).map(({ sealed }) => sealed)).toEqual([false]);
  await sealEntries(api.app.dependencies.db, api.app.dependencies.auditMac);
  expect((await findEntries(`resource_id:${room.id}`)).map(({ sealed }) => sealed)).toEqual([true]);
  expect((await findEntries('sealed:false')).length).toBe(0);
});

test('entries name the client that acted for an administrator or for itself', async () => {
  const { data: oauthClient } = await api.admin.createOauthClient({
    body: {
      name: 'Billing',
      population: 'admins',
      grants: ['client_credentials'],
      scopes: ['service-packages:read', 'service-packages:write'],
    },
  });
  const machine = await api.anyone.issueToken({
    body: { grant_type: 'client_credentials', client_id: oauthClient.id, client_secret: oauthClient.secret ?? '' },
  });
  const { data: packageOfClient } = await api
    .clientWith(machine.access_token)
    .createServicePackage({ body: { name: unique('By itself') } });
  expect((await findEntries(`resource_id:${packageOfClient.id}`))[0]).toMatchObject({
    actor_type: 'client',
    actor_id: oauthClient.id,
    actor_name: 'Billing',
    client_id: oauthClient.id,
    client_name: 'Billing',
  });
  const firstParty = await createFirstPartyClient(api.app.dependencies, 'Command line', 'admins');
  const human = await api.anyone.issueToken({
    body: { grant_type: 'password', client_id: firstParty.id, client_secret: firstParty.secret, ...credentials },
  });
  const { data: packageOfAdmin } = await api
    .clientWith(human.access_token)
    .createServicePackage({ body: { name: unique('On behalf') } });
  expect((await findEntries(`resource_id:${packageOfAdmin.id}`))[0]).toMatchObject({
    actor_type: 'admin',
    actor_name: 'root',
    client_id: printIdentifier('client', firstParty.id),
    client_name: 'Command line',
  });
});

const credentials = { username: firstAdmin.username, password: firstAdmin.password };

test('a refused privilege escalation is recorded', async () => {
  const { data: permissions } = await api.admin.listPermissions({ query: { limit: 0 } });
  const { data: roles } = await api.admin.listRoles({ query: { limit: 0 } });
  const { data: role } = await api.admin.createRole({ body: { name: unique('staff') } });
  const permissionNames = [
    'read-admins',
    'read-roles',
    'manage-admins-access',
    'read-permissions',
    'manage-permissions',
  ];
  await api.admin.attachPermissions({
    body: {
      role_id: role.id,
      permissions_ids: permissions.filter(({ name }) => permissionNames.includes(name)).map(({ id }) => id),
    },
  });
  const password = 'a password of the staff';
  const { data: admin } = await api.admin.createAdmin({
    body: {
      username: 'staff',
      email: 'staff@example.com',
      first_name: 'S',
      last_name: 'T',
      password,
      roles_ids: [role.id],
    },
  });
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username: 'staff', password } });
  const full = roles.find(({ name }) => name === 'admin')?.id ?? '';
  for (const headers of [{}, { 'idempotency-key': 'escalate' }]) {
    const answer = await api
      .clientWith(token)
      .request('assignRoles', { body: { admin_id: admin.id, roles_ids: [full] }, headers });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'privilege-escalation' }]);
  }
  const entries = await findEntries('action:admin.escalation_refused');
  expect(entries).toHaveLength(2);
  expect(entries[0]).toMatchObject({
    actor_id: admin.id,
    resource_id: admin.id,
    new_values: { endpoint: 'POST /roles/assign', reason: expect.any(String) },
  });
  expect(await verifyLog()).toEqual([]);
});

test('secrets appear neither in audit entries nor in events', async () => {
  const provider = await makeProvider(api, { apiUrl: 'http://127.0.0.1:9', secret: 'shared-secret-one' });
  const providerParams = { service_provider_id: provider.id };
  await api.admin.updateServiceProvider({
    params: providerParams,
    body: { properties: { secret: 'shared-secret-two' } },
  });
  await makeCustomer(api, { password: 'password of a customer' });
  const params = { room_id: fixture.room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
  await api.admin.updateRoomToken({ params: { ...params, token_id: token.id }, body: { name: 'x' } });
  const { data: code } = await api.admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'CODE-ONE-11' } });
  await api.admin.updateRoomAccessCode({ params: { ...params, code_id: code.id }, body: { code: 'CODE-TWO-22' } });
  await api.admin.deleteRoomAccessCode({ params: { ...params, code_id: code.id } });
  await api.admin.deleteRoomToken({ params: { ...params, token_id: token.id } });
  await api.admin.updateRoom({
    params,
    body: { room_metadata: { link: `${token.url}#x`, api_key: 'metadata-key-33', nested: { password: 'nested-44' } } },
  });
  const login = await api.anyone.loginAdmin({ body: credentials });
  await api.clientWith(login.access_token).logout();
  await api.admin.deleteServiceProvider({ params: providerParams });
  const { db } = api.app.dependencies;
  const stored = await db.selectFrom('service_providers').select('properties').execute();
  const { rows } = await api.app.connection.pool.query<{ all: string }>(
    `select (select string_agg(e::text, e' \n') from events e) || (select string_agg(a::text, e' \n') from audit_entries a) as all`,
  );
  const records = rows[0]?.all ?? '';
  expect(records).toContain('********');
  for (const secret of [
    'shared-secret-one',
    'shared-secret-two',
    'password of a customer',
    firstAdmin.password,
    token.token,
    'CODE-ONE-11',
    'CODE-TWO-22',
    'metadata-key-33',
    'nested-44',
    login.access_token,
    login.refresh_token,
    '$argon2',
    'eyJ',
    ...stored.map(({ properties }) => String(properties['secret'])),
  ]) {
    expect([secret, records.includes(secret)]).toEqual([secret, false]);
  }
});

test('an entry is read back exactly as it was written, for any values', async () => {
  const storable = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }).filter((value) => {
    return !JSON.stringify(value).includes('\\u0000');
  });
  await fc.assert(
    fc.asyncProperty(storable, fc.string({ unit: 'grapheme' }), fc.double(), async (value, name, number) => {
      await inTransaction(api.app.dependencies, { ...system, name: name.replaceAll('\0', '') }, ({ emit }) =>
        emit({
          name: 'room.updated',
          resource: { type: 'Room', id: newUuid() },
          before: { value, number, missing: undefined, at: new Date(0), list: [value, number] },
          after: { value: [value], number: -number, [name.replaceAll('\0', '')]: value },
        }),
      );
    }),
    { numRuns: 150 },
  );
  expect(await verifyLog()).toEqual([]);
});

test('concurrent writes and sealing on two nodes give one chain without gaps that contains each entry once', async () => {
  const second = await api.another();
  const { room } = await makeRoom(api);
  const stop = new AbortController();
  const sealing = [api, second, second].map(async ({ app }) => {
    while (!stop.signal.aborted) await sealEntries(app.dependencies.db, app.dependencies.auditMac);
  });
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      (index % 2 ? api : second).admin.updateRoom({
        params: { room_id: index % 3 ? room.id : fixture.room.id },
        body: { room_name: `Name ${index}` },
      }),
    ),
  );
  const findingsDuringSealing = await Promise.all([verifyLog(), verifyLog(second)]);
  stop.abort();
  await Promise.all(sealing);
  await sealEntries(api.app.dependencies.db, api.app.dependencies.auditMac);
  expect(findingsDuringSealing).toEqual([[], []]);
  expect(await verifyLog(second)).toEqual([]);
  const { rows } = await api.app.connection.pool.query(
    'select (select count(*)::int from audit_entries) = count(*) as all_sealed, max(sequence) = count(*) as gapless, (select count(*)::int from audit_unsealed) as waiting from audit_seals',
  );
  expect(rows).toEqual([{ all_sealed: true, gapless: true, waiting: 0 }]);
  await second.app.close();
});

test('deleting a customer keeps its audit entries', async () => {
  const { customer, subscription, account, room } = await makeRoom(api);
  const before = (await findEntries(`customer_id:${customer.id}`)).length;
  await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params: { customer_id: customer.id } });
  expect((await findEntries(`customer_id:${customer.id}`)).length).toBeGreaterThan(before);
  for (const { id } of [customer, subscription, account, room]) {
    expect((await findEntries(`resource_id:${id}`)).map(({ action }) => action)).toContainEqual(
      expect.stringMatching(/\.created$/),
    );
  }
  expect(await verifyLog()).toEqual([]);
});

test('entries from before MACs were introduced are sealed unchanged and protected from then on', async () => {
  const server = inject('postgres')['18'];
  const name = `audit_older_${newUuid().replaceAll('-', '')}`;
  await execute(server, `create database ${name}`);
  const connectionString = databaseAt(server, name);
  const [room, customer] = [newUuid(), newUuid()];
  const oldEntryIds = [newUuid(), newUuid(), newUuid()];
  await withClient(connectionString, async (client) => {
    await migrate(client, await readMigrations());
    for (const [index, id] of oldEntryIds.entries()) {
      await client.query(
        "insert into audit_entries (id, actor_type, action, resource_type, resource_id, occurred_at) values ($1, 'system', 'room.updated', 'Room', $2, now())",
        [id, index === 2 ? customer : room],
      );
    }
    await client.query('insert into event_sequences values ($1, 2), ($2, 1)', [room, customer]);
    await client.query('insert into audit_unsealed select id from audit_entries');
    await client.query('update audit_heads set entries_before = 3');
  });
  const keys = parseSecretKeys(inject('secretKeys'));
  const app = await createApp({
    connectionString,
    secretKeys: keys.ok ? keys.keys : [],
    logger: pino({ level: 'silent' }),
    fallbackUrl: () => 'http://127.0.0.1',
    publicUrl: null,
  });
  const verify = async () => {
    const texts: string[] = [];
    await verifyAudit(app.dependencies, ({ subject, tampering }) => texts.push(`${subject}: ${tampering}`));
    return texts;
  };
  const tamper = (statement: string) =>
    withClient(connectionString, (client) => client.query(`set session_replication_role = replica; ${statement}`));
  await inTransaction(app.dependencies, system, ({ emit }) =>
    emit({ name: 'room.updated', resource: { type: 'Room', id: room }, after: { room_name: 'x' } }),
  );
  expect(await verify()).toEqual([]);
  await tamper(`update audit_entries set address = '192.0.2.1' where id = '${oldEntryIds[0]}'`);
  expect(await verify()).toEqual([`${printIdentifier('audit', oldEntryIds[0] ?? '')}: altered`]);
  await tamper(`update audit_entries set address = null where id = '${oldEntryIds[0]}'`);
  const forged = newUuid();
  await tamper(`
    insert into audit_entries (id, actor_type, action, resource_type, resource_id, occurred_at)
    values ('${forged}', 'system', 'room.updated', 'Room', '${room}', now() - interval '1 year');
    insert into audit_unsealed values ('${forged}')`);
  expect(await verify()).toContain(`${printIdentifier('audit', forged)}: forged`);
  await tamper(`delete from audit_entries where id in ('${oldEntryIds[1]}', '${forged}')`);
  expect(await verify()).toContain(`${printIdentifier('audit', oldEntryIds[1] ?? '')}: removed`);
  await app.close();
  await execute(server, `drop database ${name} with (force)`);
});

async function withClient<Outcome>(
  connectionString: string,
  act: (client: Client) => Promise<Outcome>,
): Promise<Outcome> {
  const client = new Client({ connectionString });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

test('the key is encrypted at rest, created once by concurrent processes, and required to start', async () => {
  const otherNodes = await Promise.all([api.another(), api.another()]);
  const { rows } = await api.app.connection.pool.query<{ sealed: string }>('select sealed from audit_keys');
  expect(rows).toEqual([{ sealed: expect.stringMatching(/^eyJ/) }]);
  for (const other of otherNodes) await other.app.close();
  const otherKeys = parseSecretKeys(`other:${Buffer.alloc(32, 1).toString('base64')}`);
  await expect(
    createApp({
      connectionString: api.connectionString,
      secretKeys: otherKeys.ok ? otherKeys.keys : [],
      logger: pino({ level: 'silent' }),
      fallbackUrl: () => 'http://127.0.0.1',
      publicUrl: null,
    }),
  ).rejects.toThrow(/encryption key \S+ is missing/);
});

test('key rotation encrypts the MAC key again, and the log stays valid', async () => {
  const keys = parseSecretKeys(`newer:${Buffer.alloc(32, 9).toString('base64')},${inject('secretKeys')}`);
  const app = await createApp({
    connectionString: api.connectionString,
    secretKeys: keys.ok ? keys.keys : [],
    logger: pino({ level: 'silent' }),
    fallbackUrl: () => 'http://127.0.0.1',
    publicUrl: null,
  });
  const { rows } = await app.connection.pool.query<{ sealed: string }>('select sealed from audit_keys');
  expect(app.dependencies.secretBox.keyId(rows[0]?.sealed ?? '')).toBe('newer');
  const result = await verifyAudit(app.dependencies, () => undefined);
  expect(result.findings).toBe(0);
  await app.close();
});

test('identifiers have the prefix of their resource', async () => {
  const prefixes = new Map((await findEntries('')).map((entry) => [entry.resource_type, entry.resource_id]));
  expect(prefixes.get('Room')).toMatch(/^room_/);
  expect(prefixes.get('ServicePackageSubscription')).toMatch(/^sub_/);
  expect(prefixes.get('ServiceProvider')).toMatch(/^prov_/);
});
