import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, refusalOf, soldFeatures, unique } from './factories.ts';

const password = 'difference engine no. 2';
const creationRights = [
  'read-customer',
  'read-subscriptions',
  'create-account',
  'read-account',
  'create-room',
  'read-room',
];

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function signIn(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

/** Creates a customer with a subscription, optionally below a reseller. */
async function makeSubscriber(parent?: string) {
  const servicePackage = await makePackage(api, { features: { ...soldFeatures, allow_create_account: 'true' } });
  const customer = await makeCustomer(api, parent === undefined ? {} : { parent_customer_id: parent });
  const { data: subscription } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  return { customer, subscription };
}

/** Creates a user of the customer with these rights, who is signed in. */
async function makeEmployee(customerId: string, permissions: readonly string[] = creationRights) {
  const { data: user } = await api.admin.createUser({
    body: { email: `${unique('grace')}@example.com`, first_name: 'Grace', last_name: 'Hopper', password },
  });
  const body = { user_id: user.id, permissions: [...permissions] as never[] };
  await api.admin.createCustomerUser({ params: { customer_id: customerId }, body });
  return { user, employee: await signIn(user.email) };
}

async function createAccountAndRoom(employee: Client, subscriptionId: string) {
  const { data: account } = await employee.createAccount({
    body: { account_name: unique('Account'), subscription_id: subscriptionId },
  });
  const { data: room } = await employee.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
  return { account: { account_id: account.id }, room: { room_id: room.id } };
}

const userIdsOf = (answer: { data: { user_id: string }[] }) => answer.data.map(({ user_id: id }) => id);

test('a user of a reseller who creates an account or a room of a customer below it gets no membership of them', async () => {
  const { admin } = api;
  const reseller = await makeCustomer(api, { is_reseller: true });
  const { subscription } = await makeSubscriber(reseller.id);
  const { user, employee } = await makeEmployee(reseller.id);
  const { account, room } = await createAccountAndRoom(employee, subscription.id);
  expect(userIdsOf(await admin.listAccountUsers({ params: account }))).not.toContain(user.id);
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).not.toContain(user.id);
  expect((await employee.readRoom({ params: room })).data.id).toBe(room.room_id);
  expect(await refusalOf(employee.deleteRoom({ params: room }))).toMatchObject({ status: 403 });
  const token = { params: room, body: { role: 'moderator' as const } };
  expect(await refusalOf(employee.createRoomToken(token))).toMatchObject({ status: 403 });

  const owner = await signIn(reseller.email);
  await owner.deleteCustomerUser({ params: { customer_id: reseller.id, user_id: user.id } });
  for (const call of [
    () => employee.readAccount({ params: account }),
    () => employee.readRoom({ params: room }),
    () => employee.createRoomToken(token),
    () => employee.deleteRoom({ params: room }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 404 });
});

test("a reseller's user who is also a member of the customer gets a membership", async () => {
  const reseller = await makeCustomer(api, { is_reseller: true });
  const { customer, subscription } = await makeSubscriber(reseller.id);
  const { user, employee } = await makeEmployee(customer.id);
  await api.admin.createCustomerUser({
    params: { customer_id: reseller.id },
    body: { user_id: user.id, permissions: creationRights as never[] },
  });
  const { room } = await createAccountAndRoom(employee, subscription.id);
  expect(userIdsOf(await api.admin.listRoomUsers({ params: room }))).toContain(user.id);
});

test('memberships from creating an account or a room end with the membership that allowed it, with events', async () => {
  const { admin } = api;
  const { customer, subscription } = await makeSubscriber();
  const { user, employee } = await makeEmployee(customer.id);
  const { account, room } = await createAccountAndRoom(employee, subscription.id);
  await employee.createRoomToken({ params: room, body: { role: 'moderator' } });
  const owner = await signIn(customer.email);
  await owner.deleteCustomerUser({ params: { customer_id: customer.id, user_id: user.id } });
  expect(userIdsOf(await admin.listAccountUsers({ params: account }))).not.toContain(user.id);
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).not.toContain(user.id);
  expect(await refusalOf(employee.readRoom({ params: room }))).toMatchObject({ status: 404 });
  const recordedEvents = await api.app.dependencies.db
    .selectFrom('events')
    .select('name')
    .where('name', 'in', ['customer_user.deleted', 'account_user.deleted', 'room_user.deleted'])
    .where('customer_id', '=', parseIdentifier('cust', customer.id))
    .execute();
  expect(recordedEvents.map(({ name }) => name).toSorted()).toEqual([
    'account_user.deleted',
    'customer_user.deleted',
    'room_user.deleted',
  ]);
});

