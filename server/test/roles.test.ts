import { permissions, type PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  adminPassword as password,
  everyPermission,
  fullRoleId,
  included,
  makeAdmin,
  makeHolder,
  makeRole,
} from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { firstAdmin } from './first-admin.ts';
import { refusalOf, unique } from './factories.ts';

let api: TestApi;
let ids: ReadonlyMap<string, string>;

beforeAll(async () => {
  api = await startApi();
  const { data } = await api.admin.listPermissions({ query: { limit: 0 } });
  ids = new Map(data.map(({ name, id }) => [name, id]));
});
afterAll(() => api.close());

const idsOf = (names: readonly PermissionName[]) => names.map((name) => ids.get(name) ?? name);

const managerPermissions: readonly PermissionName[] = [
  'read-admins',
  'read-roles',
  'read-permissions',
  'manage-admins-access',
  'manage-permissions',
  'create-roles',
];

async function permissionsOf(roleId: string): Promise<string[]> {
  const { data } = await api.admin.readRole({ params: { role_id: roleId }, query: { include: 'permissions' } });
  return included<{ name: string }>(data, 'permissions')
    .map(({ name }) => name)
    .toSorted();
}

test('the whole catalogue is listed, with the guard api, and each permission can be read', async () => {
  const { data, meta } = await api.admin.listPermissions({ query: { limit: 0 } });
  expect(data.map(({ name }) => name).toSorted()).toEqual(permissions.map(({ name }) => name).toSorted());
  expect(new Set(data.map(({ guard_name, object }) => `${object} ${guard_name}`))).toEqual(new Set(['Permission api']));
  expect(meta.include).toEqual(['roles']);
  const one = await api.admin.readPermission({ params: { permission_id: ids.get('read-rooms') ?? '' } });
  expect(one.data).toMatchObject({ name: 'read-rooms', display_name: 'Read rooms' });
});

test('a role has access-dashboard from its creation', async () => {
  const { data } = await api.admin.createRole({
    body: { name: unique('support'), display_name: 'Support', description: 'Answers customers.' },
  });
  expect(data).toMatchObject({ object: 'Role', display_name: 'Support', guard_name: 'api' });
  expect(await permissionsOf(data.id)).toEqual(['access-dashboard']);
});

test("a role's name has 2 to 50 characters of a-z, 0-9 and hyphens, is unique and cannot be changed", async () => {
  for (const name of ['a', 'Ab', 'a b', 'ä-role', 'x'.repeat(51), '']) {
    expect((await refusalOf(api.admin.createRole({ body: { name } }))).errors, name).toHaveProperty('name');
  }
  const { data } = await api.admin.createRole({ body: { name: unique('kept') } });
  expect(await refusalOf(api.admin.createRole({ body: { name: data.name } }))).toMatchObject({
    status: 422,
    errors: { name: ['The name has already been taken.'] },
  });
  const params = { role_id: data.id };
  expect(
    (await api.admin.updateRole({ params, body: { display_name: 'Same', name: data.name } as never })).data,
  ).toMatchObject({
    display_name: 'Same',
  });
  const refusal = await refusalOf(api.admin.updateRole({ params, body: { name: 'other' } as never }));
  expect(refusal).toMatchObject({ status: 422, errors: { name: ['The name cannot be changed.'] } });
});

test('concurrent creations with the same name create one role', async () => {
  const name = unique('twin');
  const answers = await Promise.all([1, 2, 3].map(() => api.admin.request('createRole', { body: { name } })));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([201, 422, 422]);
});

test('the default role cannot be changed or deleted', async () => {
  const role = await fullRoleId(api);
  const params = { role_id: role };
  const body = { role_id: role, permissions_ids: idsOf(['read-rooms']) };
  for (const call of [
    () => api.admin.updateRole({ params, body: { display_name: 'Mine' } }),
    () => api.admin.deleteRole({ params }),
    () => api.admin.attachPermissions({ body }),
    () => api.admin.detachPermissions({ body }),
    () => api.admin.syncPermissions({ body }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'default-role' });
});

test('attach adds, detach removes and sync replaces permissions; each returns the role with its permissions', async () => {
  const role = await makeRole(api);
  const requestFor = (names: readonly PermissionName[]) => ({
    body: { role_id: role.id, permissions_ids: idsOf(names) },
  });
  const attached = await api.admin.attachPermissions(requestFor(['read-rooms', 'read-rooms', 'update-rooms']));
  expect(attached.data).toMatchObject({ object: 'Role', id: role.id });
  expect(included(attached.data, 'permissions').length).toBe(3);
  await api.admin.attachPermissions(requestFor(['read-rooms']));
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'read-rooms', 'update-rooms']);
  await api.admin.detachPermissions(requestFor(['update-rooms', 'read-admins']));
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'read-rooms']);
  await api.admin.syncPermissions(requestFor(['read-customers']));
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'read-customers']);
  await api.admin.syncPermissions(requestFor([]));
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard']);
});

