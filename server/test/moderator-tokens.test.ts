import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom, refusalOf, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';
import { publishAll } from '../src/modules/events/index.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

const password = 'correct horse battery';

async function createTestRoom() {
  const fixture = await makeRoom(api);
  return { ...fixture, params: { room_id: fixture.room.id } };
}

type Room = Awaited<ReturnType<typeof createTestRoom>>;

/** Creates a room user with these rights, who is signed in. */
async function createTestRoomUser({ params }: Pick<Room, 'params'>, permissions: readonly string[]) {
  const { data: user } = await api.admin.createRoomUser({
    params,
    body: {
      email: `${unique('user')}@example.com`,
      first_name: 'Grace',
      last_name: 'Hopper',
      password,
      permissions: permissions as never,
    },
  });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: user.email, password } });
  return { user, bearer, client: api.clientWith(bearer) };
}

const tokenRights = ['read-room', 'manage-tokens'];
const moderatorRights = [...tokenRights, 'moderate'];

async function createTestToken(room: Room, role: 'moderator' | 'attendee' | 'guest') {
  return (await api.admin.createRoomToken({ params: room.params, body: { role } })).data;
}

async function createTestBatch(room: Room, caller: Client, roles: readonly ('moderator' | 'attendee')[]) {
  const { data } = await caller.createRoomTokenBatch({
    params: room.params,
    body: { tokens: roles.map((role) => ({ role })) },
  });
  await runJob(api.app.dependencies, 'make-room-tokens');
  return { ...room.params, batch_id: data.id };
}

function collectRefusals(calls: readonly Promise<unknown>[]) {
  return Promise.all(calls.map(refusalOf));
}

async function countTokens(room: Room): Promise<number> {
  return (await api.admin.listRoomTokens({ params: room.params })).meta.pagination?.total ?? -1;
}

test('users who manage tokens but do not moderate cannot create moderator tokens, alone or in a batch', async () => {
  const room = await createTestRoom();
  const { client } = await createTestRoomUser(room, tokenRights);
  const { params } = room;
  for (const refusal of await collectRefusals([
    client.createRoomToken({ params, body: { role: 'moderator' } }),
    client.createRoomTokenBatch({ params, body: { tokens: [{ role: 'attendee' }, { role: 'moderator' }] } }),
    client.createRoomTokenBatch({ params, body: { csv: 'name,role\nAnna,moderator\n' } }),
  ])) {
    expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
  }
  await runJob(api.app.dependencies, 'make-room-tokens');
  expect(await countTokens(room)).toBe(0);
  for (const role of ['attendee', 'guest'] as const)
    expect((await client.createRoomToken({ params, body: { role } })).data.role).toBe(role);
});

test('users who do not moderate cannot change a token to moderator', async () => {
  const room = await createTestRoom();
  const { client } = await createTestRoomUser(room, tokenRights);
  const { data: roomToken } = await client.createRoomToken({ params: room.params, body: { role: 'attendee' } });
  const params = { ...room.params, token_id: roomToken.id };
  const refusal = await refusalOf(client.updateRoomToken({ params, body: { role: 'moderator', name: 'Boss' } }));
  expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
  expect((await client.readRoomToken({ params })).data).toMatchObject({ role: 'attendee', name: null });
  expect((await client.updateRoomToken({ params, body: { role: 'guest' } })).data.role).toBe('guest');
});

test('users who do not moderate get a 404 when they read, change or delete a moderator token', async () => {
  const room = await createTestRoom();
  const { client, user } = await createTestRoomUser(room, tokenRights);
  const token = await createTestToken(room, 'moderator');
  const params = { ...room.params, token_id: token.id };
  for (const refusal of await collectRefusals([
    client.readRoomToken({ params }),
    client.updateRoomToken({ params, body: { user_id: user.user_id } }),
    client.updateRoomToken({ params, body: { role: 'attendee' } }),
    client.deleteRoomToken({ params }),
  ])) {
    expect([refusal.status, refusal.code]).toEqual([404, 'not-found']);
    expect(JSON.stringify(refusal)).not.toContain(token.token);
  }
  expect((await api.admin.readRoomToken({ params })).data).toEqual(token);
});

test('lists, totals, searches, streams and includes omit moderator tokens for users who do not moderate', async () => {
  const room = await createTestRoom();
  const { client, bearer } = await createTestRoomUser(room, tokenRights);
  const hidden = await createTestToken(room, 'moderator');
  const shown = [await createTestToken(room, 'attendee'), await createTestToken(room, 'guest')]
    .map(({ id }) => id)
    .toSorted();
  const { data, meta } = await client.listRoomTokens({ params: room.params });
  expect([data.map(({ id }) => id).toSorted(), meta.pagination?.total]).toEqual([shown, 2]);
  const moderators = await client.listRoomTokens({ params: room.params, query: { search: 'role:moderator' } });
  expect([moderators.data, moderators.meta.pagination?.total]).toEqual([[], 0]);
  const { room_id: roomId } = room.params;
  for (const path of [
    `/rooms/${roomId}/tokens?limit=0`,
    `/rooms/${roomId}?include=tokens`,
    `/rooms?include=tokens`,
    `/rooms/${roomId}/tokens?include=room.tokens`,
  ]) {
    const answer = await fetch(`${api.url}/api/v1${path}`, { headers: { authorization: `Bearer ${bearer}` } });
    const text = await answer.text();
    expect([path, answer.status, text.includes(shown[0] ?? '-')]).toEqual([path, 200, true]);
    for (const secret of [hidden.id, hidden.token]) expect([path, text.includes(secret)]).toEqual([path, false]);
  }
});

