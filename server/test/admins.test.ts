import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { firstAdmin } from './first-admin.ts';
import { refusalOf, unique } from './factories.ts';

const password = 'engine of differences';

let api: TestApi;
let fullRole: string;

beforeAll(async () => {
  api = await startApi();
  const { data } = await api.admin.listRoles({ query: { search: 'name:admin', searchFields: 'name:=' } });
  fullRole = data[0]?.id ?? '';
});
afterAll(() => api.close());

async function makeAdmin(body: Record<string, unknown> = {}) {
  const username = unique('admin');
  const given = { username, email: `${username}@example.com`, first_name: 'Ada', last_name: 'King', password };
  return (await api.admin.createAdmin({ body: { ...given, ...body } })).data;
}

async function makeRole(names: readonly string[]): Promise<string> {
  const { data: role } = await api.admin.createRole({ body: { name: unique('role') } });
  const { data } = await api.admin.listPermissions({ query: { limit: 0 } });
  const permissions_ids = data.filter(({ name }) => names.includes(name)).map(({ id }) => id);
  await api.admin.attachPermissions({ body: { role_id: role.id, permissions_ids } });
  return role.id;
}

async function signedIn(username: string, secret = password): Promise<Client> {
  return api.clientWith((await api.anyone.loginAdmin({ body: { username, password: secret } })).access_token);
}

test('an administrator is made with the attributes of the specification, and signs in by user name or email', async () => {
  const made = await makeAdmin({
    locale: 'pt-BR',
    timezone: 'America/Sao_Paulo',
    admin_settings: { theme: 'dark' },
    admin_metadata: { team: ['one', 'two'] },
  });
  expect(made).toMatchObject({
    object: 'Admin',
    full_name: 'Ada King',
    status: 'active',
    locale: 'pt-BR',
    timezone: 'America/Sao_Paulo',
    admin_settings: { theme: 'dark' },
    admin_metadata: { team: ['one', 'two'] },
    email_verified_at: null,
    has_email_verified: false,
  });
  expect(JSON.stringify(made)).not.toContain('password');
  await signedIn(made.username);
  await signedIn(made.email.toUpperCase());
  const { data, meta } = await api.admin.readAdmin({ params: { admin_id: made.uuid } });
  expect([data.id, meta.include]).toEqual([made.id, ['roles']]);
});

test('locale and time zone default to those of the system, settings to an empty list', async () => {
  expect(await makeAdmin()).toMatchObject({ locale: 'en', timezone: 'UTC', admin_settings: [], admin_metadata: {} });
});

test('every fault of a new administrator is named at once', async () => {
  const refusal = await refusalOf(
    api.admin.createAdmin({
      body: { username: 'a b', email: 'nobody', first_name: '', last_name: 'x'.repeat(151), password: 'short' },
    }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors).toSorted()).toEqual(['email', 'first_name', 'last_name', 'username']);
  const weak = await refusalOf(
    api.admin.createAdmin({
      body: {
        username: firstAdmin.username.toUpperCase(),
        email: 'x@example.com',
        first_name: 'A',
        last_name: 'B',
        password: 'short',
      },
    }),
  );
  expect(Object.keys(weak.errors).toSorted()).toEqual(['password', 'username']);
});

test('user name and email are unique whatever the case, also among requests at the same instant', async () => {
  const { username, email } = await makeAdmin();
  const again = await refusalOf(
    api.admin.createAdmin({
      body: { username: username.toUpperCase(), email: email.toUpperCase(), first_name: 'A', last_name: 'B', password },
    }),
  );
  expect(Object.keys(again.errors)).toEqual(['username', 'email']);
  const twin = unique('twin');
  const answers = await Promise.all(
    [1, 2, 3].map((number) =>
      api.admin.request('createAdmin', {
        body: { username: twin, email: `${number}${twin}@example.com`, first_name: 'A', last_name: 'B', password },
      }),
    ),
  );
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 422, 422]);
});

test('user name and email never change; naming them unchanged is no fault', async () => {
  const { id, username, email } = await makeAdmin();
  const params = { admin_id: id };
  await api.admin.updateAdmin({ params, body: { username, email, first_name: 'Augusta' } as never });
  const refusal = await refusalOf(
    api.admin.updateAdmin({ params, body: { username: 'other', email: 'o@e.org' } as never }),
  );
  expect(Object.keys(refusal.errors)).toEqual(['username', 'email']);
});

