import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makePackage, makeRoom, refusalOf, soldFeatures, unique } from './factories.ts';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});

afterAll(() => api.close());

const password = 'difference engine no. 2';

function makeCustomerBody(body: Record<string, unknown> = {}) {
  return {
    customer_type: 'personal' as const,
    first_name: 'Grace',
    last_name: 'Hopper',
    email: `${unique('grace')}@example.com`,
    country: 'US',
    currency: 'USD',
    password,
    ...body,
  };
}

function createCustomer(body: Record<string, unknown> = {}) {
  return api.admin.createCustomer({ body: makeCustomerBody(body) });
}

async function createTestCustomer(body: Record<string, unknown> = {}) {
  const customer = await makeCustomer(api, body);
  return { customer, params: { customer_id: customer.id } };
}

function patch(params: { customer_id: string }, body: Record<string, unknown>) {
  return api.admin.updateCustomer({ params, body });
}

async function countRows(table: 'customers' | 'users', email: string) {
  const { db } = api.app.dependencies;
  const rows = await db.selectFrom(table).select(['id', 'email']).execute();
  return rows.filter((row) => row.email.toLowerCase() === email.toLowerCase()).length;
}

async function eventsOf({ uuid }: { uuid: string }) {
  const rows = await api.app.dependencies.db
    .selectFrom('events')
    .select('name')
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name }) => name);
}

async function usageOf(subscription: { id: string }, tag: string) {
  const params = { subscription_id: subscription.id };
  const { data } = await api.admin.readSubscriptionUsage({ params, query: { limit: 0 } });
  return data.find((feature) => feature.tag === tag)?.usage.data.used;
}

async function findUsers(email: string) {
  return (await api.admin.listUsers({ query: { search: `email:${email}` } })).data;
}

