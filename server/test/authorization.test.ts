import { endpoints, type EndpointName } from '@foyer/contract';
import { type Endpoint, prefixesOf } from '@foyer/contract/conventions/endpoint.ts';
import { permissions, type PermissionName, requiredReadPermissions } from '@foyer/contract/conventions/permissions.ts';
import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashPassword } from '../src/platform/crypto/password.ts';
import { newUuid, printIdentifier } from '../src/platform/identity/identifier.ts';
import { adminPassword, makeAdmin, makeRole, permissionIds } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { firstAdmin } from './first-admin.ts';
import { makeCustomer } from './factories.ts';

let api: TestApi;
let user: Client;
const endpointEntries = Object.entries(endpoints) as [EndpointName, Endpoint][];
const protectedEndpoints = endpointEntries.filter(
  ([, { access }]) => access.kind === 'permission' || access.kind === 'authenticated',
);
const endpointPermissions = endpointEntries.flatMap(([name, { access }]) =>
  access.kind === 'permission' ? [[name, access.permission] as const] : [],
);

beforeAll(async () => {
  api = await startApi();
  const customer = await makeCustomer(api, { email: 'member@example.com', password: 'member of a customer' });
  expect(customer.id).toMatch(/^cust_/);
  const { access_token: token } = await api.anyone.loginUser({
    body: { username: 'member@example.com', password: 'member of a customer' },
  });
  user = api.clientWith(token);
});
afterAll(() => api.close());

/** Valid identifiers of resources that do not exist. */
function paramsOf(endpoint: Endpoint): Record<string, string> {
  return Object.fromEntries(
    Object.entries(endpoint.params ?? {}).map(([name, param]) => [
      name,
      printIdentifier(prefixesOf(param)[0] ?? 'user', newUuid()),
    ]),
  );
}

function isForMembers(name: EndpointName): boolean {
  const { access }: Endpoint = endpoints[name];
  return access.kind === 'permission' && access.users !== null;
}

let count = 0;

/** Logs in as an administrator with exactly these permissions. */
async function signInWith(permissions: readonly PermissionName[]): Promise<Client> {
  count += 1;
  const { db } = api.app.dependencies;
  const now = new Date().toISOString();
  const [adminId, roleId] = [newUuid(), newUuid()];
  const { password } = firstAdmin;
  await db
    .insertInto('admins')
    .values({
      id: adminId,
      username: `admin${count}`,
      email: `admin${count}@example.com`,
      first_name: 'A',
      last_name: 'B',
      locale: 'en',
      timezone: 'UTC',
      password_hash: await hashPassword(password),
      created_at: now,
      updated_at: now,
    })
    .execute();
  await db
    .insertInto('roles')
    .values({ id: roleId, name: `role-of-admin-${count}`, created_at: now, updated_at: now })
    .execute();
  await db.insertInto('admin_roles').values({ admin_id: adminId, role_id: roleId }).execute();
  if (permissions.length > 0) {
    const rows = await db
      .selectFrom('permissions')
      .select('id')
      .where('name', 'in', [...permissions])
      .execute();
    await db
      .insertInto('role_permissions')
      .values(rows.map(({ id }) => ({ role_id: roleId, permission_id: id })))
      .execute();
  }
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username: `admin${count}`, password } });
  return api.clientWith(token);
}

for (const [name, endpoint] of protectedEndpoints) {
  test(`${name} rejects requests without a token or with a wrong one`, async () => {
    const input = { params: paramsOf(endpoint), body: endpoint.body ? {} : undefined };
    const none = await api.anyone.request(name, input);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    const wrong = await api.clientWith(`fat_${'x'.repeat(43)}`).request(name, input);
    expect(wrong.status).toBe(401);
  });
}