test('a request that detaches access-dashboard is rejected and detaches no other permission', async () => {
  const role = await makeRole(api, ['read-rooms']);
  const body = { role_id: role.id, permissions_ids: idsOf(['read-rooms', 'access-dashboard']) };
  const refusal = await refusalOf(api.admin.detachPermissions({ body }));
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors)).toEqual(['permissions_ids.1']);
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'read-rooms']);
});

test('unknown roles and permissions are reported by index', async () => {
  const role = await makeRole(api);
  const unknown = 'perm_00000000000000000000000000';
  const one = await refusalOf(
    api.admin.attachPermissions({
      body: { role_id: role.id, permissions_ids: [ids.get('read-rooms') ?? '', unknown] },
    }),
  );
  expect(Object.keys(one.errors)).toEqual(['permissions_ids.1']);
  const other = await refusalOf(
    api.admin.syncPermissions({ body: { role_id: 'role_00000000000000000000000000', permissions_ids: [] } }),
  );
  expect(other).toMatchObject({ status: 422, errors: { role_id: ['The selected role id is invalid.'] } });
});

test('an assigned role cannot be deleted, and the error contains the number of its administrators', async () => {
  const role = await makeRole(api);
  await makeAdmin(api, { roles_ids: [role.id] });
  await makeAdmin(api, { roles_ids: [role.id] });
  const refusal = await refusalOf(api.admin.deleteRole({ params: { role_id: role.id } }));
  expect(refusal).toMatchObject({ status: 409, code: 'role-in-use' });
  expect(refusal.message).toContain('2 administrators');
  const unassigned = await makeRole(api);
  await api.admin.deleteRole({ params: { role_id: unassigned.id } });
  expect((await refusalOf(api.admin.readRole({ params: { role_id: unassigned.id } }))).status).toBe(404);
});

test('administrators cannot attach or sync a permission that they lack', async () => {
  const manager = await makeHolder(api, managerPermissions);
  const role = await makeRole(api);
  for (const call of [
    () => manager.attachPermissions({ body: { role_id: role.id, permissions_ids: idsOf(['delete-customers']) } }),
    () =>
      manager.syncPermissions({
        body: { role_id: role.id, permissions_ids: idsOf(['read-roles', 'delete-customers']) },
      }),
  ]) {
    const refusal = await refusalOf(call());
    expect(refusal).toMatchObject({ status: 403, code: 'privilege-escalation' });
    expect(refusal.message).toContain('delete-customers');
  }
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard']);
  await manager.attachPermissions({ body: { role_id: role.id, permissions_ids: idsOf(['read-roles']) } });
});

test('sync can keep a permission that the caller does not hold', async () => {
  const manager = await makeHolder(api, managerPermissions);
  const role = await makeRole(api, ['delete-customers']);
  await manager.syncPermissions({
    body: { role_id: role.id, permissions_ids: idsOf(['delete-customers', 'read-roles']) },
  });
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'delete-customers', 'read-roles']);
});

