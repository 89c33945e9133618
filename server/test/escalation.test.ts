import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  adminPassword,
  everyPermission,
  fullRoleId,
  included,
  makeAdmin,
  makeHolder,
  makeRole,
  permissionIds,
  signIn,
} from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { refusalOf, unique } from './factories.ts';

let api: TestApi;
let fullRole: string;

beforeAll(async () => {
  api = await startApi();
  fullRole = await fullRoleId(api);
});
afterAll(() => api.close());

const escalation = { status: 403, code: 'privilege-escalation' };

/** All permissions on administrators, roles and permissions. */
const managerPermissions: readonly PermissionName[] = everyPermission.filter((name) =>
  /-(admins|roles|permissions)/.test(name),
);

/** Returns a client of the same administrator with a token of fewer scopes. */
async function createNarrowClient(client: Client, scopes: readonly string[]): Promise<Client> {
  const { data } = await client.createPersonalAccessToken({ body: { name: unique('token'), scopes: [...scopes] } });
  return api.clientWith(data.token ?? null);
}

async function rolesOf(adminId: string): Promise<string[]> {
  const { data } = await api.admin.readAdmin({ params: { admin_id: adminId }, query: { include: 'roles' } });
  return included<{ id: string }>(data, 'roles').map(({ id }) => id);
}

async function permissionsOf(roleId: string): Promise<string[]> {
  const { data } = await api.admin.readRole({ params: { role_id: roleId }, query: { include: 'permissions' } });
  return included<{ name: string }>(data, 'permissions')
    .map(({ name }) => name)
    .toSorted();
}

test('administrators cannot remove a role with a permission that they lack, by revoking or by syncing; the error names the permission', async () => {
  const manager = await makeHolder(api, managerPermissions);
  const [strong, weak] = [
    await makeRole(api, ['delete-customers', 'end-meetings']),
    await makeRole(api, ['read-roles']),
  ];
  const target = await makeAdmin(api, { roles_ids: [strong.id, weak.id] });
  for (const call of [
    () => manager.revokeRoles({ body: { admin_id: target.id, roles_ids: [strong.id, weak.id] } }),
    () => manager.syncRoles({ body: { admin_id: target.id, roles_ids: [weak.id] } }),
    () => manager.syncRoles({ body: { admin_id: target.id, roles_ids: [] } }),
  ]) {
    const refusal = await refusalOf(call());
    expect(refusal).toMatchObject(escalation);
    expect(refusal.message).toMatch(/revoke permissions that you do not hold: delete-customers, end-meetings\./);
  }
  expect((await rolesOf(target.id)).toSorted()).toEqual([strong.id, weak.id].toSorted());
  await manager.syncRoles({ body: { admin_id: target.id, roles_ids: [strong.id] } });
  await manager.assignRoles({ body: { admin_id: target.id, roles_ids: [strong.id] } });
  await manager.revokeRoles({ body: { admin_id: target.id, roles_ids: [weak.id] } });
  expect(await rolesOf(target.id)).toEqual([strong.id]);
});

test('administrators cannot remove a permission that they lack from a role, by detaching or by syncing', async () => {
  const manager = await makeHolder(api, managerPermissions);
  const role = await makeRole(api, ['delete-customers', 'read-roles']);
  const body = async (names: readonly PermissionName[]) => ({
    body: { role_id: role.id, permissions_ids: await permissionIds(api, names) },
  });
  for (const call of [
    async () => manager.detachPermissions(await body(['read-roles', 'delete-customers'])),
    async () => manager.syncPermissions(await body(['read-roles'])),
  ])
    expect(await refusalOf(call())).toMatchObject({
      ...escalation,
      message: expect.stringContaining('delete-customers'),
    });
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'delete-customers', 'read-roles']);
  await manager.detachPermissions(await body(['read-roles']));
  expect(await permissionsOf(role.id)).toEqual(['access-dashboard', 'delete-customers']);
});

test('managers cannot raise their own permissions, neither by a role nor by extending one that they have', async () => {
  const role = await makeRole(api, managerPermissions);
  const { id, username } = await makeAdmin(api, { roles_ids: [role.id] });
  const manager = await signIn(api, username);
  const strong = await makeRole(api, ['delete-customers']);
  const permissions_ids = await permissionIds(api, ['delete-customers']);
  for (const call of [
    () => manager.assignRoles({ body: { admin_id: id, roles_ids: [strong.id] } }),
    () => manager.assignRoles({ body: { admin_id: id, roles_ids: [fullRole] } }),
    () => manager.attachPermissions({ body: { role_id: role.id, permissions_ids } }),
  ])
    expect(await refusalOf(call())).toMatchObject(escalation);
  expect((await manager.readCallingAdmin()).data.permissions).toEqual(
    [...managerPermissions, 'access-dashboard'].toSorted(),
  );
});