test('naming roles at creation also needs manage-admins-access, and what the roles give', async () => {
  const creator = await makeAdmin({ roles_ids: [await makeRole(['read-admins', 'create-admins'])] });
  const client = await signedIn(creator.username);
  const body = {
    username: unique('made'),
    email: `${unique('made')}@example.com`,
    first_name: 'A',
    last_name: 'B',
    password,
  };
  const role = await makeRole(['delete-customers']);
  expect(await refusalOf(client.createAdmin({ body: { ...body, roles_ids: [role] } }))).toMatchObject({
    status: 403,
    code: 'forbidden',
  });
  const manager = await makeAdmin({
    roles_ids: [await makeRole(['read-admins', 'read-roles', 'create-admins', 'manage-admins-access'])],
  });
  const refusal = await refusalOf(
    (await signedIn(manager.username)).createAdmin({ body: { ...body, roles_ids: [role] } }),
  );
  expect(refusal).toMatchObject({ status: 403, code: 'privilege-escalation' });
  expect((await api.admin.listAdmins({ query: { search: `username:${body.username}` } })).data).toEqual([]);
  expect((await client.createAdmin({ body })).data.username).toBe(body.username);
});

test('an inactive administrator is out with the next request, on every process, and cannot sign in', async () => {
  const other = await api.another();
  const { id, username } = await makeAdmin();
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  const there = other.clientWith(token);
  expect((await there.request('readCallingAdmin')).status).toBe(200);
  await api.admin.updateAdmin({ params: { admin_id: id }, body: { status: 'inactive' } });
  expect((await there.request('readCallingAdmin')).status).toBe(401);
  const refusal = await refusalOf(api.anyone.loginAdmin({ body: { username, password } }));
  expect(refusal).toMatchObject({ status: 422, code: 'wrong-credentials' });
  await api.admin.updateAdmin({ params: { admin_id: id }, body: { status: 'active' } });
  expect((await there.request('readCallingAdmin')).status).toBe(401);
  await signedIn(username);
  await other.close();
});

test('a new password ends what was signed in with the old one', async () => {
  const { id, username } = await makeAdmin();
  const client = await signedIn(username);
  await api.admin.updateAdmin({ params: { admin_id: id }, body: { password: 'another engine entirely' } });
  expect((await client.request('readCallingAdmin')).status).toBe(401);
  expect((await refusalOf(api.anyone.loginAdmin({ body: { username, password } }))).status).toBe(422);
  await signedIn(username, 'another engine entirely');
});

test('administrators change their own password with the current one; the session that asks goes on', async () => {
  const { username } = await makeAdmin();
  const [client, elsewhere] = await Promise.all([signedIn(username), signedIn(username)]);
  const wrong = await refusalOf(
    client.changeCallingAdminPassword({ body: { current_password: 'not this one', password: 'a third engine here' } }),
  );
  expect(wrong).toMatchObject({ status: 422 });
  expect(Object.keys(wrong.errors)).toEqual(['current_password']);
  await client.changeCallingAdminPassword({ body: { current_password: password, password: 'a third engine here' } });
  expect((await client.request('readCallingAdmin')).status).toBe(200);
  expect((await elsewhere.request('readCallingAdmin')).status).toBe(401);
  await signedIn(username, 'a third engine here');
});

test('administrators change their own profile, and nothing that lets them in', async () => {
  const { username } = await makeAdmin();
  const client = await signedIn(username);
  const { data } = await client.updateCallingAdmin({
    body: {
      first_name: 'Augusta',
      locale: 'de',
      admin_settings: { rows: 50 },
      status: 'inactive',
      roles_ids: [fullRole],
    } as never,
  });
  expect(data).toMatchObject({ first_name: 'Augusta', locale: 'de', status: 'active', permissions: [] });
  expect((await refusalOf(client.updateCallingAdmin({ body: { username: 'root2' } as never }))).status).toBe(422);
});

test('who may update administrators does not take over one who holds more', async () => {
  const role = await makeRole(['read-admins', 'update-admins', 'delete-admins', 'create-admins']);
  const editor = await makeAdmin({ roles_ids: [role] });
  const client = await signedIn(editor.username);
  const stronger = await makeAdmin({ roles_ids: [await makeRole(['read-customers'])] });
  const full = await makeAdmin({ roles_ids: [fullRole] });
  for (const { id } of [stronger, full]) {
    const params = { admin_id: id };
    for (const call of [
      () => client.updateAdmin({ params, body: { password: 'taken over by me' } }),
      () => client.updateAdmin({ params, body: { status: 'inactive' } }),
      () => client.deleteAdmin({ params }),
      () => client.endAdminSessions({ params }),
    ])
      expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'privilege-escalation' });
    expect((await client.updateAdmin({ params, body: { first_name: 'Renamed' } })).data.first_name).toBe('Renamed');
  }
  const equal = await makeAdmin({ roles_ids: [await makeRole(['read-admins'])] });
  await client.updateAdmin({ params: { admin_id: equal.id }, body: { status: 'inactive' } });
  await client.deleteAdmin({ params: { admin_id: equal.id } });
});

