import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { adminPassword as password, fullRoleId, included, makeAdmin, makeRole, signIn } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { firstAdmin } from './first-admin.ts';
import { refusalOf, unique } from './factories.ts';

let api: TestApi;
let fullRole: string;

beforeAll(async () => {
  api = await startApi();
  fullRole = await fullRoleId(api);
});
afterAll(() => api.close());

test('an administrator is created with the attributes of the specification, and signs in by user name or email', async () => {
  const admin = await makeAdmin(api, {
    locale: 'pt-BR',
    timezone: 'America/Sao_Paulo',
    admin_settings: { theme: 'dark' },
    admin_metadata: { team: ['one', 'two'] },
  });
  expect(admin).toMatchObject({
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
  expect(JSON.stringify(admin)).not.toContain('password');
  await signIn(api, admin.username);
  await signIn(api, admin.email.toUpperCase());
  const { data, meta } = await api.admin.readAdmin({ params: { admin_id: admin.uuid } });
  expect([data.id, meta.include]).toEqual([admin.id, ['roles']]);
});

test('locale and time zone default to the system settings, and admin_settings to an empty list', async () => {
  expect(await makeAdmin(api)).toMatchObject({ locale: 'en', timezone: 'UTC', admin_settings: [], admin_metadata: {} });
});

test('all errors of a new administrator are reported together', async () => {
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

test('user names and emails are unique regardless of case, also among concurrent requests', async () => {
  const { username, email } = await makeAdmin(api);
  const refusal = await refusalOf(
    api.admin.createAdmin({
      body: { username: username.toUpperCase(), email: email.toUpperCase(), first_name: 'A', last_name: 'B', password },
    }),
  );
  expect(Object.keys(refusal.errors)).toEqual(['username', 'email']);
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

test('the user name or email of one administrator cannot be that of another', async () => {
  const email = `${unique('crosswise')}@example.com`;
  const { uuid } = await makeAdmin(api);
  // The API accepts no @ in user names, but the first administrator may have one from the environment.
  await api.app.connection.pool.query('update admins set username = $1 where id = $2', [email, uuid]);
  const refusal = await refusalOf(makeAdmin(api, { email: email.toUpperCase() }));
  expect(refusal).toMatchObject({ status: 422, errors: { email: ['The email has already been taken.'] } });
});

test('every way to set a password requires 12 to 128 characters and rejects the most common passwords', async () => {
  const { id, username } = await makeAdmin(api);
  const self = await signIn(api, username);
  for (const weak of ['eleven char', 'x'.repeat(129), 'qwerty123456', 'QWERTY123456']) {
    for (const call of [
      () => makeAdmin(api, { password: weak }),
      () => api.admin.updateAdmin({ params: { admin_id: id }, body: { password: weak } }),
      () => self.changeCallingAdminPassword({ body: { current_password: password, password: weak } }),
    ])
      expect(Object.keys((await refusalOf(call())).errors), weak).toEqual(['password']);
  }
  await signIn(api, (await makeAdmin(api, { password: 'x'.repeat(128) })).username, 'x'.repeat(128));
  await signIn(api, username);
});

test('user name and email never change; sending the same values is accepted', async () => {
  const { id, username, email } = await makeAdmin(api);
  const params = { admin_id: id };
  await api.admin.updateAdmin({ params, body: { username, email, first_name: 'Augusta' } as never });
  const refusal = await refusalOf(
    api.admin.updateAdmin({ params, body: { username: 'other', email: 'o@e.org' } as never }),
  );
  expect(Object.keys(refusal.errors)).toEqual(['username', 'email']);
});

test('setting roles at creation also needs manage-admins-access and the permissions of the roles', async () => {
  const creator = await makeAdmin(api, { roles_ids: [(await makeRole(api, ['read-admins', 'create-admins'])).id] });
  const client = await signIn(api, creator.username);
  const body = {
    username: unique('made'),
    email: `${unique('made')}@example.com`,
    first_name: 'A',
    last_name: 'B',
    password,
  };
  const role = (await makeRole(api, ['delete-customers'])).id;
  expect(await refusalOf(client.createAdmin({ body: { ...body, roles_ids: [role] } }))).toMatchObject({
    status: 403,
    code: 'forbidden',
  });
  const manager = await makeAdmin(api, {
    roles_ids: [(await makeRole(api, ['read-admins', 'read-roles', 'create-admins', 'manage-admins-access'])).id],
  });
  const refusal = await refusalOf(
    (await signIn(api, manager.username)).createAdmin({ body: { ...body, roles_ids: [role] } }),
  );
  expect(refusal).toMatchObject({ status: 403, code: 'privilege-escalation' });
  expect((await api.admin.listAdmins({ query: { search: `username:${body.username}` } })).data).toEqual([]);
  expect((await client.createAdmin({ body })).data.username).toBe(body.username);
});

test('unknown roles of a new administrator are reported by index, together with all other errors', async () => {
  const roles_ids = [fullRole, 'role_00000000000000000000000000'];
  const refusal = await refusalOf(makeAdmin(api, { username: firstAdmin.username, roles_ids }));
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors)).toEqual(['username', 'roles_ids.1']);
});

test('an inactive administrator is rejected from the next request on, on every process, and cannot sign in', async () => {
  const other = await api.another();
  const { id, username } = await makeAdmin(api);
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  const otherClient = other.clientWith(token);
  expect((await otherClient.request('readCallingAdmin')).status).toBe(200);
  await api.admin.updateAdmin({ params: { admin_id: id }, body: { status: 'inactive' } });
  expect((await otherClient.request('readCallingAdmin')).status).toBe(401);
  const refusal = await refusalOf(api.anyone.loginAdmin({ body: { username, password } }));
  expect(refusal).toMatchObject({ status: 422, code: 'wrong-credentials' });
  await api.admin.updateAdmin({ params: { admin_id: id }, body: { status: 'active' } });
  expect((await otherClient.request('readCallingAdmin')).status).toBe(401);
  await signIn(api, username);
  await other.close();
});

test('a new password ends all earlier sessions', async () => {
  const { id, username } = await makeAdmin(api);
  const client = await signIn(api, username);
  await api.admin.updateAdmin({ params: { admin_id: id }, body: { password: 'another engine entirely' } });
  expect((await client.request('readCallingAdmin')).status).toBe(401);
  expect((await refusalOf(api.anyone.loginAdmin({ body: { username, password } }))).status).toBe(422);
  await signIn(api, username, 'another engine entirely');
});

test('administrators change their own password with the current one, and only the current session continues', async () => {
  const { username } = await makeAdmin(api);
  const [client, secondSession] = await Promise.all([signIn(api, username), signIn(api, username)]);
  const wrong = await refusalOf(
    client.changeCallingAdminPassword({ body: { current_password: 'not this one', password: 'a third engine here' } }),
  );
  expect(wrong).toMatchObject({ status: 422 });
  expect(Object.keys(wrong.errors)).toEqual(['current_password']);
  await client.changeCallingAdminPassword({ body: { current_password: password, password: 'a third engine here' } });
  expect((await client.request('readCallingAdmin')).status).toBe(200);
  expect((await secondSession.request('readCallingAdmin')).status).toBe(401);
  await signIn(api, username, 'a third engine here');
});

test('administrators can change their own profile, but not their access', async () => {
  const { username } = await makeAdmin(api);
  const client = await signIn(api, username);
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

test('administrators can include their own roles without a read permission, but nothing below these roles', async () => {
  const role = await makeRole(api);
  const client = await signIn(api, (await makeAdmin(api, { roles_ids: [role.id] })).username);
  const { data, meta } = await client.readCallingAdmin({ query: { include: 'roles.permissions,roles.admins' } });
  expect(included(data, 'roles')).toEqual([expect.objectContaining({ object: 'Role', id: role.id, name: role.name })]);
  expect(Object.keys(included<object>(data, 'roles')[0] ?? {})).not.toEqual(expect.arrayContaining(['permissions']));
  expect(data.permissions).toEqual(['access-dashboard']);
  expect(meta.custom).toEqual({ ignored_includes: ['roles.permissions', 'roles.admins'] });
});

test('the permission to update administrators does not allow taking over an administrator with more permissions', async () => {
  const role = (await makeRole(api, ['read-admins', 'update-admins', 'delete-admins', 'create-admins'])).id;
  const editor = await makeAdmin(api, { roles_ids: [role] });
  const client = await signIn(api, editor.username);
  const stronger = await makeAdmin(api, { roles_ids: [(await makeRole(api, ['read-customers'])).id] });
  const full = await makeAdmin(api, { roles_ids: [fullRole] });
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
  const equal = await makeAdmin(api, { roles_ids: [(await makeRole(api, ['read-admins'])).id] });
  await client.updateAdmin({ params: { admin_id: equal.id }, body: { status: 'inactive' } });
  await client.deleteAdmin({ params: { admin_id: equal.id } });
});

test('administrators cannot delete or deactivate themselves', async () => {
  const full = await makeAdmin(api, { roles_ids: [fullRole] });
  const client = await signIn(api, full.username);
  const params = { admin_id: full.id };
  expect(await refusalOf(client.deleteAdmin({ params }))).toMatchObject({ status: 409, code: 'own-account' });
  expect(await refusalOf(client.updateAdmin({ params, body: { status: 'inactive' } }))).toMatchObject({
    status: 409,
    code: 'own-account',
  });
  await api.admin.deleteAdmin({ params });
});

test('the last full administrator cannot be deleted, deactivated or demoted, not even by concurrent requests', async () => {
  const ownApi = await startApi();
  const me = (await ownApi.admin.readCallingAdmin()).data;
  const params = { admin_id: me.id };
  const roles = { admin_id: me.id, roles_ids: [fullRoleOf(me)] };
  for (const call of [
    () => ownApi.admin.deleteAdmin({ params }),
    () => ownApi.admin.updateAdmin({ params, body: { status: 'inactive' } }),
    () => ownApi.admin.revokeRoles({ body: roles }),
    () => ownApi.admin.syncRoles({ body: { ...roles, roles_ids: [] } }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 409, code: 'last-full-administrator' });
  const second = (
    await ownApi.admin.createAdmin({
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
  const { access_token: token } = await ownApi.anyone.loginAdmin({ body: { username: 'second', password } });
  const other = await ownApi.another();
  // Each one revokes the other's full access, in separate processes.
  const answers = await Promise.all([
    ownApi.admin.request('revokeRoles', { body: { ...roles, admin_id: second.id } }),
    other.clientWith(token).request('revokeRoles', { body: roles }),
  ]);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => [401, 403, 409].includes(status))).toHaveLength(1);
  await other.close();
  await ownApi.close();
});

function fullRoleOf(me: object): string {
  const { data } = (me as { roles: { data: { id: string; name: string }[] } }).roles;
  return data.find(({ name }) => name === 'admin')?.id ?? '';
}

test('when the last two full administrators remove each other concurrently, one remains', async () => {
  const removals: readonly ((client: Client, admin_id: string) => Promise<{ status: number }>)[] = [
    (client, admin_id) => client.request('deleteAdmin', { params: { admin_id } }),
    (client, admin_id) => client.request('updateAdmin', { params: { admin_id }, body: { status: 'inactive' } }),
    (client, admin_id) => client.request('syncRoles', { body: { admin_id, roles_ids: [] } }),
  ];
  const ownApi = await startApi();
  const other = await ownApi.another();
  const roles_ids = [await fullRoleId(ownApi)];
  let caller = ownApi.admin;
  let callerId = (await caller.readCallingAdmin()).data.id;
  for (const removal of removals) {
    for (const concurrentRemoval of removals) {
      const { id: otherId, username } = await makeAdmin({ ...ownApi, admin: caller }, { roles_ids });
      const { access_token: token } = await ownApi.anyone.loginAdmin({ body: { username, password } });
      const answers = await Promise.all([
        removal(caller, otherId),
        concurrentRemoval(other.clientWith(token), callerId),
      ]);
      const haveSucceeded = answers.map(({ status }) => status < 300);
      expect(haveSucceeded.filter(Boolean)).toHaveLength(1);
      expect([401, 403, 404, 409]).toContain(answers[haveSucceeded[0] ? 1 : 0]?.status);
      if (haveSucceeded[1]) [caller, callerId] = [ownApi.clientWith(token), otherId];
      expect((await caller.request('listAdmins')).status).toBe(200);
    }
  }
  await other.close();
  await ownApi.close();
});

test('assigning a role during its deletion either succeeds and prevents the deletion, or is rejected', async () => {
  const other = await api.another();
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: firstAdmin.username, password: firstAdmin.password },
  });
  for (let round = 0; round < 8; round++) {
    const role = await makeRole(api);
    const admin = await makeAdmin(api);
    const [assignment, deletion] = await Promise.all([
      api.admin.request('assignRoles', { body: { admin_id: admin.id, roles_ids: [role.id] } }),
      other.clientWith(token).request('deleteRole', { params: { role_id: role.id } }),
    ]);
    expect(
      [
        [200, 409],
        [409, 204],
        [422, 204],
      ],
      `${assignment.status} ${deletion.status}`,
    ).toContainEqual([assignment.status, deletion.status]);
  }
  await other.close();
});

test('an inactive full administrator does not allow the last active one to lose the role', async () => {
  const ownApi = await startApi();
  const me = (await ownApi.admin.readCallingAdmin()).data;
  await ownApi.admin.createAdmin({
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
    await refusalOf(ownApi.admin.revokeRoles({ body: { admin_id: me.id, roles_ids: [fullRoleOf(me)] } })),
  ).toMatchObject({
    status: 409,
    code: 'last-full-administrator',
  });
  await ownApi.close();
});

test('an inactive full administrator can be demoted and deleted while an active one remains', async () => {
  const { id } = await makeAdmin(api, { status: 'inactive', roles_ids: [fullRole] });
  await api.admin.syncRoles({ body: { admin_id: id, roles_ids: [] } });
  await api.admin.deleteAdmin({ params: { admin_id: id } });
});

test('deleting an administrator deletes all sessions and tokens', async () => {
  const { id, username } = await makeAdmin(api, { roles_ids: [(await makeRole(api, ['read-rooms'])).id] });
  const client = await signIn(api, username);
  await api.admin.deleteAdmin({ params: { admin_id: id } });
  expect((await client.request('listRooms')).status).toBe(401);
  expect((await refusalOf(api.admin.readAdmin({ params: { admin_id: id } }))).status).toBe(404);
});

test('administrators are searched, sorted and listed with roles and their permissions', async () => {
  const role = (await makeRole(api, ['read-rooms'])).id;
  const { username } = await makeAdmin(api, { roles_ids: [role], first_name: 'Findable' });
  const { data } = await api.admin.listAdmins({
    query: { search: 'Findable', include: 'roles.permissions', orderBy: 'username' },
  });
  expect(data.map((admin) => admin.username)).toEqual([username]);
  const [heldRole] = (data[0]?.roles?.data ?? []) as { permissions: { data: { name: string }[] } }[];
  expect(heldRole?.permissions.data.map(({ name }) => name).toSorted()).toEqual(['access-dashboard', 'read-rooms']);
});

test('listing administrators with their permissions takes the same number of statements for one as for many', async () => {
  for (let number = 0; number < 3; number++) await makeAdmin(api, { roles_ids: [(await makeRole(api)).id] });
  const query = { include: 'roles.permissions', skipCache: true };
  const [one, many] = [
    await countStatements(() => api.admin.listAdmins({ query: { ...query, limit: 1 } })),
    await countStatements(() => api.admin.listAdmins({ query: { ...query, limit: 50 } })),
  ];
  expect(one).toBe(many);
});

test('ending the sessions of an administrator ends all sessions and personal access tokens, on every process', async () => {
  const other = await api.another();
  const { id, username } = await makeAdmin(api);
  const [client, secondSession] = await Promise.all([signIn(api, username), signIn(api, username)]);
  const { data: newToken } = await client.createPersonalAccessToken({ body: { name: 'Program', scopes: ['*'] } });
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username, password } });
  const clientsOnOther = [other.clientWith(token), other.clientWith(newToken.token ?? null)];
  for (const caller of clientsOnOther) expect((await caller.request('readCallingAdmin')).status).toBe(200);
  await api.admin.endAdminSessions({ params: { admin_id: id } });
  for (const caller of [client, secondSession, ...clientsOnOther])
    expect((await caller.request('readCallingAdmin')).status).toBe(401);
  await signIn(api, username);
  await other.close();
});

test('the audit log names the old and new roles of an administrator', async () => {
  const [former, next] = [await makeRole(api), await makeRole(api)];
  const { id } = await makeAdmin(api, { roles_ids: [former.id] });
  await api.admin.syncRoles({ body: { admin_id: id, roles_ids: [next.id] } });
  await api.admin.syncRoles({ body: { admin_id: id, roles_ids: [next.id] } });
  const { data } = await api.admin.listAuditEntries({ query: { search: `resource_id:${id}`, orderBy: 'sequence' } });
  expect(data.map(({ action }) => action)).toEqual(['admin.created', 'admin.roles_changed']);
  expect(data[0]?.new_values).toMatchObject({ roles: [former.name] });
  expect(data[1]).toMatchObject({ old_values: { roles: [former.name] }, new_values: { roles: [next.name] } });
});