test('a token can grant and revoke only what its scopes allow, even if its owner has more permissions', async () => {
  const narrow = await createNarrowClient(api.admin, [
    'admins:read',
    'admins:write',
    'roles:read',
    'permissions:read',
    'permissions:write',
    'dashboard:write',
  ]);
  const [roleWithinScopes, roleBeyondScopes] = [
    await makeRole(api, ['read-admins']),
    await makeRole(api, ['read-rooms']),
  ];
  const target = await makeAdmin(api, { roles_ids: [roleBeyondScopes.id, fullRole] });
  const permissions_ids = await permissionIds(api, ['read-rooms']);
  // Rights that the target already has are not granted again.
  await narrow.assignRoles({ body: { admin_id: target.id, roles_ids: [roleBeyondScopes.id, fullRole] } });
  for (const call of [
    () => narrow.revokeRoles({ body: { admin_id: target.id, roles_ids: [roleBeyondScopes.id] } }),
    () => narrow.revokeRoles({ body: { admin_id: target.id, roles_ids: [fullRole] } }),
    () => narrow.syncRoles({ body: { admin_id: target.id, roles_ids: [] } }),
    () => narrow.attachPermissions({ body: { role_id: roleWithinScopes.id, permissions_ids } }),
    () => narrow.detachPermissions({ body: { role_id: roleBeyondScopes.id, permissions_ids } }),
  ])
    expect(await refusalOf(call())).toMatchObject(escalation);
  const other = await makeAdmin(api);
  for (const id of [roleBeyondScopes.id, fullRole])
    expect(await refusalOf(narrow.assignRoles({ body: { admin_id: other.id, roles_ids: [id] } }))).toMatchObject(
      escalation,
    );
  await narrow.assignRoles({ body: { admin_id: other.id, roles_ids: [roleWithinScopes.id] } });
  expect(await rolesOf(other.id)).toEqual([roleWithinScopes.id]);
});

test('a narrowed token cannot take over an account with more rights, not even that of its owner', async () => {
  const { id, username } = await makeAdmin(api, { roles_ids: [fullRole] });
  const owner = await signIn(api, username);
  const narrow = await createNarrowClient(owner, ['admins:read', 'admins:write']);
  const colleague = await makeAdmin(api, { roles_ids: [(await makeRole(api, ['read-rooms'])).id] });
  for (const admin_id of [id, colleague.id]) {
    const params = { admin_id };
    for (const call of [
      () => narrow.updateAdmin({ params, body: { password: 'a password of the thief' } }),
      () => narrow.endAdminSessions({ params }),
      () => narrow.createAdminPasswordReset({ params }),
    ])
      expect(await refusalOf(call())).toMatchObject(escalation);
  }
  expect(await refusalOf(narrow.deleteAdmin({ params: { admin_id: colleague.id } }))).toMatchObject(escalation);
  expect((await owner.request('readCallingAdmin')).status).toBe(200);
  await signIn(api, username);
  await narrow.updateCallingAdmin({ body: { first_name: 'Augusta' } });
  await owner.updateAdmin({ params: { admin_id: id }, body: { password: 'a password of the owner' } });
  expect((await narrow.request('readCallingAdmin')).status).toBe(401);
});

test('administrators need a write scope to change their own profile and password, and see only the permissions within the scopes of their token', async () => {
  const { username } = await makeAdmin(api, { roles_ids: [(await makeRole(api, ['read-admins', 'read-rooms'])).id] });
  const owner = await signIn(api, username);
  const reader = await createNarrowClient(owner, ['admins:read']);
  expect((await reader.readCallingAdmin()).data.permissions).toEqual(['read-admins']);
  expect((await owner.readCallingAdmin()).data.permissions).toEqual(['access-dashboard', 'read-admins', 'read-rooms']);
  for (const call of [
    () => reader.updateCallingAdmin({ body: { first_name: 'Augusta' } }),
    () =>
      reader.changeCallingAdminPassword({
        body: { current_password: adminPassword, password: 'a password of the thief' },
      }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'forbidden' });
});

test('a client of the client credentials grant has the rights of its scopes, but is not an administrator', async () => {
  const { data: client } = await api.admin.createOauthClient({
    body: {
      name: unique('Machine'),
      population: 'admins',
      grants: ['client_credentials'],
      scopes: ['admins:read', 'admins:write', 'roles:read', 'dashboard:write'],
      confidential: true,
    },
  });
  const { access_token: token } = await api.anyone.issueToken({
    body: { grant_type: 'client_credentials', client_id: client.id, client_secret: client.secret ?? '' },
  });
  const machine = api.clientWith(token);
  expect((await machine.request('readCallingAdmin')).status).toBe(403);
  const [roleWithinScopes, roleBeyondScopes] = [
    await makeRole(api, ['read-admins']),
    await makeRole(api, ['read-rooms']),
  ];
  const target = await makeAdmin(api);
  await machine.assignRoles({ body: { admin_id: target.id, roles_ids: [roleWithinScopes.id] } });
  for (const id of [roleBeyondScopes.id, fullRole])
    expect(await refusalOf(machine.assignRoles({ body: { admin_id: target.id, roles_ids: [id] } }))).toMatchObject(
      escalation,
    );
  const full = await makeAdmin(api, { roles_ids: [fullRole] });
  expect(await refusalOf(machine.deleteAdmin({ params: { admin_id: full.id } }))).toMatchObject(escalation);
});