test('administrators cannot assign or sync a role with a permission that they lack', async () => {
  const manager = await makeHolder(api, managerPermissions);
  const roleAboveCaller = await makeRole(api, ['delete-customers']);
  const roleWithinCaller = await makeRole(api, ['read-roles']);
  const target = await makeAdmin(api);
  for (const call of [
    () => manager.assignRoles({ body: { admin_id: target.id, roles_ids: [roleAboveCaller.id] } }),
    () => manager.syncRoles({ body: { admin_id: target.id, roles_ids: [roleWithinCaller.id, roleAboveCaller.id] } }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'privilege-escalation' });
  const { data } = await manager.assignRoles({ body: { admin_id: target.id, roles_ids: [roleWithinCaller.id] } });
  expect(included<{ id: string }>(data, 'roles').map(({ id }) => id)).toEqual([roleWithinCaller.id]);
});

test('only administrators with the role admin can grant or revoke it', async () => {
  const holderOfEveryPermission = await makeHolder(api, everyPermission);
  const role = await fullRoleId(api);
  const target = await makeAdmin(api);
  const body = { admin_id: target.id, roles_ids: [role] };
  expect(await refusalOf(holderOfEveryPermission.assignRoles({ body }))).toMatchObject({
    status: 403,
    code: 'privilege-escalation',
  });
  await api.admin.assignRoles({ body });
  expect(await refusalOf(holderOfEveryPermission.revokeRoles({ body }))).toMatchObject({
    status: 403,
    code: 'privilege-escalation',
  });
  expect(await refusalOf(holderOfEveryPermission.syncRoles({ body: { ...body, roles_ids: [] } }))).toMatchObject({
    status: 403,
  });
  await api.admin.revokeRoles({ body });
});

test('assign adds, revoke removes and sync replaces roles; each returns the administrator with its roles', async () => {
  const [one, two, three] = await Promise.all([makeRole(api), makeRole(api), makeRole(api)]);
  const target = await makeAdmin(api, { roles_ids: [one.id] });
  const rolesIn = ({ data }: { data: object }) =>
    included<{ id: string }>(data, 'roles')
      .map(({ id }) => id)
      .toSorted();
  const requestFor = (roles: readonly string[]) => ({ body: { admin_id: target.id, roles_ids: [...roles] } });
  expect(rolesIn(await api.admin.assignRoles(requestFor([two.id, one.id])))).toEqual([one.id, two.id].toSorted());
  expect(rolesIn(await api.admin.assignRoles(requestFor([two.id])))).toEqual([one.id, two.id].toSorted());
  expect(rolesIn(await api.admin.revokeRoles(requestFor([one.id, three.id])))).toEqual([two.id]);
  expect(rolesIn(await api.admin.syncRoles(requestFor([three.id])))).toEqual([three.id]);
  expect(rolesIn(await api.admin.syncRoles(requestFor([])))).toEqual([]);
  const unknownRole = await refusalOf(api.admin.assignRoles(requestFor([one.id, 'role_00000000000000000000000000'])));
  expect(unknownRole).toMatchObject({ status: 422 });
  expect(Object.keys(unknownRole.errors)).toEqual(['roles_ids.1']);
});

test('changed permissions of a role apply from the next request on, on every process', async () => {
  const other = await api.another();
  const role = await makeRole(api, ['read-customers']);
  const admin = await makeAdmin(api, { roles_ids: [role.id] });
  const { access_token: token } = await api.anyone.loginAdmin({ body: { username: admin.username, password } });
  const otherClient = other.clientWith(token);
  expect((await otherClient.request('listRooms')).status).toBe(403);
  expect((await otherClient.request('listCustomers')).status).toBe(200);
  await api.admin.syncPermissions({ body: { role_id: role.id, permissions_ids: idsOf(['read-rooms']) } });
  expect((await otherClient.request('listRooms')).status).toBe(200);
  expect((await otherClient.request('listCustomers')).status).toBe(403);
  await api.admin.revokeRoles({ body: { admin_id: admin.id, roles_ids: [role.id] } });
  expect((await otherClient.request('listRooms')).status).toBe(403);
  await other.close();
});

test('roles are listed with their permissions and administrators in a constant number of statements, and circular includes are ignored', async () => {
  const query = { include: 'permissions,admins', skipCache: true };
  const circular = await api.admin.listRoles({ query: { include: 'permissions.roles,admins.roles' } });
  expect(circular.meta.custom).toEqual({ ignored_includes: ['permissions.roles', 'admins.roles'] });
  const [one, many] = [
    await countStatements(() => api.admin.listRoles({ query: { ...query, limit: 1 } })),
    await countStatements(() => api.admin.listRoles({ query: { ...query, limit: 100 } })),
  ];
  expect(one).toBe(many);
  const { data } = await api.admin.listRoles({ query: { ...query, limit: 100 } });
  const full = data.find(({ name }) => name === 'admin');
  expect(included(full, 'permissions').length).toBe(permissions.length);
  expect(included<{ username: string }>(full, 'admins').map(({ username }) => username)).toContain('root');
});

test('the audit log names the old and new permissions of a role, and has no entry without a change', async () => {
  const role = await makeRole(api, ['read-rooms']);
  const body = { role_id: role.id, permissions_ids: idsOf(['read-customers']) };
  await api.admin.syncPermissions({ body });
  await api.admin.syncPermissions({ body });
  await api.admin.attachPermissions({ body });
  const { data } = await api.admin.listAuditEntries({
    query: { search: `resource_id:${role.id}`, orderBy: 'sequence' },
  });
  expect(data.map(({ action }) => action)).toEqual([
    'role.created',
    'role.permissions_changed',
    'role.permissions_changed',
  ]);
  expect(data.at(-1)).toMatchObject({
    old_values: { permissions: ['access-dashboard', 'read-rooms'] },
    new_values: { permissions: ['access-dashboard', 'read-customers'] },
  });
});

test('a relationship that the caller may not read is left out of the includes', async () => {
  const caller = await makeHolder(api, ['read-roles']);
  const { data, meta } = await caller.listRoles({ query: { include: 'admins,permissions' } });
  expect(data.length).toBeGreaterThan(0);
  for (const role of data) expect(Object.keys(role)).not.toEqual(expect.arrayContaining(['admins']));
  expect(meta.custom).toMatchObject({ ignored_includes: ['admins', 'permissions'] });
});

test("concurrent changes of a role's permissions are both applied", async () => {
  const other = await api.another();
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: firstAdmin.username, password: firstAdmin.password },
  });
  const otherClient = other.clientWith(token);
  const role = await makeRole(api, ['read-rooms']);
  const requestFor = (names: readonly PermissionName[]) => ({
    body: { role_id: role.id, permissions_ids: idsOf(names) },
  });
  await Promise.all([
    api.admin.attachPermissions(requestFor(['read-customers'])),
    otherClient.attachPermissions(requestFor(['read-customers', 'read-accounts'])),
    otherClient.detachPermissions(requestFor(['read-rooms'])),
  ]);
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'read-accounts', 'read-customers']);
  await other.close();
});