for (const [name] of endpointPermissions.filter(([name]) => !isForMembers(name))) {
  test(`${name} rejects users of customers`, async () => {
    const endpoint: Endpoint = endpoints[name];
    const answer = await user.request(name, { params: paramsOf(endpoint), body: endpoint.body ? {} : undefined });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'wrong-population' }]);
  });
}

test('every endpoint with a permission rejects callers without it, and accepts callers who hold it and its read permissions', async () => {
  const names = [...new Set(endpointPermissions.map(([, permission]) => permission))];
  for (const permission of names) {
    const rest = permissions.map(({ name }) => name).filter((name) => name !== permission);
    const clientWithout = await signInWith(rest);
    const clientWithPermission = await signInWith([permission, ...requiredReadPermissions(permission)]);
    for (const [name] of endpointPermissions.filter(([, needed]) => needed === permission)) {
      const endpoint: Endpoint = endpoints[name];
      const input = {
        params: paramsOf(endpoint),
        body: endpoint.body ? {} : undefined,
        // A request that opens a stream would never end.
        query: endpoint.answer.kind === 'event-stream' ? { last_event_id: 'none' } : undefined,
      };
      const refused = await clientWithout.request(name, input);
      expect([name, refused.status, refused.body]).toMatchObject([name, 403, { code: 'forbidden' }]);
      const passed = await clientWithPermission.request(name, input);
      expect([name, [401, 403].includes(passed.status)]).toEqual([name, false]);
    }
  }
});

test('a permission without the read permission that it requires is rejected as Unauthorized Access, naming the read permission', async () => {
  const permissionsWithReads = [...new Set(endpointPermissions.map(([, permission]) => permission))].filter(
    (permission) => requiredReadPermissions(permission).length > 0,
  );
  for (const permission of permissionsWithReads) {
    const client = await signInWith([permission]);
    const [name] = endpointPermissions.find(([, needed]) => needed === permission) ?? [];
    if (!name) continue;
    const endpoint: Endpoint = endpoints[name];
    const answer = await client.request(name, { params: paramsOf(endpoint), body: endpoint.body ? {} : undefined });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'missing-read-permission' }]);
    const { message } = answer.body as { message: string };
    expect(message).toContain('Unauthorized Access');
    for (const read of requiredReadPermissions(permission)) expect(message).toContain(read);
  }
});

test('includes that the caller may not read are left out and listed as ignored', async () => {
  const client = await signInWith(['read-customers']);
  const answer = await client.listCustomers({ query: { include: 'users,subscriptions' } });
  expect(answer.meta.custom).toEqual({ ignored_includes: ['users', 'subscriptions'] });
});

test('a token is rejected on every process from the next request after its logout on', async () => {
  const other = await api.another();
  const client = await signInWith(['read-rooms']);
  expect((await client.request('listRooms')).status).toBe(200);
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: `admin${count}`, password: firstAdmin.password },
  });
  const clientOnOtherNode = other.clientWith(token);
  expect((await clientOnOtherNode.request('listRooms')).status).toBe(200);
  await api.clientWith(token).logout();
  expect((await clientOnOtherNode.request('listRooms')).status).toBe(401);
  await other.close();
});

test('a permission that is detached from a role is rejected on every process from the next request on', async () => {
  const other = await api.another();
  const role = await makeRole(api, ['read-rooms', 'read-customers']);
  const { username } = await makeAdmin(api, { roles_ids: [role.id] });
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password: adminPassword } });
  const clients = [api.clientWith(token), other.clientWith(token)];
  const statusesOf = (name: 'listRooms' | 'listCustomers') =>
    Promise.all(clients.map(async (client) => (await client.request(name)).status));
  expect(await statusesOf('listRooms')).toEqual([200, 200]);
  await api.admin.detachPermissions({
    body: { role_id: role.id, permissions_ids: await permissionIds(api, ['read-rooms']) },
  });
  expect(await statusesOf('listRooms')).toEqual([403, 403]);
  expect(await statusesOf('listCustomers')).toEqual([200, 200]);
  await other.close();
});
