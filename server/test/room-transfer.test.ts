import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeRoom, refusalOf, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function createTestRoom() {
  const fixture = await makeRoom(api, { room: { room_settings: { mute_on_start: true } } });
  const { data: other } = await api.admin.createAccount({
    body: { account_name: unique('Other'), subscription_id: fixture.subscription.id },
  });
  return { ...fixture, other, params: { room_id: fixture.room.id } };
}

function transfer({ params }: { params: { room_id: string } }, account: { id: string }, client = api.admin) {
  return client.transferRoom({ params, body: { account_id: account.id } });
}

/** Creates a user with these rights in the accounts, and signs the user in. */
async function createTestUser(rights: Record<string, string[]>) {
  const email = `${unique('person')}@example.com`;
  const password = 'a long enough password';
  const body = { email, first_name: 'Grace', last_name: 'Hopper', password };
  const { data: user } = await api.admin.createUser({ body });
  for (const [account, permissions] of Object.entries(rights)) {
    const params = { account_id: account };
    await api.admin.createAccountUser({ params, body: { user_id: user.id, permissions: permissions as never } });
  }
  return api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
}

async function usageOf({ subscription }: { subscription: { id: string } }) {
  const { data } = await api.admin.readSubscriptionUsage({ params: { subscription_id: subscription.id } });
  return data.find(({ tag }) => tag === 'max_rooms')?.usage.data.used;
}

test('a room moves to another account of its subscription with its tokens and users, and usage counts it once', async () => {
  const room = await createTestRoom();
  const { data: token } = await api.admin.createRoomToken({ params: room.params, body: { role: 'guest' } });
  const { data: users } = await api.admin.listRoomUsers({ params: room.params });
  api.clock.advance({ seconds: 1 });
  const { data } = await transfer(room, room.other);
  const { updated_at: updatedAt, readable_created_at: readable } = data;
  expect(data).toEqual({
    ...room.room,
    account_id: room.other.id,
    updated_at: updatedAt,
    readable_created_at: readable,
  });
  expect(updatedAt > room.room.updated_at).toBe(true);
  expect((await api.admin.readRoom({ params: room.params })).data.account_id).toBe(room.other.id);
  expect((await api.admin.listRoomUsers({ params: room.params })).data.map(({ id }) => id)).toEqual(
    users.map(({ id }) => id),
  );
  expect((await api.admin.readRoomToken({ params: { ...room.params, token_id: token.id } })).data.url).toBe(token.url);
  expect(await usageOf(room)).toBe(1);
  const { rows } = await api.app.connection.pool.query<{ name: string; payload: object }>(
    'select action as name, new_values as payload from audit_entries where resource_id = $1 order by sequence desc limit 1',
    [room.room.uuid],
  );
  expect(rows).toEqual([{ name: 'room.transferred', payload: { account_id: room.other.uuid } }]);
});

test('moving a room to its own account changes nothing and has no event', async () => {
  const room = await createTestRoom();
  api.clock.advance({ seconds: 1 });
  expect((await transfer(room, room.account)).data).toMatchObject({ updated_at: room.room.updated_at });
  const { rows } = await api.app.connection.pool.query<{ name: string }>(
    'select name from events where resource_id = $1',
    [room.room.uuid],
  );
  expect(rows).toEqual([{ name: 'room.created' }]);
});

test('a room cannot move to another subscription, to an unknown account or to an inactive account', async () => {
  const room = await createTestRoom();
  const otherFixture = await makeAccount(api);
  const { data: second } = await api.admin.createSubscription({
    body: { package_id: otherFixture.servicePackage.id, subscriber_id: room.customer.id },
  });
  const { data: sibling } = await api.admin.createAccount({
    body: { account_name: 'Of the same customer', subscription_id: second.id },
  });
  for (const account of [
    otherFixture.account,
    sibling,
    { id: 'acct_01jd0000000000000000000000' },
    { id: 'nonsense' },
  ]) {
    const refusal = await refusalOf(transfer(room, account));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['account_id']]);
  }
  await api.admin.updateAccount({ params: { account_id: room.other.id }, body: { status: 'inactive' } });
  const inactive = await refusalOf(transfer(room, room.other));
  expect([inactive.status, inactive.code]).toEqual([409, 'account-not-active']);
  expect((await api.admin.readRoom({ params: room.params })).data.account_id).toBe(room.account.id);
  const unknownRoom = await refusalOf(
    transfer({ params: { room_id: 'room_01jd0000000000000000000000' } }, room.account),
  );
  expect(unknownRoom.status).toBe(404);
});

test('users can move a room that they may delete to an account in which they may create rooms', async () => {
  const room = await createTestRoom();
  const [from, to] = [room.account.id, room.other.id];
  const reading = ['read-account', 'read-room'];
  const permittedUser = await createTestUser({
    [from]: [...reading, 'delete-room'],
    [to]: [...reading, 'create-room'],
  });
  const cases = [
    [await createTestUser({ [from]: [...reading, 'update-room'], [to]: [...reading, 'create-room'] }), 403],
    [await createTestUser({ [from]: [...reading, 'delete-room'], [to]: reading }), 403],
    [await createTestUser({ [from]: [...reading, 'delete-room'] }), 422],
    [await createTestUser({ [to]: [...reading, 'create-room'] }), 404],
  ] as const;
  for (const [client, status] of cases)
    expect((await refusalOf(transfer(room, room.other, client))).status).toBe(status);
  expect((await transfer(room, room.other, permittedUser)).data.account_id).toBe(to);
});

test('if its account is deleted concurrently, the room is deleted with it or has already moved', async () => {
  const room = await createTestRoom();
  await api.admin.updateAccount({ params: { account_id: room.account.id }, body: { status: 'inactive' } });
  const [transferResult] = await Promise.allSettled([
    transfer(room, room.other),
    api.admin.deleteAccount({ params: { account_id: room.account.id } }),
  ]);
  const after = await api.admin.readRoom({ params: room.params }).catch(() => null);
  expect(after !== null).toBe(transferResult.status === 'fulfilled');
  expect(await usageOf(room)).toBe(after === null ? 0 : 1);
});

test('reports count a room in its current account, also for days that were rolled up before', async () => {
  const room = await createTestRoom();
  const meeting = newUuid();
  const { pool } = api.app.connection;
  await pool.query(
    `insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
      created_at, updated_at)
    values ($1, $2, $3, $4, 'past', 'ended', '2026-03-05T10:00Z', '2026-03-05T11:00Z', now(), now())`,
    [meeting, room.room.uuid, room.customer.uuid, room.subscription.uuid],
  );
  const report = async () => {
    const query = { group_by: 'account', from: '2026-03-01', customer_id: room.customer.id, by: 'month' } as const;
    const { data } = await api.admin.readUsageReport({ query });
    return Object.fromEntries(data.filter(({ meetings }) => meetings).map((row) => [row.account_id, row.meetings]));
  };
  await runJob(api.app.dependencies, 'roll-up-usage');
  expect(await report()).toEqual({ [room.account.id]: 1 });
  await transfer(room, room.other);
  expect(await report()).toEqual({ [room.other.id]: 1 });
  await runJob(api.app.dependencies, 'roll-up-usage');
  expect(await report()).toEqual({ [room.other.id]: 1 });
});