describe('a customer', () => {
  test('is created with its owner, who can log in with the password', async () => {
    const { data } = await createCustomer({
      email: 'Owner@Example.com',
      locale: 'pt-BR',
      timezone: 'America/Sao_Paulo',
    });
    expect(data).toMatchObject({
      object: 'Customer',
      email: expect.stringMatching(/^owner@example\.com$/i),
      full_name: 'Grace Hopper',
      status: 'active',
      locale: 'pt-BR',
      timezone: 'America/Sao_Paulo',
      allowed_domains_origins: [],
      allowed_domains_registration: [],
      customer_settings: {},
      customer_metadata: {},
    });
    expect(data.customer_key).toMatch(/^[a-z0-9]{16}$/);
    expect(data.subdomain).toMatch(/^grace-hopper/);
    expect(JSON.stringify(data)).not.toContain('password');
    const { data: read } = await api.admin.readCustomer({
      params: { customer_id: data.id },
      query: { include: 'owner,users' },
    });
    expect(read).toMatchObject({
      owner: { data: { object: 'User', full_name: 'Grace Hopper', locale: 'pt-BR' } },
      users: { data: [{ full_name: 'Grace Hopper' }] },
    });
    const login = await api.anyone.loginUser({ body: { username: 'owner@example.com', password } });
    expect(login.access_token).not.toBe('');
    expect(api.log()).not.toContain(password);
  });

  test('uses the existing user with the email: no password is needed, and the old one stays valid', async () => {
    const email = `${unique('adopted')}@example.com`;
    const { params } = await createTestCustomer({ email, password });
    await patch(params, { status: 'terminated' });
    await api.admin.deleteCustomer({ params });
    expect(await countRows('users', email)).toBe(1);
    const { data } = await createCustomer({ email: email.toUpperCase(), password: undefined, first_name: 'Other' });
    expect(await countRows('users', email)).toBe(1);
    const { data: read } = await api.admin.readCustomer({
      params: { customer_id: data.id },
      query: { include: 'owner' },
    });
    expect(read).toMatchObject({ owner: { data: { first_name: 'Ada' } } });
    expect((await api.anyone.loginUser({ body: { username: email, password } })).access_token).not.toBe('');
  });

  test.each([
    [{ password: undefined }, ['password']],
    [{ password: 'too short' }, ['password']],
    [{ password: 'x'.repeat(129) }, ['password']],
    [{ password: 'Qwerty123456' }, ['password']],
    [{ email: 'nobody' }, ['email']],
    [{ country: 'XX', currency: 'XXXX' }, ['country', 'currency']],
    [{ customer_type: 'business' }, ['company_name']],
    [{ customer_type: 'club' }, ['customer_type']],
    [{ first_name: '', last_name: null }, ['first_name', 'last_name']],
    [{ status: 'terminated' }, ['status']],
    [{ hostname: 'https://x', subdomain: '-a' }, ['hostname', 'subdomain']],
    [{ timezone: 'Mars/Base', locale: '???' }, ['locale', 'timezone']],
    [{ allowed_domains_registration: ['ok.example', 'not ok'] }, ['allowed_domains_registration.1']],
    [{ allowed_domains_registration: ['example.org', 'sub.example.com'], country: 'US' }, ['email']],
    [{ customer_metadata: { a: { b: [] } } }, ['customer_metadata.a']],
  ])('with %j, neither the customer nor the owner is created', async (body, fields) => {
    const email = `${unique('refused')}@example.com`;
    const refusal = await refusalOf(createCustomer({ email, ...body }));
    expect([refusal.status, refusal.code]).toEqual([422, 'validation-failed']);
    expect(Object.keys(refusal.errors).toSorted()).toEqual(fields.toSorted());
    expect(await countRows('users', email)).toBe(0);
    expect(await countRows('customers', email)).toBe(0);
  });

  test('with several errors is rejected with all of them', async () => {
    const refusal = await refusalOf(api.admin.createCustomer({ body: {} as never }));
    expect(Object.keys(refusal.errors).toSorted()).toEqual(
      ['customer_type', 'first_name', 'last_name', 'email', 'country', 'currency'].toSorted(),
    );
    expect(refusal.message).toMatch(/ \(and 5 more errors\)$/);
  });

  test('has a unique email, also with concurrent requests', async () => {
    const email = `${unique('raced')}@example.com`;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) => createCustomer({ email: index % 2 === 0 ? email : email.toUpperCase() })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      const { status, errors } = outcome.reason as { status: number; errors: object };
      expect([status, Object.keys(errors)]).toEqual([422, ['email']]);
    }
    expect([await countRows('customers', email), await countRows('users', email)]).toEqual([1, 1]);
  });

  test('has a unique host name and a unique subdomain', async () => {
    const hostname = `${unique('host')}.example.com`;
    const subdomain = unique('label');
    const { params } = await createTestCustomer({ hostname, subdomain });
    const refusal = await refusalOf(createCustomer({ hostname: hostname.toUpperCase(), subdomain }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['hostname', 'subdomain']]);
    const other = await createTestCustomer();
    expect(Object.keys((await refusalOf(patch(other.params, { hostname, subdomain }))).errors)).toEqual([
      'hostname',
      'subdomain',
    ]);
    expect((await patch(params, { hostname, subdomain })).data).toMatchObject({ hostname, subdomain });
  });

  test('gets a unique subdomain, even if several with the same name are created at once', async () => {
    const names = { first_name: unique('same'), last_name: 'Name' };
    const created = await Promise.all(Array.from({ length: 6 }, () => createCustomer(names)));
    expect(new Set(created.map(({ data }) => data.subdomain)).size).toBe(6);
    expect(new Set(created.map(({ data }) => data.customer_key)).size).toBe(6);
  });

  test('can be changed, except for its key', async () => {
    const { customer, params } = await createTestCustomer();
    const body = { first_name: 'Augusta', external_id: 'crm-7', customer_metadata: { a: 1 }, hostname: null };
    expect((await patch(params, body)).data).toMatchObject({ ...body, full_name: 'Augusta Lovelace' });
    expect(Object.keys((await refusalOf(patch(params, { customer_key: 'another' }))).errors)).toEqual(['customer_key']);
    expect((await patch(params, { customer_key: customer.customer_key })).data.customer_key).toBe(
      customer.customer_key,
    );
    expect(Object.keys((await refusalOf(patch(params, { customer_type: 'business' }))).errors)).toEqual([
      'company_name',
    ]);
    const business = { customer_type: 'business', company_name: 'Engines Ltd' };
    expect((await patch(params, business)).data).toMatchObject(business);
    expect(Object.keys((await refusalOf(patch(params, { company_name: null }))).errors)).toEqual(['company_name']);
    expect(Object.keys((await refusalOf(patch(params, { email: null }))).errors)).toEqual(['email']);
  });

  const allowedStatuses = {
    active: ['inactive', 'suspended', 'terminated'],
    inactive: ['active', 'suspended', 'terminated'],
    suspended: ['active', 'inactive', 'terminated'],
    terminated: [],
  } as const;
  const statuses = Object.keys(allowedStatuses) as (keyof typeof allowedStatuses)[];

  test.each(statuses)('that is %s can change to the allowed statuses, which the error names', async (oldStatus) => {
    const { params } = await createTestCustomer();
    await patch(params, { status: oldStatus });
    for (const newStatus of statuses) {
      const isAllowed =
        newStatus === oldStatus || (allowedStatuses[oldStatus] as readonly string[]).includes(newStatus);
      if (isAllowed) continue;
      const refusal = await refusalOf(patch(params, { status: newStatus }));
      expect([refusal.status, refusal.code]).toEqual([409, 'status-change-not-allowed']);
      expect(refusal.message).toContain(`Allowed: ${allowedStatuses[oldStatus].join(', ') || 'none'}`);
      expect(refusal.errors).toEqual({ status: [refusal.message] });
    }
    for (const newStatus of allowedStatuses[oldStatus]) {
      const other = await createTestCustomer();
      await patch(other.params, { status: oldStatus });
      expect((await patch(other.params, { status: newStatus })).data.status).toBe(newStatus);
    }
    expect((await patch(params, { status: oldStatus })).data.status).toBe(oldStatus);
  });

  test('that is terminated makes everything below it inactive', async () => {
    const { customer, account, subscription, room } = await makeRoom(api);
    await patch({ customer_id: customer.id }, { status: 'terminated' });
    const { data: ended } = await api.admin.readSubscription({ params: { subscription_id: subscription.id } });
    expect(ended).toMatchObject({ status: 'inactive', is_active: false });
    expect((await api.admin.readAccount({ params: { account_id: account.id } })).data.status).toBe('inactive');
    expect((await api.admin.readRoom({ params: { room_id: room.id } })).data.status).toBe('inactive');
    expect(await eventsOf(subscription)).toContain('subscription.updated');
    expect(await eventsOf(account)).toEqual(['account.created', 'account.updated']);
    expect(await eventsOf(room)).toEqual(['room.created', 'room.updated']);
    const reactivation = await refusalOf(
      api.admin.updateAccount({ params: { account_id: account.id }, body: { status: 'active' } }),
    );
    expect([reactivation.status, reactivation.code]).toEqual([409, 'customer-not-active']);
  });

  test('can be deleted only when terminated; everything below it is deleted, except its users', async () => {
    const { customer, account, subscription, room } = await makeRoom(api);
    const params = { customer_id: customer.id };
    for (const status of ['active', 'inactive', 'suspended'] as const) {
      await patch(params, { status });
      const refusal = await refusalOf(api.admin.deleteCustomer({ params }));
      expect([refusal.status, refusal.code]).toEqual([409, 'customer-not-terminated']);
    }
    await patch(params, { status: 'terminated' });
    await api.admin.deleteCustomer({ params });
    const calls = [
      api.admin.readCustomer({ params }),
      api.admin.deleteCustomer({ params }),
      api.admin.readAccount({ params: { account_id: account.id } }),
      api.admin.readSubscription({ params: { subscription_id: subscription.id } }),
      api.admin.readRoom({ params: { room_id: room.id } }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
    expect(await countRows('users', customer.email)).toBe(1);
    for (const resource of [customer, account, subscription, room]) {
      expect((await eventsOf(resource)).at(-1)).toMatch(/\.deleted$/);
    }
  });

  test('that is terminated while rooms are created below it has no active rooms', async () => {
    const { customer, account } = await makeAccount(api);
    const params = { customer_id: customer.id };
    await Promise.allSettled([
      ...Array.from({ length: 10 }, () => api.admin.createRoom({ body: { room_name: 'R', account_id: account.id } })),
      patch(params, { status: 'terminated' }),
      ...Array.from({ length: 10 }, () => api.admin.createRoom({ body: { room_name: 'R', account_id: account.id } })),
    ]);
    expect((await api.admin.readCustomer({ params })).data.status).toBe('terminated');
    const query = { search: `account_id:${account.id};status:active`, searchJoin: 'and', limit: 0 } as const;
    expect((await api.admin.listRooms({ query })).data).toEqual([]);
  });
});

