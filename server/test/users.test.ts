import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf, unique } from './factories.ts';

const password = 'analytical engine no. 1';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function makeUser(body: Record<string, unknown> = {}) {
  const { data } = await api.admin.createUser({
    body: { email: `${unique('grace')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password, ...body },
  });
  return data;
}

async function signIn(email: string, secret = password, at: TestApi = api): Promise<Client> {
  const { access_token: token } = await at.anyone.loginUser({ body: { username: email, password: secret } });
  return at.clientWith(token);
}

const statusOf = async (client: Client) => (await client.request('readCallingUser')).status;

test('a user is created with the sent values, and defaults from the system', async () => {
  const user = await makeUser({
    email: 'Ada.King@Example.com',
    locale: 'pt-BR',
    user_settings: { theme: 'dark' },
    user_metadata: { crm: 7 },
  });
  expect(user).toMatchObject({
    object: 'User',
    id: expect.stringMatching(/^user_/),
    email: 'Ada.King@Example.com',
    full_name: 'Grace Hopper',
    status: 'active',
    locale: 'pt-BR',
    timezone: 'UTC',
    email_verified_at: null,
    has_email_verified: false,
    user_settings: { theme: 'dark' },
    user_metadata: { crm: 7 },
  });
  for (const id of [user.id, user.uuid, user.ulid]) {
    expect((await api.admin.readUser({ params: { user_id: id } })).data).toEqual(user);
  }
  expect((await signIn('ada.king@example.com')) !== null).toBe(true);
});

test('all errors of a new user are returned together', async () => {
  const existingUser = await makeUser();
  const refusal = await refusalOf(
    api.admin.createUser({
      body: { email: existingUser.email.toUpperCase(), first_name: 'A', last_name: 'B', password: 'short' },
    }),
  );
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['email', 'password']]);
  const empty = await refusalOf(api.admin.createUser({ body: { status: 'asleep' } as never }));
  expect(Object.keys(empty.errors).sort()).toEqual(['email', 'first_name', 'last_name', 'status']);
});

test('of concurrent requests for one email, regardless of case, exactly one creates a user', async () => {
  const email = `${unique('contested')}@example.com`;
  const attempts = Array.from({ length: 6 }, (_, index) =>
    api.admin.request('createUser', {
      body: { email: index % 2 ? email : email.toUpperCase(), first_name: 'A', last_name: 'B' },
    }),
  );
  const statuses = (await Promise.all(attempts)).map(({ status }) => status);
  expect(statuses.toSorted((one, other) => one - other)).toEqual([201, 422, 422, 422, 422, 422]);
});

test('a user without a password cannot sign in until one is set', async () => {
  const user = await makeUser({ password: undefined });
  const refusal = await refusalOf(signIn(user.email, ''.padEnd(12, 'x')));
  expect([refusal.status, refusal.code]).toEqual([422, 'wrong-credentials']);
  await api.admin.updateUser({ params: { user_id: user.id }, body: { password } });
  expect(await statusOf(await signIn(user.email))).toBe(200);
});

test('an email can be changed to an unused one, and is then unverified', async () => {
  const [user, other] = [await makeUser(), await makeUser()];
  const params = { user_id: user.id };
  await api.app.dependencies.db
    .updateTable('users')
    .set({ email_verified_at: api.clock.now() })
    .where('id', '=', user.uuid)
    .execute();
  const sameInUpperCase = await api.admin.updateUser({ params, body: { email: user.email.toUpperCase() } });
  expect(sameInUpperCase.data).toMatchObject({ email: user.email.toUpperCase(), has_email_verified: true });
  const refusal = await refusalOf(api.admin.updateUser({ params, body: { email: other.email, password: 'short' } }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['email', 'password']]);
  const changed = await api.admin.updateUser({ params, body: { email: `${unique('moved')}@example.com` } });
  expect(changed.data).toMatchObject({ has_email_verified: false, email_verified_at: null });
});

test('of users that change to one email concurrently, one succeeds', async () => {
  const users = await Promise.all([makeUser(), makeUser(), makeUser()]);
  const email = `${unique('wanted')}@example.com`;
  const answers = await Promise.all(
    users.map(({ id }) => api.admin.request('updateUser', { params: { user_id: id }, body: { email } })),
  );
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 422, 422]);
});

test('a password that an administrator sets ends every session of the user, on every node', async () => {
  const user = await makeUser();
  const other = await api.another();
  const sessions = [await signIn(user.email), await signIn(user.email, password, other)];
  expect(await Promise.all(sessions.map(statusOf))).toEqual([200, 200]);
  await api.admin.updateUser({ params: { user_id: user.id }, body: { password: 'another good password' } });
  expect(await Promise.all(sessions.map(statusOf))).toEqual([401, 401]);
  expect((await refusalOf(signIn(user.email))).code).toBe('wrong-credentials');
  expect(await statusOf(await signIn(user.email, 'another good password'))).toBe(200);
  await other.close();
});

test('a deactivated user is rejected from the next request on, on every node, and must sign in again when reactivated', async () => {
  const user = await makeUser();
  const other = await api.another();
  const session = await signIn(user.email);
  const { access_token: token, refresh_token: refresh } = await other.anyone.loginUser({
    body: { username: user.email, password },
  });
  const sessionOnOtherNode = other.clientWith(token);
  expect([await statusOf(session), await statusOf(sessionOnOtherNode)]).toEqual([200, 200]);
  await api.admin.updateUser({ params: { user_id: user.id }, body: { status: 'inactive' } });
  expect([await statusOf(session), await statusOf(sessionOnOtherNode)]).toEqual([401, 401]);
  expect((await refusalOf(signIn(user.email))).code).toBe('wrong-credentials');
  await api.admin.updateUser({ params: { user_id: user.id }, body: { status: 'active' } });
  expect([await statusOf(session), await statusOf(sessionOnOtherNode)]).toEqual([401, 401]);
  expect((await refusalOf(other.anyone.refreshUser({ body: { refresh_token: refresh } }))).status).toBe(401);
  expect(await statusOf(await signIn(user.email))).toBe(200);
  await other.close();
});

test('ending the sessions of a user ends all of theirs and no others', async () => {
  const [user, bystander] = [await makeUser(), await makeUser()];
  const sessions = [await signIn(user.email), await signIn(user.email)];
  const bystanderSession = await signIn(bystander.email);
  const answer = await api.admin.request('endUserSessions', { params: { user_id: user.id } });
  expect([answer.status, answer.body]).toEqual([204, null]);
  expect(await Promise.all([...sessions, bystanderSession].map(statusOf))).toEqual([401, 401, 200]);
  const unknown = await api.admin.request('endUserSessions', {
    params: { user_id: 'user_00000000000000000000000000' },
  });
  expect(unknown.status).toBe(404);
});

test('an owner cannot be deleted, and the error lists what they own', async () => {
  const { customer, account, room } = await makeRoom(api);
  const { data } = await api.admin.readCustomer({
    params: { customer_id: customer.id },
    query: { include: 'owner' },
  });
  const owner = (data as unknown as { owner: { data: { id: string } } }).owner.data;
  const refusal = await refusalOf(api.admin.deleteUser({ params: { user_id: owner.id } }));
  expect([refusal.status, refusal.code]).toEqual([409, 'user-is-owner']);
  for (const id of [customer.id, account.id, room.id]) expect(refusal.message).toContain(id);
});

test('deleting a user deletes its memberships and tokens', async () => {
  const { customer, account, room } = await makeRoom(api);
  const user = await makeUser();
  const body = { user_id: user.id };
  await api.admin.createCustomerUser({ params: { customer_id: customer.id }, body });
  await api.admin.createAccountUser({ params: { account_id: account.id }, body });
  await api.admin.createRoomUser({ params: { room_id: room.id }, body });
  const session = await signIn(user.email);
  expect(await statusOf(session)).toBe(200);
  await api.admin.deleteUser({ params: { user_id: user.id } });
  expect(await statusOf(session)).toBe(401);
  expect((await api.admin.request('readUser', { params: { user_id: user.id } })).status).toBe(404);
  const remaining = await Promise.all([
    api.admin.listCustomerUsers({ params: { customer_id: customer.id } }),
    api.admin.listAccountUsers({ params: { account_id: account.id } }),
    api.admin.listRoomUsers({ params: { room_id: room.id } }),
  ]);
  expect(remaining.map(({ data }) => data.map(({ owner }) => owner))).toEqual([[true], [true], [true]]);
  const { db } = api.app.dependencies;
  const recordedEvents = await db
    .selectFrom('events')
    .select(['name', 'customer_id'])
    .where('name', 'like', '%\\_user.deleted')
    .where('customer_id', '=', customer.uuid)
    .orderBy('name')
    .execute();
  expect(recordedEvents.map(({ name }) => name)).toEqual([
    'account_user.deleted',
    'customer_user.deleted',
    'room_user.deleted',
  ]);
});

test('if a user is made owner and deleted at the same time, one of the two requests is rejected', async () => {
  const { room } = await makeRoom(api);
  for (let round = 0; round < 5; round++) {
    const user = await makeUser({ password: undefined });
    await api.admin.createRoomUser({ params: { room_id: room.id }, body: { user_id: user.id } });
    const [ownerChange, deletion] = await Promise.all([
      api.admin.request('updateRoomUser', { params: { room_id: room.id, user_id: user.id }, body: { owner: true } }),
      api.admin.request('deleteUser', { params: { user_id: user.id } }),
    ]);
    expect([
      [200, 409],
      [404, 204],
    ]).toContainEqual([ownerChange.status, deletion.status]);
    const { data } = await api.admin.listRoomUsers({ params: { room_id: room.id }, query: { search: 'owner:true' } });
    expect(data).toHaveLength(1);
  }
});

test('users read and change themselves, but not their email, status or rights', async () => {
  const user = await makeUser();
  const self = await signIn(user.email);
  const { data: changed } = await self.updateCallingUser({
    body: {
      first_name: 'Countess',
      locale: 'pt_br',
      timezone: 'europe/lisbon',
      user_settings: { a: 1 },
      user_metadata: { b: 2 },
      email: 'root@example.com',
      status: 'inactive',
      permissions: ['read-room'],
    } as never,
  });
  expect(changed).toMatchObject({
    first_name: 'Countess',
    full_name: 'Countess Hopper',
    locale: 'pt-BR',
    timezone: 'Europe/Lisbon',
    user_settings: { a: 1 },
    user_metadata: { b: 2 },
    email: user.email,
    status: 'active',
    permissions: [],
  });
  expect((await self.readCallingUser()).data.readable_created_at).toMatch(/^há|^agora|neste/);
  const refusal = await refusalOf(self.updateCallingUser({ body: { first_name: null, timezone: 'Mars' } as never }));
  expect([refusal.status, Object.keys(refusal.errors).sort()]).toEqual([422, ['first_name', 'timezone']]);
});

test('users change their own password with the current one, and only the current session continues', async () => {
  const user = await makeUser();
  const [self, other] = [await signIn(user.email), await signIn(user.email)];
  const next = 'a completely new password';
  const wrong = await refusalOf(self.changeOwnPassword({ body: { current_password: 'guess', password: next } }));
  expect([wrong.status, Object.keys(wrong.errors)]).toEqual([422, ['current_password']]);
  const weak = await refusalOf(self.changeOwnPassword({ body: { current_password: password, password: 'short' } }));
  expect([weak.status, Object.keys(weak.errors)]).toEqual([422, ['password']]);
  expect(await Promise.all([self, other].map(statusOf))).toEqual([200, 200]);
  const answer = await self.request('changeOwnPassword', { body: { current_password: password, password: next } });
  expect(answer.status).toBe(204);
  expect(await Promise.all([self, other].map(statusOf))).toEqual([200, 401]);
  expect((await refusalOf(signIn(user.email))).code).toBe('wrong-credentials');
  expect(await statusOf(await signIn(user.email, next))).toBe(200);
});

test('of two concurrent password changes, one takes effect', async () => {
  const user = await makeUser();
  const self = await signIn(user.email);
  const secrets = ['the first new password', 'the other new password'];
  const answers = await Promise.all(
    secrets.map((secret) =>
      self.request('changeOwnPassword', { body: { current_password: password, password: secret } }),
    ),
  );
  const statuses = answers.map(({ status }) => status);
  const winner = secrets[statuses.indexOf(204)] ?? '';
  expect(statuses.filter((status) => status === 204)).toHaveLength(1);
  expect(statuses.filter((status) => status !== 204 && ![409, 422].includes(status))).toEqual([]);
  expect(await statusOf(await signIn(user.email, winner))).toBe(200);
});

test('a read-only token cannot change its user', async () => {
  const user = await makeUser();
  const self = await signIn(user.email);
  await api.app.connection.pool.query(
    `update access_tokens set scopes = '{users:read}' where family_id in (select id from token_families where user_id = $1)`,
    [user.uuid],
  );
  expect(await statusOf(self)).toBe(200);
  for (const [name, body] of [
    ['updateCallingUser', { first_name: 'X' }],
    ['changeOwnPassword', { current_password: password, password: 'a completely new password' }],
  ] as const) {
    const answer = await self.request(name, { body });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'forbidden' }]);
  }
});

test('administrators cannot call the endpoints of the calling user, and users cannot manage users', async () => {
  const user = await makeUser();
  const self = await signIn(user.email);
  for (const name of ['readCallingUser', 'updateCallingUser', 'changeOwnPassword'] as const) {
    const answer = await api.admin.request(name, name === 'readCallingUser' ? {} : { body: {} });
    expect([answer.status, answer.body]).toMatchObject([403, { code: 'wrong-population' }]);
  }
  for (const name of ['createUser', 'updateUser', 'deleteUser', 'endUserSessions'] as const) {
    const answer = await self.request(name, { params: { user_id: user.id } });
    expect([name, answer.status, answer.body]).toMatchObject([name, 403, { code: 'wrong-population' }]);
  }
});

test('users can list only themselves and the users whom they manage', async () => {
  const [user, stranger] = [await makeUser(), await makeUser()];
  const self = await signIn(user.email);
  expect((await self.listUsers()).data.map(({ id }) => id)).toEqual([user.id]);
  expect((await self.readUser({ params: { user_id: user.id } })).data.id).toBe(user.id);
  expect((await self.request('readUser', { params: { user_id: stranger.id } })).status).toBe(404);
  const manager = await makeUser();
  const { customer } = await makeRoom(api);
  for (const [id, permissions] of [
    [manager.id, ['read-customer', 'manage-customer-users']],
    [user.id, ['read-customer']],
  ] as const)
    await api.admin.createCustomerUser({
      params: { customer_id: customer.id },
      body: { user_id: id, permissions: [...permissions] },
    });
  const managed = (await (await signIn(manager.email)).listUsers()).data.map(({ id }) => id);
  expect(managed).toEqual(expect.arrayContaining([manager.id, user.id]));
  expect(managed).not.toContain(stranger.id);
  expect((await self.listUsers()).data.map(({ id }) => id)).toEqual([user.id]);
});

test('the effective permissions of a user result from memberships, and an owner has all permissions of the level', async () => {
  const { customer, room } = await makeRoom(api);
  const user = await makeUser();
  await api.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { user_id: user.id, permissions: ['read-customer', 'create-account'] },
  });
  await api.admin.createRoomUser({ params: { room_id: room.id }, body: { user_id: user.id, owner: true } });
  const self = await signIn(user.email);
  expect((await self.readCallingUser()).data.permissions).toEqual(
    [
      'create-account',
      'delete-room',
      'manage-access-codes',
      'manage-outputs',
      'manage-recordings',
      'manage-stream',
      'manage-tokens',
      'manage-users',
      'manage-videos',
      'moderate',
      'read-customer',
      'read-recordings',
      'read-room',
      'update-room',
    ].sort(),
  );
});

test('users are listed, searched and sorted by their returned fields', async () => {
  const word = unique('zyx').replace('-', '');
  const users = [await makeUser({ first_name: word, status: 'inactive' }), await makeUser({ last_name: `${word} b` })];
  const matching = await api.admin.listUsers({ query: { search: word, orderBy: 'full_name' } });
  expect(matching.data.map(({ id }) => id).toSorted()).toEqual(users.map(({ id }) => id).toSorted());
  const inactive = await api.admin.listUsers({
    query: { search: `first_name:${word};status:inactive`, searchJoin: 'and' },
  });
  expect(inactive.data.map(({ id }) => id)).toEqual([users[0]?.id]);
});

test("an existing user with the owner's email becomes the owner, regardless of case", async () => {
  const user = await makeUser();
  const customer = await makeCustomer(api, { email: user.email.toUpperCase(), password: undefined });
  const { data } = await api.admin.listCustomerUsers({ params: { customer_id: customer.id } });
  expect(data).toMatchObject([{ user_id: user.id, owner: true }]);
});