test('rights that were granted explicitly remain when the user leaves the customer, also if creating the room granted them before', async () => {
  const { admin } = api;
  const { customer, subscription } = await makeSubscriber();
  const { user, employee } = await makeEmployee(customer.id);
  const [deletedRoom, changedRoom] = [
    await createAccountAndRoom(employee, subscription.id),
    await createAccountAndRoom(employee, subscription.id),
  ];
  await admin.deleteRoomUser({ params: { ...deletedRoom.room, user_id: user.id } });
  const permissions = ['read-room' as const];
  await admin.createRoomUser({ params: deletedRoom.room, body: { user_id: user.id, permissions } });
  await admin.updateRoomUser({ params: { ...changedRoom.room, user_id: user.id }, body: { permissions } });
  await admin.deleteCustomerUser({ params: { customer_id: customer.id, user_id: user.id } });
  for (const { room, account } of [deletedRoom, changedRoom]) {
    expect((await employee.readRoom({ params: room })).data.id).toBe(room.room_id);
    expect(await refusalOf(employee.readAccount({ params: account }))).toMatchObject({ status: 404 });
  }
});

test('a user keeps the rights on a room while a membership of the customer or the account allows creating it', async () => {
  const { admin } = api;
  const { customer, subscription } = await makeSubscriber();
  const { user, employee } = await makeEmployee(customer.id);
  const { account, room } = await createAccountAndRoom(employee, subscription.id);
  await admin.deleteAccountUser({ params: { ...account, user_id: user.id } });
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).toContain(user.id);
  await admin.createAccountUser({
    params: account,
    body: { user_id: user.id, permissions: ['read-account', 'create-room'] },
  });
  await admin.deleteCustomerUser({ params: { customer_id: customer.id, user_id: user.id } });
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).toContain(user.id);
  await admin.deleteAccountUser({ params: { ...account, user_id: user.id } });
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).not.toContain(user.id);
});

test('a creator who was made the owner keeps the ownership', async () => {
  const { admin } = api;
  const { customer, subscription } = await makeSubscriber();
  const { user, employee } = await makeEmployee(customer.id);
  const { room } = await createAccountAndRoom(employee, subscription.id);
  await admin.updateRoomUser({ params: { ...room, user_id: user.id }, body: { owner: true } });
  await admin.deleteCustomerUser({ params: { customer_id: customer.id, user_id: user.id } });
  expect((await employee.readRoom({ params: room })).data.id).toBe(room.room_id);
});

test('losing the right to create removes creator memberships and keeps explicit ones', async () => {
  const { admin } = api;
  const { customer, subscription } = await makeSubscriber();
  const { user, employee } = await makeEmployee(customer.id);
  const { account, room } = await createAccountAndRoom(employee, subscription.id);
  const owner = await signIn(customer.email);
  const setPermissions = (permissions: readonly string[]) =>
    owner.updateCustomerUser({
      params: { customer_id: customer.id, user_id: user.id },
      body: { permissions: permissions as never[] },
    });
  await setPermissions(creationRights.filter((right) => right !== 'create-account'));
  expect(userIdsOf(await admin.listAccountUsers({ params: account }))).not.toContain(user.id);
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).toContain(user.id);
  await setPermissions(['read-customer']);
  expect(userIdsOf(await admin.listRoomUsers({ params: room }))).not.toContain(user.id);
  for (const call of [
    () => employee.readAccount({ params: account }),
    () => employee.readRoom({ params: room }),
    () => employee.deleteRoom({ params: room }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 404 });
});