describe('an account', () => {
  const paramsOf = ({ id }: { id: string }) => ({ account_id: id });
  const update = (account: { id: string }, body: Record<string, unknown>) =>
    api.admin.updateAccount({ params: paramsOf(account), body });

  test("belongs to its subscription's customer, whose owner owns it", async () => {
    const { account, customer, subscription } = await makeAccount(api);
    expect(account).toMatchObject({
      object: 'Account',
      subscriber_id: customer.id,
      subscription_id: subscription.id,
      status: 'active',
      tag: null,
      code: null,
      account_settings: {},
      account_metadata: {},
    });
    expect(account.account_key).toMatch(/^[a-z0-9]{16}$/);
    const { data } = await api.admin.readAccount({ params: paramsOf(account), query: { include: 'owner,customer' } });
    expect(data).toMatchObject({ owner: { data: { email: customer.email } }, customer: { data: { id: customer.id } } });
    expect(await usageOf(subscription, 'max_accounts')).toBe(1);
  });

  test('accepts only the subscriber of its subscription', async () => {
    const { subscription, customer } = await makeAccount(api);
    const other = await makeCustomer(api);
    const body = { account_name: 'Second', subscription_id: subscription.id };
    const { data } = await api.admin.createAccount({ body: { ...body, subscriber_id: customer.ulid } });
    expect(data.subscriber_id).toBe(customer.id);
    const refusal = await refusalOf(api.admin.createAccount({ body: { ...body, subscriber_id: other.id } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['subscriber_id']]);
    expect(await usageOf(subscription, 'max_accounts')).toBe(2);
  });

  test.each([
    [{ subscription_id: 'sub_01jd0000000000000000000000', account_name: 'X' }, ['subscription_id']],
    [{ subscription_id: 'x' }, ['account_name', 'subscription_id']],
    [{}, ['account_name', 'subscription_id']],
  ])('is rejected with %j', async (body, fields) => {
    const refusal = await refusalOf(api.admin.createAccount({ body: body as never }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, fields]);
  });

  test('is rejected beyond max_accounts, with the usage', async () => {
    const { subscription } = await makeAccount(api, { features: { ...soldFeatures, max_accounts: '1' } });
    const refusal = await refusalOf(
      api.admin.createAccount({ body: { account_name: 'Second', subscription_id: subscription.id } }),
    );
    expect([refusal.status, refusal.code]).toEqual([422, 'feature-limit-reached']);
    expect(refusal.message).toContain('max_accounts is reached: 1 of 1');
  });

  test('cannot be created in a subscription without accounts', async () => {
    const servicePackage = await makePackage(api, { features: { max_rooms: '1' } });
    const customer = await makeCustomer(api);
    const { data } = await api.admin.createSubscription({
      body: { package_id: servicePackage.id, subscriber_id: customer.id },
    });
    const refusal = await refusalOf(
      api.admin.createAccount({ body: { account_name: 'First', subscription_id: data.id } }),
    );
    expect([refusal.status, refusal.code]).toEqual([422, 'feature-limit-reached']);
  });

  test.each(['suspended', 'inactive', 'terminated'] as const)(
    'cannot be created in a subscription that is %s',
    async (status) => {
      const { subscription } = await makeAccount(api);
      await api.admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status } });
      const refusal = await refusalOf(
        api.admin.createAccount({ body: { account_name: 'Late', subscription_id: subscription.id } }),
      );
      expect([refusal.status, refusal.code]).toEqual([409, 'subscription-not-usable']);
      expect(await usageOf(subscription, 'max_accounts')).toBe(1);
    },
  );

  test.each(['inactive', 'suspended'] as const)('cannot be created for a customer that is %s', async (status) => {
    const { subscription, customer } = await makeAccount(api);
    await patch({ customer_id: customer.id }, { status });
    const refusal = await refusalOf(
      api.admin.createAccount({ body: { account_name: 'Late', subscription_id: subscription.id } }),
    );
    expect([refusal.status, refusal.code]).toEqual([409, 'customer-not-active']);
  });

  test('can be changed, except for its key, subscriber and subscription', async () => {
    const { account } = await makeAccount(api);
    const other = await makeAccount(api);
    const body = { account_name: 'Renamed', tag: 'a', code: 'b', account_metadata: { c: true } };
    expect((await update(account, body)).data).toMatchObject(body);
    expect((await update(account, { tag: null, account_metadata: null })).data).toMatchObject({
      tag: null,
      account_metadata: {},
    });
    const wrong = {
      account_key: 'x',
      subscriber_id: other.customer.id,
      subscription_id: other.subscription.id,
    };
    const refusal = await refusalOf(update(account, wrong));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, Object.keys(wrong)]);
  });

  test('can be deleted only when inactive, is deleted with its rooms, and releases its usage', async () => {
    const { account, subscription, room } = await makeRoom(api);
    const refusal = await refusalOf(api.admin.deleteAccount({ params: paramsOf(account) }));
    expect([refusal.status, refusal.code]).toEqual([409, 'account-not-inactive']);
    await update(account, { status: 'inactive' });
    await api.admin.deleteAccount({ params: paramsOf(account) });
    expect((await refusalOf(api.admin.readRoom({ params: { room_id: room.id } }))).status).toBe(404);
    expect((await refusalOf(api.admin.readAccount({ params: paramsOf(account) }))).status).toBe(404);
    expect(await usageOf(subscription, 'max_accounts')).toBe(0);
    expect(await usageOf(subscription, 'max_rooms')).toBe(0);
    expect(await eventsOf(room)).toEqual(['room.created', 'room.deleted']);
    expect((await eventsOf(account)).at(-1)).toBe('account.deleted');
  });

  test('is deleted once by concurrent requests', async () => {
    const { account, subscription } = await makeAccount(api);
    await api.admin.createAccount({ body: { account_name: 'Stays', subscription_id: subscription.id } });
    await update(account, { status: 'inactive' });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => api.admin.deleteAccount({ params: paramsOf(account) })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await usageOf(subscription, 'max_accounts')).toBe(1);
  });

  test('is created exactly max_accounts times by concurrent requests', async () => {
    const { subscription } = await makeAccount(api, { features: { ...soldFeatures, max_accounts: '7' } });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, (_, index) =>
        api.admin.createAccount({ body: { account_name: `Racer ${index}`, subscription_id: subscription.id } }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(6);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      expect(outcome.reason).toMatchObject({
        status: 422,
        code: 'feature-limit-reached',
        errors: { max_accounts: [expect.stringContaining('7 of 7')] },
      });
    }
    const { meta } = await api.admin.listAccounts({ query: { search: `subscription_id:${subscription.id}` } });
    expect(meta.pagination?.total).toBe(7);
    expect(await usageOf(subscription, 'max_accounts')).toBe(7);
  });

  test('cannot be created in an expired subscription, nor can a room in an existing account', async () => {
    const { subscription, account } = await makeAccount(api);
    api.clock.set('2026-09-01T12:00:00Z');
    onTestFinished(() => api.clock.set('2026-03-10T13:00:00Z'));
    const calls = [
      api.admin.createAccount({ body: { account_name: 'Late', subscription_id: subscription.id } }),
      api.admin.createRoom({ body: { room_name: 'Late', account_id: account.id } }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) {
      expect([refusal.status, refusal.code]).toEqual([409, 'subscription-not-usable']);
    }
    expect(await usageOf(subscription, 'max_accounts')).toBe(1);
  });

  test('that is inactive accepts no new rooms until it is reactivated', async () => {
    const { account } = await makeAccount(api);
    const body = { room_name: 'Room', account_id: account.id };
    await update(account, { status: 'inactive' });
    const refusal = await refusalOf(api.admin.createRoom({ body }));
    expect([refusal.status, refusal.code]).toEqual([409, 'account-not-active']);
    await update(account, { status: 'active' });
    expect((await api.admin.createRoom({ body })).data.status).toBe('active');
  });

  test('can include its relationships, and customers, subscriptions and users can include it', async () => {
    const { customer, subscription, account, room } = await makeRoom(api);
    const [user] = await findUsers(customer.email);
    const relatedOne = (id: string | undefined) => ({ data: { id } });
    const relatedList = (id: string | undefined) => ({ data: [{ id }] });
    const fromAccount = await api.admin.readAccount({
      params: paramsOf(account),
      query: { include: 'customer,subscription,users,owner,rooms' },
    });
    expect(fromAccount.data).toMatchObject({
      customer: relatedOne(customer.id),
      subscription: relatedOne(subscription.id),
      users: relatedList(user?.id),
      owner: relatedOne(user?.id),
      rooms: relatedList(room.id),
    });
    const fromCustomer = await api.admin.readCustomer({
      params: { customer_id: customer.id },
      query: { include: 'accounts,subscriptions,rooms,users,owner' },
    });
    expect(fromCustomer.data).toMatchObject({
      accounts: relatedList(account.id),
      subscriptions: relatedList(subscription.id),
      rooms: relatedList(room.id),
      users: relatedList(user?.id),
      owner: relatedOne(user?.id),
    });
    const fromSubscription = await api.admin.readSubscription({
      params: { subscription_id: subscription.id },
      query: { include: 'accounts.owner,customer.accounts' },
    });
    expect(fromSubscription.data).toMatchObject({
      accounts: { data: [{ id: account.id, owner: relatedOne(user?.id) }] },
      customer: { data: { id: customer.id, accounts: relatedList(account.id) } },
    });
    const fromUser = await api.admin.readUser({
      params: { user_id: user?.id ?? '' },
      query: { include: 'customers,accounts,rooms' },
    });
    expect(fromUser.data).toMatchObject({
      customers: relatedList(customer.id),
      accounts: relatedList(account.id),
      rooms: relatedList(room.id),
    });
  });
});

