import type { Client } from '@foyer/sdk';
import { FoyerError } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makeRoom, refusalOf, unique } from './factories.ts';

const password = 'difference engine no. 2';
const start = '2026-03-10T12:00:00Z';

let api: TestApi;

beforeAll(async () => {
  api = await startApi({ now: start });
});

afterAll(() => api.close());

async function signIn(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

async function createTenant() {
  const fixture = await makeRoom(api);
  const [room, account] = [{ room_id: fixture.room.id }, { account_id: fixture.account.id }];
  const { data: token } = await api.admin.createRoomToken({ params: room, body: { role: 'attendee' } });
  return { ...fixture, params: { room, account, token: { ...room, token_id: token.id } } };
}

type Tenant = Awaited<ReturnType<typeof createTenant>>;

/** Changes that users of a customer can make in a subscription. */
const changes: Readonly<Record<string, (client: Client, tenant: Tenant) => Promise<unknown>>> = {
  'a room': (client, { params }) => client.updateRoom({ params: params.room, body: { room_name: 'Renamed' } }),
  'a token': (client, { params }) => client.updateRoomToken({ params: params.token, body: { name: 'Renamed' } }),
  'a new token': (client, { params }) => client.createRoomToken({ params: params.room, body: { role: 'guest' } }),
  'a new code': (client, { params }) => client.createRoomAccessCode({ params: params.room, body: { role: 'guest' } }),
  'a user of a room': (client, { params }) => client.createRoomUser({ params: params.room, body: newUser() }),
  'an account': (client, { params }) =>
    client.updateAccount({ params: params.account, body: { account_name: 'Renamed' } }),
  'a user of an account': (client, { params }) => client.createAccountUser({ params: params.account, body: newUser() }),
  'a new room': (client, { account }) => client.createRoom({ body: { room_name: 'New', account_id: account.id } }),
};

const newUser = () => ({ email: `${unique('new')}@example.com`, first_name: 'New', last_name: 'Body' });

async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return 'done';
  } catch (error) {
    if (error instanceof FoyerError) return `${error.status} ${error.code}`;
    throw error;
  }
}

type Params = { subscription_id: string };

const unusableStates: Readonly<Record<string, (params: Params) => Promise<unknown>>> = {
  'is suspended': (params) => api.admin.updateSubscription({ params, body: { status: 'suspended' } }),
  'is inactive': (params) => api.admin.updateSubscription({ params, body: { status: 'inactive' } }),
  'was canceled immediately': (params) =>
    api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } }),
  'has expired, even if the job has not run yet': async () => api.clock.set('2026-04-11T12:00:00Z'),
};

test.each(Object.entries(unusableStates))(
  'users cannot change anything in a subscription that %s, but can read it; administrators can change it',
  async (_, makeUnusable) => {
    api.clock.set(start);
    const tenant = await createTenant();
    for (const [name, change] of Object.entries(changes))
      expect([name, await outcomeOf(change(await signIn(tenant.customer.email), tenant))]).toEqual([name, 'done']);
    await makeUnusable({ subscription_id: tenant.subscription.id });
    const owner = await signIn(tenant.customer.email);
    for (const [name, change] of Object.entries(changes))
      expect([name, await outcomeOf(change(owner, tenant))]).toEqual([name, '409 subscription-not-usable']);
    const { params } = tenant;
    expect((await owner.readRoom({ params: params.room })).data.room_name).toBe('Renamed');
    expect((await owner.listRoomTokens({ params: params.room })).data.length).toBeGreaterThan(0);
    await owner.checkRoomEntry({ params: params.room, body: { name: 'Ada' } });
    for (const name of ['a room', 'a token', 'an account'])
      expect([name, await outcomeOf(changes[name]?.(api.admin, tenant) ?? Promise.resolve())]).toEqual([name, 'done']);
    expect((await refusalOf(owner.deleteRoom({ params: params.room }))).code).toBe('subscription-not-usable');
  },
);

test('a renewal restores the access of users', async () => {
  api.clock.set(start);
  const tenant = await createTenant();
  const params = { subscription_id: tenant.subscription.id };
  await api.admin.updateSubscription({ params, body: { status: 'suspended' } });
  await api.admin.renewSubscription({ params, body: { renew: true } });
  const owner = await signIn(tenant.customer.email);
  for (const [name, change] of Object.entries(changes))
    expect([name, await outcomeOf(change(owner, tenant))]).toEqual([name, 'done']);
});

test('a caller without access gets a 404, also when the subscription is suspended', async () => {
  api.clock.set(start);
  const tenant = await createTenant();
  await api.admin.updateSubscription({
    params: { subscription_id: tenant.subscription.id },
    body: { status: 'suspended' },
  });
  const stranger = await signIn((await makeCustomer(api)).email);
  expect(await outcomeOf(changes['a room']?.(stranger, tenant) ?? Promise.resolve())).toBe('404 not-found');
});
