import type { Client } from '@foyer/sdk';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeRoom, refusalOf, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

const password = 'difference engine no. 2';
const unknown = 'cust_00000000000000000000000000';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function signIn(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

const newCustomer = (body: Record<string, unknown> = {}) => ({
  customer_type: 'personal' as const,
  first_name: 'Mary',
  last_name: 'Somerville',
  email: `${unique('mary')}@example.com`,
  country: 'GB',
  currency: 'GBP',
  password,
  ...body,
});

/** Creates a reseller and a customer below it, and signs in the owners of both. */
async function makeBranch() {
  const reseller = await makeCustomer(api, { is_reseller: true });
  const owner = await signIn(reseller.email);
  const { data: child } = await owner.createCustomer({ body: newCustomer({ parent_customer_id: reseller.id }) });
  return { reseller, owner, child, childOwner: await signIn(child.email) };
}

/** Creates a customer below the reseller, with an account and a room. */
async function makeRoomBelow(resellerId: string) {
  const { admin } = api;
  const servicePackage = await makePackage(api);
  const customer = await makeCustomer(api, { parent_customer_id: resellerId });
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Below', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({
    body: { room_name: 'Below', account_id: account.id, is_public: true },
  });
  return { customer, subscription, account, room };
}

const idsOf = (answer: { data: { id: string }[] }) => answer.data.map(({ id }) => id).toSorted();

test('a reseller sees itself and its branch at any depth, and no other customers', async () => {
  const { reseller, owner, child } = await makeBranch();
  await api.admin.updateCustomer({ params: { customer_id: child.id }, body: { is_reseller: true } });
  const grandchild = await makeRoomBelow(child.id);
  await makeRoom(api);
  expect(idsOf(await owner.listCustomers())).toEqual([reseller.id, child.id, grandchild.customer.id].toSorted());
  expect(idsOf(await owner.listRooms())).toEqual([grandchild.room.id]);
  expect(idsOf(await owner.listAccounts())).toEqual([grandchild.account.id]);
  expect(idsOf(await owner.listSubscriptions())).toEqual([grandchild.subscription.id]);
  const { data: room } = await owner.readRoom({ params: { room_id: grandchild.room.id } });
  expect(room.id).toBe(grandchild.room.id);

  const middle = await signIn(child.email);
  expect(idsOf(await middle.listCustomers())).toEqual([child.id, grandchild.customer.id].toSorted());
  const bottom = await signIn(grandchild.customer.email);
  expect(idsOf(await bottom.listCustomers())).toEqual([grandchild.customer.id]);
  expect((await refusalOf(bottom.readCustomer({ params: { customer_id: reseller.id } }))).status).toBe(404);
});

test('customers below and above are included as far as the caller may read them', async () => {
  const { reseller, owner, child, childOwner } = await makeBranch();
  const { data: resellerData } = await owner.readCustomer({
    params: { customer_id: reseller.id },
    query: { include: 'sub_customers,parent' },
  });
  expect(resellerData).toMatchObject({ sub_customers: { data: [{ id: child.id }] }, parent: { data: null } });
  const { data: childData } = await childOwner.readCustomer({
    params: { customer_id: child.id },
    query: { include: 'parent' },
  });
  expect(childData).toMatchObject({ parent_customer_id: reseller.id, parent: { data: null } });
});

test('the branches of two resellers cannot see each other', async () => {
  const one = await makeBranch();
  const other = await makeBranch();
  const params = { customer_id: other.child.id };
  const calls = [
    () => one.owner.readCustomer({ params }),
    () => one.owner.updateCustomer({ params, body: { first_name: 'Mine' } }),
    () => one.owner.deleteCustomer({ params }),
    () => one.owner.listCustomerUsers({ params }),
  ];
  for (const call of calls) expect((await refusalOf(call())).status).toBe(404);
  const createBelow = (parent: string) =>
    one.owner.createCustomer({ body: newCustomer({ parent_customer_id: parent }) });
  const [foreign, missing] = [await refusalOf(createBelow(other.reseller.id)), await refusalOf(createBelow(unknown))];
  expect(foreign).toMatchObject({ status: 422, errors: { parent_customer_id: [expect.any(String)] } });
  expect(foreign.errors).toEqual(missing.errors);
});

