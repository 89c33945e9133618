import { permissions, type PermissionName } from '@foyer/contract/conventions/permissions.ts';
import type { Client } from '@foyer/sdk';
import type { TestApi } from './api.ts';
import { unique } from './factories.ts';

/** The password of every administrator from `makeAdmin`. */
export const adminPassword = 'engine of differences';

export async function makeAdmin({ admin }: TestApi, body: Record<string, unknown> = {}) {
  const username = unique('admin');
  const defaults = { username, email: `${username}@example.com`, first_name: 'Ada', last_name: 'King' };
  return (await admin.createAdmin({ body: { ...defaults, password: adminPassword, ...body } })).data;
}

/** Creates a role with these permissions and `access-dashboard`. */
export async function makeRole(api: TestApi, names: readonly PermissionName[] = []) {
  const { data } = await api.admin.createRole({ body: { name: unique('role') } });
  await api.admin.attachPermissions({ body: { role_id: data.id, permissions_ids: await permissionIds(api, names) } });
  return data;
}

export async function signIn(api: TestApi, username: string, password = adminPassword): Promise<Client> {
  return api.clientWith((await api.anyone.loginAdmin({ body: { username, password } })).access_token);
}

/** Signs in as a new administrator with only these permissions and `access-dashboard`. */
export async function makeHolder(api: TestApi, names: readonly PermissionName[]): Promise<Client> {
  const role = await makeRole(api, names);
  return await signIn(api, (await makeAdmin(api, { roles_ids: [role.id] })).username);
}

/** The id of the role `admin`, which has all permissions. */
export async function fullRoleId({ admin }: TestApi): Promise<string> {
  const { data } = await admin.listRoles({ query: { search: 'name:admin', searchFields: 'name:=' } });
  return data[0]?.id ?? '';
}

export async function permissionIds({ admin }: TestApi, names: readonly PermissionName[]): Promise<string[]> {
  const { data } = await admin.listPermissions({ query: { limit: 0 } });
  const ids = new Map(data.map(({ name, id }) => [name, id]));
  return names.map((name) => ids.get(name) ?? name);
}

/** The included resources of a response. Its type does not contain them. */
export function included<Row>(data: object | undefined, name: string): Row[] {
  return (data as Record<string, { data: Row[] }>)[name]?.data ?? [];
}

export const everyPermission: readonly PermissionName[] = permissions.map(({ name }) => name);
