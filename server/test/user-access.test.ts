import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf, soldFeatures, unique } from './factories.ts';

const password = 'difference engine no. 2';

let api: TestApi;
/** A room with its parents, and its customer's owner. */
let fixture: Awaited<ReturnType<typeof makeRoom>>;
let owner: Client;
let otherFixture: Awaited<ReturnType<typeof makeRoom>>;

beforeAll(async () => {
  api = await startApi();
  fixture = await makeRoom(api, { features: { ...soldFeatures, allow_create_account: 'true' } });
  otherFixture = await makeRoom(api);
  owner = await signIn(fixture.customer.email);
});
afterAll(() => api.close());

async function signIn(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

type Level = 'customer' | 'account' | 'room';

/** Creates a user who is only a member of this resource, and signs in. */
async function createMember(level: Level, id: string, permissions: readonly string[]): Promise<Client> {
  const email = `${unique('member')}@example.com`;
  const { data: user } = await api.admin.createUser({
    body: { email, first_name: 'Grace', last_name: 'Hopper', password },
  });
  const body = { user_id: user.id, permissions: [...permissions] as never[] };
  if (level === 'customer') await api.admin.createCustomerUser({ params: { customer_id: id }, body });
  if (level === 'account') await api.admin.createAccountUser({ params: { account_id: id }, body });
  if (level === 'room') await api.admin.createRoomUser({ params: { room_id: id }, body });
  return await signIn(email);
}

const idsOf = (answer: { data: { id: string }[] }) => answer.data.map(({ id }) => id);

test("a customer's owner reads only their own customer, with its subscriptions, accounts, rooms and users", async () => {
  expect(idsOf(await owner.listCustomers())).toEqual([fixture.customer.id]);
  expect(idsOf(await owner.listSubscriptions())).toEqual([fixture.subscription.id]);
  expect(idsOf(await owner.listAccounts())).toEqual([fixture.account.id]);
  expect(idsOf(await owner.listRooms({ query: { limit: 0 } }))).toEqual([fixture.room.id]);
  expect((await owner.listRooms()).meta.pagination?.total).toBe(1);
  expect((await owner.listUsers()).data.map(({ email }) => email)).toEqual([fixture.customer.email]);
});

test('resources without access are a 404, exactly like missing ones', async () => {
  const unknown = 'room_00000000000000000000000000';
  for (const name of ['readRoom', 'updateRoom', 'deleteRoom', 'readRoomStatus', 'listRoomTokens'] as const) {
    const body = name === 'updateRoom' ? {} : undefined;
    const [existing, missing] = await Promise.all(
      [otherFixture.room.id, unknown].map((id) => owner.request(name, { params: { room_id: id }, body })),
    );
    expect([existing?.status, missing?.status], name).toEqual([404, 404]);
    const strip = ({ body }: { body: unknown } = { body: null }) => ({ ...(body as object), request_id: '' });
    expect(strip(existing)).toEqual(strip(missing));
  }
});

test('a body with an account of another customer is rejected like one with an unknown account', async () => {
  for (const account of [otherFixture.account.id, 'acct_00000000000000000000000000']) {
    const refusal = await refusalOf(owner.createRoom({ body: { room_name: 'Mine', account_id: account } }));
    expect(refusal).toMatchObject({ status: 422, errors: { account_id: ['The selected account id is invalid.'] } });
  }
});

test('includes only show accessible resources', async () => {
  const reader = await createMember('room', fixture.room.id, ['read-room']);
  const { data } = await reader.readRoom({
    params: { room_id: fixture.room.id },
    query: { include: 'customer,account,subscription,owner,users,tokens,access_codes' },
  });
  expect(data).toMatchObject({ customer: { data: null }, account: { data: null }, subscription: { data: null } });
  expect(data).toMatchObject({ tokens: { data: [] }, access_codes: { data: [] }, owner: { data: null } });
});

test('a member of an account can only access the rooms of that account', async () => {
  const second = await makeRoom(api);
  const reader = await createMember('account', second.account.id, ['read-account', 'read-room']);
  expect(idsOf(await reader.listRooms())).toEqual([second.room.id]);
  expect(idsOf(await reader.listAccounts())).toEqual([second.account.id]);
  expect(idsOf(await reader.listCustomers())).toEqual([]);
  expect((await refusalOf(reader.readCustomer({ params: { customer_id: second.customer.id } }))).status).toBe(404);
});

test('the error names the missing right to users who can see the room', async () => {
  const reader = await createMember('room', fixture.room.id, ['read-room']);
  const refusal = await refusalOf(
    reader.updateRoom({ params: { room_id: fixture.room.id }, body: { room_name: 'x' } }),
  );
  expect(refusal).toMatchObject({ status: 403, code: 'forbidden', message: 'This needs the right update-room.' });
});

test('write rights also need the read right, for users as well', async () => {
  const writer = await createMember('room', fixture.room.id, ['update-room']);
  const refusal = await refusalOf(
    writer.updateRoom({ params: { room_id: fixture.room.id }, body: { room_name: 'x' } }),
  );
  expect(refusal).toMatchObject({ status: 403, code: 'missing-read-permission' });
  expect(refusal.message).toContain('read-room');
  expect(idsOf(await writer.listRooms())).toEqual([]);
});

test('granted and removed rights apply from the next request', async () => {
  const { data: user } = await api.admin.createUser({
    body: { email: `${unique('m')}@example.com`, first_name: 'A', last_name: 'B', password },
  });
  const client = await signIn(user.email);
  expect((await client.request('readRoom', { params: { room_id: fixture.room.id } })).status).toBe(404);
  const params = { room_id: fixture.room.id, user_id: user.id };
  await api.admin.createRoomUser({ params, body: { user_id: user.id, permissions: ['read-room'] } });
  expect((await client.request('readRoom', { params: { room_id: fixture.room.id } })).status).toBe(200);
  await api.admin.deleteRoomUser({ params });
  expect((await client.request('readRoom', { params: { room_id: fixture.room.id } })).status).toBe(404);
});

test('an owner can only create accounts if the subscription allows it', async () => {
  const { data } = await owner.createAccount({
    body: { account_name: 'Branch', subscription_id: fixture.subscription.id },
  });
  expect(data.subscriber_id).toBe(fixture.customer.id);
  const other = await signIn(otherFixture.customer.email);
  const refusal = await refusalOf(
    other.createAccount({ body: { account_name: 'Branch', subscription_id: otherFixture.subscription.id } }),
  );
  expect(refusal).toMatchObject({ status: 422, code: 'feature-not-sold' });
  await owner.updateAccount({ params: { account_id: data.id }, body: { status: 'inactive' } });
  const refusedDeletion = await refusalOf(owner.deleteAccount({ params: { account_id: data.id } }));
  expect(refusedDeletion).toMatchObject({ status: 422, code: 'feature-not-sold' });
  await api.admin.createSubscriptionFeature({
    params: { subscription_id: fixture.subscription.id },
    body: { service_feature_code: 'allow_delete_account', value: true },
  });
  await owner.deleteAccount({ params: { account_id: data.id } });
});

test('an owner can fully manage rooms, tokens and codes', async () => {
  const { data: room } = await owner.createRoom({ body: { room_name: 'Own room', account_id: fixture.account.id } });
  const params = { room_id: room.id };
  await owner.updateRoom({ params, body: { room_name: 'Renamed' } });
  const { data: token } = await owner.createRoomToken({ params, body: { role: 'guest' } });
  await owner.updateRoomToken({ params: { ...params, token_id: token.id }, body: { role: 'attendee' } });
  const { data: code } = await owner.createRoomAccessCode({ params, body: { role: 'attendee' } });
  expect((await owner.listRoomTokens({ params })).data.map(({ role }) => role)).toEqual(['attendee']);
  await owner.deleteRoomAccessCode({ params: { ...params, code_id: code.id } });
  await owner.deleteRoomToken({ params: { ...params, token_id: token.id } });
  await owner.deleteRoom({ params });
});

test('a user who creates a room can manage it, but gets no rights on other rooms', async () => {
  const creator = await createMember('account', fixture.account.id, ['read-account', 'create-room']);
  const { data: room } = await creator.createRoom({ body: { room_name: 'Mine', account_id: fixture.account.id } });
  expect(idsOf(await creator.listRooms())).toEqual([room.id]);
  await creator.createRoomToken({ params: { room_id: room.id }, body: { role: 'guest' } });
  expect((await creator.request('readRoom', { params: { room_id: fixture.room.id } })).status).toBe(404);
});

test("the customer's users get an error for each member that only the reseller can set", async () => {
  const params = { customer_id: fixture.customer.id };
  const refusal = await refusalOf(
    owner.updateCustomer({ params, body: { status: 'suspended', allowed_domains_origins: ['https://a.example'] } }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors)).toEqual(['status', 'allowed_domains_origins']);
  expect((await owner.updateCustomer({ params, body: { first_name: 'Augusta' } })).data.first_name).toBe('Augusta');
});

test('users cannot access providers, packages, administrators and settings', async () => {
  for (const name of [
    'listServiceProviders',
    'listServicePackages',
    'listAdmins',
    'listRoles',
    'listPermissions',
    'readSettings',
  ] as const)
    expect((await owner.request(name)).status, name).toBe(403);
  const { data } = await owner.readSubscription({
    params: { subscription_id: fixture.subscription.id },
    query: { include: 'package,providers,features' },
  });
  expect(Object.keys(data)).not.toContain('package');
  expect(Object.keys(data)).not.toContain('providers');
  expect((await owner.readRoomStatus({ params: { room_id: fixture.room.id } })).data.provider).toBeNull();
});

test('users of an inactive customer have no access', async () => {
  const customer = await makeCustomer(api);
  const client = await signIn(customer.email);
  const params = { customer_id: customer.id };
  expect(idsOf(await client.listCustomers())).toEqual([customer.id]);
  await api.admin.updateCustomer({ params, body: { status: 'inactive' } });
  expect((await client.request('readCustomer', { params })).status).not.toBe(200);
});