test('nobody deletes or switches off themselves', async () => {
  const full = await makeAdmin({ roles_ids: [fullRole] });
  const client = await signedIn(full.username);
  const params = { admin_id: full.id };
  expect(await refusalOf(client.deleteAdmin({ params }))).toMatchObject({ status: 409, code: 'own-account' });
  expect(await refusalOf(client.updateAdmin({ params, body: { status: 'inactive' } }))).toMatchObject({
    status: 409,
    code: 'own-account',
  });
  await api.admin.deleteAdmin({ params });
});

test('the last full administrator is not deleted, switched off or stripped, also by two at once', async () => {
  const solo = await startApi();
  const me = (await solo.admin.readCallingAdmin()).data;
  const params = { admin_id: me.id };
  const roles = { admin_id: me.id, roles_ids: [fullRoleOf(me)] };
  for (const call of [
    () => solo.admin.deleteAdmin({ params }),
    () => solo.admin.updateAdmin({ params, body: { status: 'inactive' } }),
    () => solo.admin.revokeRoles({ body: roles }),
    () => solo.admin.syncRoles({ body: { ...roles, roles_ids: [] } }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 409, code: 'last-full-administrator' });
  const second = (
    await solo.admin.createAdmin({
      body: {
        username: 'second',
        email: 'second@example.com',
        first_name: 'A',
        last_name: 'B',
        password,
        roles_ids: roles.roles_ids,
      },
    })
  ).data;
  const { access_token: token } = await solo.anyone.loginAdmin({ body: { username: 'second', password } });
  const other = await solo.another();
  // Each strips the other of full access, on a process of their own.
  const answers = await Promise.all([
    solo.admin.request('revokeRoles', { body: { ...roles, admin_id: second.id } }),
    other.clientWith(token).request('revokeRoles', { body: roles }),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => [401, 403, 409].includes(status))).toHaveLength(1);
  await other.close();
  await solo.close();
});

function fullRoleOf(me: object): string {
  const { data } = (me as { roles: { data: { id: string; name: string }[] } }).roles;
  return data.find(({ name }) => name === 'admin')?.id ?? '';
}

test('an inactive full administrator does not count as one who is left', async () => {
  const solo = await startApi();
  const me = (await solo.admin.readCallingAdmin()).data;
  await solo.admin.createAdmin({
    body: {
      username: 'asleep',
      email: 'asleep@example.com',
      first_name: 'A',
      last_name: 'B',
      password,
      status: 'inactive',
      roles_ids: [fullRoleOf(me)],
    },
  });
  expect(
    await refusalOf(solo.admin.revokeRoles({ body: { admin_id: me.id, roles_ids: [fullRoleOf(me)] } })),
  ).toMatchObject({
    status: 409,
    code: 'last-full-administrator',
  });
  await solo.close();
});

test('a deleted administrator is gone with everything that let them in', async () => {
  const { id, username } = await makeAdmin({ roles_ids: [await makeRole(['read-rooms'])] });
  const client = await signedIn(username);
  await api.admin.deleteAdmin({ params: { admin_id: id } });
  expect((await client.request('listRooms')).status).toBe(401);
  expect((await refusalOf(api.admin.readAdmin({ params: { admin_id: id } }))).status).toBe(404);
});

test('administrators are searched, sorted and listed with roles and their permissions', async () => {
  const role = await makeRole(['read-rooms']);
  const { username } = await makeAdmin({ roles_ids: [role], first_name: 'Findable' });
  const { data } = await api.admin.listAdmins({
    query: { search: 'Findable', include: 'roles.permissions', orderBy: 'username' },
  });
  expect(data.map((admin) => admin.username)).toEqual([username]);
  const [held] = (data[0]?.roles?.data ?? []) as { permissions: { data: { name: string }[] } }[];
  expect(held?.permissions.data.map(({ name }) => name).toSorted()).toEqual(['access-dashboard', 'read-rooms']);
});

test('ending the sessions of an administrator ends them all', async () => {
  const { id, username } = await makeAdmin();
  const client = await signedIn(username);
  await api.admin.endAdminSessions({ params: { admin_id: id } });
  expect((await client.request('readCallingAdmin')).status).toBe(401);
});