test('users who do not moderate see only the other tokens of a batch with moderator tokens, and cannot delete it', async () => {
  const room = await createTestRoom();
  const { client } = await createTestRoomUser(room, tokenRights);
  const params = await createTestBatch(room, api.admin, ['moderator', 'attendee', 'moderator']);
  const { data, meta } = await client.listRoomTokenBatchTokens({ params });
  expect([data.map(({ batch_row }) => batch_row), meta.pagination?.total]).toEqual([[1], 1]);
  const readCsv = async (caller: Client) =>
    await new Response((await caller.csv('listRoomTokenBatchTokens', { params })).body).text();
  expect((await readCsv(client)).match(/moderator|attendee/g)).toEqual(['attendee']);
  expect((await readCsv(api.admin)).match(/moderator|attendee/g)).toEqual(['moderator', 'attendee', 'moderator']);
  const refusal = await refusalOf(client.deleteRoomTokenBatch({ params }));
  expect([refusal.status, refusal.code]).toEqual([403, 'privilege-escalation']);
  expect(await countTokens(room)).toBe(3);
  const pendingBatch = await api.admin.createRoomTokenBatch({
    params: room.params,
    body: { tokens: [{ role: 'moderator' }] },
  });
  const pendingParams = { ...room.params, batch_id: pendingBatch.data.id };
  expect((await refusalOf(client.deleteRoomTokenBatch({ params: pendingParams }))).code).toBe('privilege-escalation');
  const batch = await createTestBatch(room, client, ['attendee', 'attendee']);
  await client.deleteRoomTokenBatch({ params: batch });
});

test('a user who also moderates creates, sees, changes and deletes moderator tokens, also if the right to moderate comes from the account', async () => {
  const room = await createTestRoom();
  const { client: roomModerator } = await createTestRoomUser(room, moderatorRights);
  const { user, client: accountModerator } = await createTestRoomUser(room, tokenRights);
  await api.admin.createAccountUser({
    params: { account_id: room.account.id },
    body: { user_id: user.user_id, permissions: ['read-room', 'moderate'] },
  });
  for (const client of [roomModerator, accountModerator]) {
    const { data: token } = await client.createRoomToken({ params: room.params, body: { role: 'moderator' } });
    const params = { ...room.params, token_id: token.id };
    expect((await client.readRoomToken({ params })).data.token).toBe(token.token);
    expect((await client.listRoomTokens({ params: room.params })).data.map(({ id }) => id)).toContain(token.id);
    expect((await client.updateRoomToken({ params, body: { role: 'attendee' } })).data.role).toBe('attendee');
    expect((await client.updateRoomToken({ params, body: { role: 'moderator' } })).data.role).toBe('moderator');
    await client.deleteRoomToken({ params });
    const batch = await createTestBatch(room, client, ['moderator', 'attendee']);
    expect((await client.listRoomTokenBatchTokens({ params: batch })).data).toHaveLength(2);
    await client.deleteRoomTokenBatch({ params: batch });
  }
});

test('after the right to moderate is removed, moderator tokens are hidden from the next request on', async () => {
  const room = await createTestRoom();
  const { client, user } = await createTestRoomUser(room, moderatorRights);
  const { data: token } = await client.createRoomToken({ params: room.params, body: { role: 'moderator' } });
  await api.admin.updateRoomUser({
    params: { ...room.params, user_id: user.user_id },
    body: { permissions: tokenRights as never },
  });
  expect((await refusalOf(client.readRoomToken({ params: { ...room.params, token_id: token.id } }))).status).toBe(404);
  expect((await client.listRoomTokens({ params: room.params })).data).toEqual([]);
});