test('users must name the reseller of a new customer, and need the right to create customers there', async () => {
  const { reseller, owner } = await makeBranch();
  expect(await refusalOf(owner.createCustomer({ body: newCustomer() }))).toMatchObject({
    status: 422,
    errors: { parent_customer_id: ['The parent customer id field is required.'] },
  });
  const email = `${unique('clerk')}@example.com`;
  await owner.createCustomerUser({
    params: { customer_id: reseller.id },
    body: { email, first_name: 'A', last_name: 'Clerk', password, permissions: ['read-customer'] },
  });
  const clerk = await signIn(email);
  expect(
    await refusalOf(clerk.createCustomer({ body: newCustomer({ parent_customer_id: reseller.id }) })),
  ).toMatchObject({ status: 403, message: 'This needs the right create-customer.' });
  await owner.updateCustomerUser({
    params: {
      customer_id: reseller.id,
      user_id: (await clerk.readCallingUser()).data.id,
    },
    body: { permissions: ['read-customer', 'create-customer'] },
  });
  const { data: customer } = await clerk.createCustomer({ body: newCustomer({ parent_customer_id: reseller.id }) });
  expect(customer).toMatchObject({ parent_customer_id: reseller.id, is_reseller: false, effective_status: 'active' });
});

test('only resellers can have sub-customers, and only administrators can create resellers', async () => {
  const plain = await makeCustomer(api);
  const plainOwner = await signIn(plain.email);
  for (const client of [api.admin, plainOwner]) {
    expect(
      await refusalOf(client.createCustomer({ body: newCustomer({ parent_customer_id: plain.id }) })),
    ).toMatchObject({ status: 422, errors: { parent_customer_id: ['The parent customer is not a reseller.'] } });
  }
  const { reseller, owner, child } = await makeBranch();
  expect(
    await refusalOf(
      owner.createCustomer({ body: newCustomer({ parent_customer_id: reseller.id, is_reseller: true }) }),
    ),
  ).toMatchObject({ status: 422, errors: { is_reseller: ['Only administrators can set the is reseller field.'] } });
  expect(
    await refusalOf(owner.updateCustomer({ params: { customer_id: child.id }, body: { is_reseller: true } })),
  ).toMatchObject({ status: 422, errors: { is_reseller: [expect.any(String)] } });
});

test('the reseller above can change members that the customer itself cannot', async () => {
  const { owner, child, childOwner } = await makeBranch();
  const params = { customer_id: child.id };
  for (const body of [{ status: 'suspended' as const }, { external_id: 'x' }, { subdomain: unique('sub') }]) {
    expect((await refusalOf(childOwner.updateCustomer({ params, body }))).status).toBe(422);
    expect((await owner.updateCustomer({ params, body })).data).toMatchObject(body);
  }
});

test('users of a customer cannot delete it; the reseller above can, once it is terminated', async () => {
  const { owner, child, childOwner, reseller } = await makeBranch();
  const params = { customer_id: child.id };
  expect(await refusalOf(childOwner.deleteCustomer({ params }))).toMatchObject({
    status: 403,
    message: 'This needs the right delete-customer.',
  });
  expect(await refusalOf(owner.deleteCustomer({ params: { customer_id: reseller.id } }))).toMatchObject({
    status: 403,
  });
  expect(await refusalOf(owner.deleteCustomer({ params }))).toMatchObject({ code: 'customer-not-terminated' });
  await owner.updateCustomer({ params, body: { status: 'terminated' } });
  await owner.deleteCustomer({ params });
  expect((await refusalOf(api.admin.readCustomer({ params }))).status).toBe(404);
});