describe('a user', () => {
  test('is found and read, without any password', async () => {
    const name = unique('Findable');
    const { data: customer } = await createCustomer({ first_name: name });
    const { data: matches, meta } = await api.admin.listUsers({ query: { search: `${name} hopper` } });
    expect(matches).toMatchObject([
      {
        object: 'User',
        id: expect.stringMatching(/^user_/),
        email: customer.email,
        full_name: `${name} Hopper`,
        status: 'active',
        has_email_verified: false,
        email_verified_at: null,
      },
    ]);
    expect(meta.include).toEqual(expect.arrayContaining(['customers', 'accounts', 'rooms']));
    const read = await api.admin.readUser({ params: { user_id: matches[0]?.id ?? '' } });
    expect(read.data).toEqual(matches[0]);
    expect(JSON.stringify([matches, read])).not.toMatch(/password|argon2/);
    const calls = [
      api.admin.readUser({ params: { user_id: 'user_01jd0000000000000000000000' } }),
      api.admin.readUser({ params: { user_id: customer.id } }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
    expect((await refusalOf(api.anyone.listUsers())).status).toBe(401);
  });

  test('who owns several customers stays one user, and keeps name and password', async () => {
    const { data: first } = await createCustomer();
    const [user] = await findUsers(first.email);
    const newEmail = () => ({ email: `${unique('moved')}@example.com` });
    await patch({ customer_id: first.id }, newEmail());
    const { data: second } = await createCustomer({
      email: first.email,
      first_name: 'Other',
      password: 'another password 42',
    });
    const { data } = await api.admin.readUser({ params: { user_id: user?.id ?? '' }, query: { include: 'customers' } });
    const { customers } = data as unknown as { customers: { data: { id: string }[] } };
    expect(customers.data.map(({ id }) => id).toSorted()).toEqual([first.id, second.id].toSorted());
    expect(data).toMatchObject({ first_name: 'Grace', email: first.email });
    const login = (triedPassword: string) =>
      api.anyone.loginUser({ body: { username: first.email, password: triedPassword } });
    expect((await login(password)).access_token).not.toBe('');
    expect((await refusalOf(login('another password 42'))).code).toBe('wrong-credentials');
  });

  test('is not created if creating the customer fails', async () => {
    const subdomain = unique('contested');
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => createCustomer({ subdomain })));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const outcome of outcomes) {
      if (outcome.status === 'fulfilled') continue;
      const { status, errors } = outcome.reason as { status: number; errors: object };
      expect([status, Object.keys(errors)]).toEqual([422, ['subdomain']]);
    }
    const { rows } = await api.app.connection.pool.query(
      `select email from users where email like 'grace%' and id not in (select user_id from customer_users)`,
    );
    expect(rows).toEqual([]);
  });
});

test('if several customers change to the same email concurrently, one succeeds and the others get an error for the email', async () => {
  const created = await Promise.all(Array.from({ length: 4 }, () => createCustomer()));
  const email = `${unique('moved')}@example.com`;
  const outcomes = await Promise.allSettled(created.map(({ data }) => patch({ customer_id: data.id }, { email })));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  for (const outcome of outcomes) {
    if (outcome.status === 'fulfilled') continue;
    expect(outcome.reason).toMatchObject({ status: 422, errors: { email: ['The email has already been taken.'] } });
  }
});