test('event lists and event streams omit moderator tokens for users who do not moderate, also tokens that were one', async () => {
  const { customer, ...room } = await createTestRoom();
  const createCustomerUser = async (permissions: readonly string[]) => {
    const email = `${unique('user')}@example.com`;
    await api.admin.createCustomerUser({
      params: { customer_id: customer.id },
      body: { email, first_name: 'Grace', last_name: 'Hopper', password, permissions: permissions as never },
    });
    return (await api.anyone.loginUser({ body: { username: email, password } })).access_token;
  };
  const rights = ['read-customer', 'read-account', ...tokenRights];
  const bearer = await createCustomerUser(rights);
  const moderator = api.clientWith(await createCustomerUser([...rights, 'moderate']));
  const { data: hidden } = await api.admin.createRoomToken({
    params: room.params,
    body: { role: 'moderator' },
  });
  const params = { ...room.params, token_id: hidden.id };
  await api.admin.updateRoomToken({ params, body: { role: 'attendee' } });
  await api.admin.updateRoomToken({ params, body: { role: 'moderator' } });
  await api.admin.deleteRoomToken({ params });
  const { data: shown } = await api.admin.createRoomToken({ params: room.params, body: { role: 'attendee' } });
  await publishAll(api.app.dependencies);

  const query = { search: 'resource_type:RoomToken', limit: 0 };
  const { data: all } = await moderator.listEvents({ query });
  expect(all.map((event) => event.resource_id)).toEqual([shown.id, hidden.id, hidden.id, hidden.id, hidden.id]);
  const client = api.clientWith(bearer);
  const { data, meta } = await client.listEvents({ query: { ...query, limit: 10 } });
  expect([data.map((event) => event.resource_id), meta.pagination?.total]).toEqual([[shown.id], 1]);
  for (const { id } of all.slice(1))
    expect((await refusalOf(client.readEvent({ params: { event_id: id } }))).status).toBe(404);
  const stream = await fetch(`${api.url}/api/v1/events/stream?last_event_id=${all.at(-1)?.id}`, {
    headers: { authorization: `Bearer ${bearer}` },
  });
  let text = '';
  for await (const chunk of stream.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (text.includes(shown.id)) break;
  }
  expect([text.includes(shown.id), text.includes(hidden.id)]).toEqual([true, false]);
});

test('a user without the right to moderate cannot choose a role in joins and checks', async () => {
  const room = await createTestRoom();
  const { client } = await createTestRoomUser(room, [...tokenRights, 'manage-users', 'update-room']);
  for (const role of ['moderator', 'attendee', 'guest'] as const) {
    for (const refusal of await collectRefusals([
      client.joinRoom({ params: room.params, body: { role, name: 'Mallory' } }),
      client.checkRoomEntry({ params: room.params, body: { role } }),
    ])) {
      expect([refusal.status, refusal.code]).toEqual([403, 'forbidden']);
    }
  }
  expect((await refusalOf(client.joinRoom({ params: room.params, body: {} }))).code).toBe('token-required');
});

test('a personal access token can neither grant nor remove rights that its scopes do not cover', async () => {
  const room = await createTestRoom();
  const login = await api.anyone.loginUser({
    body: { username: room.customer.email, password: 'difference engine no. 2' },
  });
  const owner = api.clientWith(login.access_token);
  const createTokenClient = async (scopes: readonly string[]) => {
    const { data } = await owner.createPersonalAccessToken({ body: { name: 'Narrow', scopes: scopes as never } });
    return api.clientWith(data.token ?? '');
  };
  const { user } = await createTestRoomUser(room, []);
  const accountParams = { account_id: room.account.id };
  await owner.createAccountUser({ params: accountParams, body: { user_id: user.user_id } });
  const params = { ...accountParams, user_id: user.user_id };
  const usersToken = await createTokenClient(['users:read', 'users:write', 'accounts:read']);
  const grant = (caller: Client, permissions: readonly string[]) =>
    caller.updateAccountUser({ params, body: { permissions: permissions as never } });
  const uncoveredRights = ['read-room', 'moderate', 'manage-tokens', 'update-account', 'create-room'];
  for (const right of uncoveredRights) {
    const refusal = await refusalOf(grant(usersToken, [right]));
    expect([right, refusal.status, refusal.code]).toEqual([right, 403, 'privilege-escalation']);
    expect(refusal.message).toContain(right);
  }
  expect((await grant(usersToken, ['read-account', 'manage-account-users'])).data.permissions).toHaveLength(2);
  for (const refusal of await collectRefusals([
    usersToken.updateAccountUser({ params, body: { owner: true } }),
    usersToken.createAccountUser({
      params: accountParams,
      body: { email: `${unique('x')}@example.com`, first_name: 'X', last_name: 'Y', permissions: ['moderate'] },
    }),
    usersToken.createInvitation({
      params: { customer_id: room.customer.id },
      body: { email: `${unique('x')}@example.com`, room_id: room.room.id, permissions: ['moderate'] },
    }),
  ]))
    expect(refusal.code).toBe('privilege-escalation');
  await grant(owner, ['read-account', 'read-room', 'moderate']);
  expect((await refusalOf(grant(usersToken, ['read-account', 'read-room']))).code).toBe('privilege-escalation');
  const roomsToken = await createTokenClient([
    'users:read',
    'users:write',
    'rooms:read',
    'rooms:write',
    'meetings:read',
    'meetings:write',
  ]);
  expect((await refusalOf(grant(roomsToken, ['read-room', 'moderate']))).code).toBe('privilege-escalation');
  expect(
    (await grant(roomsToken, ['read-account', 'read-room', 'moderate', 'manage-tokens'])).data.permissions,
  ).toContain('manage-tokens');
});