test('a reseller with customers cannot be deleted, terminated or lose its reseller status', async () => {
  const { admin } = api;
  const { reseller, child } = await makeBranch();
  const [resellerParams, childParams] = [{ customer_id: reseller.id }, { customer_id: child.id }];
  const refusal = { status: 409, code: 'has-sub-customers' };
  expect(
    await refusalOf(admin.updateCustomer({ params: resellerParams, body: { status: 'terminated' } })),
  ).toMatchObject(refusal);
  expect(await refusalOf(admin.updateCustomer({ params: resellerParams, body: { is_reseller: false } }))).toMatchObject(
    refusal,
  );
  await admin.updateCustomer({ params: childParams, body: { status: 'terminated' } });
  await admin.updateCustomer({ params: resellerParams, body: { status: 'terminated' } });
  expect(await refusalOf(admin.deleteCustomer({ params: resellerParams }))).toMatchObject(refusal);
  await admin.deleteCustomer({ params: childParams });
  await admin.deleteCustomer({ params: resellerParams });
});

test('the parent of a customer never changes', async () => {
  const { child } = await makeBranch();
  const { reseller: other } = await makeBranch();
  const request = { params: { customer_id: child.id }, body: { parent_customer_id: other.id } };
  const answer = await api.admin.request('updateCustomer', request);
  expect(answer.body).toMatchObject({ errors: { parent_customer_id: [expect.any(String)] } });
});

test('deactivating a reseller deactivates its branch at every depth, and reactivating restores it', async () => {
  const { admin, anyone } = api;
  const { reseller, owner, child } = await makeBranch();
  await admin.updateCustomer({ params: { customer_id: child.id }, body: { is_reseller: true } });
  const { customer: grandchild, room, account } = await makeRoomBelow(child.id);
  const bottom = await signIn(grandchild.email);
  const checkEntry = () =>
    admin
      .checkRoomEntry({ params: { room_id: room.id }, body: { name: 'Ada' } })
      .then(({ data }) => JSON.stringify(data));
  expect(await checkEntry()).not.toContain('customer');

  await admin.updateCustomer({ params: { customer_id: reseller.id }, body: { status: 'inactive' } });
  const { data: readGrandchild } = await admin.readCustomer({ params: { customer_id: grandchild.id } });
  expect(readGrandchild).toMatchObject({ status: 'active', effective_status: 'inactive' });
  expect(idsOf(await bottom.listRooms())).toEqual([]);
  expect(idsOf(await owner.listCustomers())).toEqual([]);
  expect(await refusalOf(anyone.loginUser({ body: { username: grandchild.email, password } }))).toMatchObject({
    status: 422,
  });
  expect(await checkEntry()).toContain('customer');
  const refusal = await refusalOf(admin.createRoom({ body: { room_name: 'New', account_id: account.id } }));
  expect(refusal).toMatchObject({ status: 409, code: 'customer-not-active' });
  expect(refusal.message).toContain('A reseller above the customer is inactive');

  await admin.updateCustomer({ params: { customer_id: reseller.id }, body: { status: 'active' } });
  expect(idsOf(await bottom.listRooms())).toEqual([room.id]);
  expect((await admin.readCustomer({ params: { customer_id: grandchild.id } })).data.effective_status).toBe('active');
});

test("customers that are created while the reseller's status changes get the right status", async () => {
  const { admin } = api;
  const { reseller } = await makeBranch();
  const createCustomer = () => admin.createCustomer({ body: newCustomer({ parent_customer_id: reseller.id }) });
  const setStatus = (status: 'suspended' | 'active') =>
    admin.updateCustomer({ params: { customer_id: reseller.id }, body: { status } });
  await Promise.allSettled([
    createCustomer(),
    setStatus('suspended'),
    createCustomer(),
    createCustomer(),
    setStatus('active'),
    createCustomer(),
    setStatus('suspended'),
    createCustomer(),
  ]);
  const { data: parent } = await admin.readCustomer({ params: { customer_id: reseller.id } });
  const { data: children } = await admin.listCustomers({
    query: { search: `parent_customer_id:${reseller.id}`, limit: 0 },
  });
  expect(children.length).toBeGreaterThan(0);
  for (const { effective_status } of children) expect(effective_status).toBe(parent.status);
});

test('users can only choose their own users as owner of a new customer', async () => {
  const { reseller, owner } = await makeBranch();
  const stranger = await makeCustomer(api);
  const createCustomer = (email: string) =>
    owner.createCustomer({ body: newCustomer({ email, parent_customer_id: reseller.id }) });
  const { data: user } = await api.admin.createUser({
    body: { email: `${unique('free')}@example.com`, first_name: 'A', last_name: 'B', password },
  });
  for (const email of [stranger.email, user.email])
    expect(await refusalOf(createCustomer(email))).toMatchObject({
      status: 422,
      errors: { email: [expect.any(String)] },
    });
  const staff = `${unique('staff')}@example.com`;
  await owner.createCustomerUser({
    params: { customer_id: reseller.id },
    body: { email: staff, first_name: 'A', last_name: 'B', password, permissions: ['read-customer'] },
  });
  expect((await createCustomer(staff)).data.email).toBe(staff);
});

test('resellers can be nested eight levels deep, not deeper', async () => {
  let { id } = await makeCustomer(api, { is_reseller: true });
  for (let depth = 2; depth <= 8; depth++)
    ({ id } = await makeCustomer(api, { parent_customer_id: id, is_reseller: true }));
  expect(await refusalOf(api.admin.createCustomer({ body: newCustomer({ parent_customer_id: id }) }))).toMatchObject({
    status: 422,
    errors: { parent_customer_id: [expect.stringContaining('8 levels')] },
  });
});

test('a reseller reads the usage of each customer in its branch, and of no customer outside it', async () => {
  const { reseller, owner, child, childOwner } = await makeBranch();
  await api.admin.updateCustomer({ params: { customer_id: child.id }, body: { is_reseller: true } });
  const fixtures = [
    await makeRoomBelow(reseller.id),
    await makeRoomBelow(child.id),
    await makeRoomBelow((await makeCustomer(api, { is_reseller: true })).id),
  ];
  for (const { room, customer, subscription } of fixtures) {
    await sql`
      insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, ended_at,
        created_at, updated_at)
      values (${room.uuid}, ${room.uuid}, ${customer.uuid}, ${subscription.uuid}, 'm', 'ended', '2026-03-02T10:00:00Z',
        '2026-03-02T11:00:00Z', '2026-03-02T10:00:00Z', '2026-03-02T11:00:00Z')`.execute(api.app.dependencies.db);
  }
  await runJob(api.app.dependencies, 'roll-up-usage');
  const [direct, nested, foreign] = fixtures.map(({ customer }) => customer);
  const read = async (reader: Client, query: Record<string, string> = {}) =>
    (await reader.readUsageReport({ query: { from: '2026-03-01', ...query } })).data;
  const readByCustomer = async (reader: Client) =>
    (await read(reader, { group_by: 'customer' })).map(({ customer_id, meetings }) => [customer_id, meetings] as const);
  expect(new Map(await readByCustomer(owner))).toEqual(new Map([direct, nested].map((customer) => [customer?.id, 1])));
  expect(await readByCustomer(childOwner)).toEqual([[nested?.id, 1]]);
  expect(await read(owner)).toMatchObject([{ meetings: 2, peak_meetings: 2 }]);
  expect(await read(owner, { customer_id: nested?.id ?? '' })).toMatchObject([{ meetings: 1 }]);
  expect((await refusalOf(read(owner, { customer_id: foreign?.id ?? '' }))).status).toBe(422);
  expect((await refusalOf(read(childOwner, { customer_id: direct?.id ?? '' }))).status).toBe(422);
});
