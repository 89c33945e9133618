import type { Client } from '@foyer/sdk';
import { FoyerError } from '@foyer/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, openSandbox, soldFeatures, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

const password = 'difference engine no. 2';

let api: TestApi;
let sandbox: Awaited<ReturnType<typeof openSandbox>>;
let provider: string;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

const done = 'done';

/** `done`, or the status and code of the error. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return done;
  } catch (error) {
    if (error instanceof FoyerError) return `${error.status} ${error.code}`;
    throw error;
  }
}

const person = () => ({ email: `${unique('new')}@example.com`, first_name: 'New', last_name: 'Body', password });

async function makeFixture() {
  const features = { ...soldFeatures, allow_create_account: 'true' };
  const room = { is_public: true, room_settings: { anyone_can_start: true } };
  const fixture = await makeRoom(api, { provider, features, room });
  const params = { room_id: fixture.room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'moderator' } });
  const session = await api.anyone.loginUser({ body: { username: fixture.customer.email, password } });
  const { url } = (await api.anyone.joinRoom({ params, body: { name: 'Anna', token: token.token } })).data;
  const location = (await fetch(url, { redirect: 'manual' })).headers.get('location') ?? '';
  sandbox.control.joinUser({ sessionToken: new URL(location, url).searchParams.get('sessionToken') ?? '' });
  return { ...fixture, params, token: token.token, session, user: api.clientWith(session.access_token) };
}

type Fixture = Awaited<ReturnType<typeof makeFixture>>;

function runs({ room }: Fixture): boolean {
  return sandbox.control.state().meetings.some(({ meetingID, running }) => running && meetingID === room.uuid);
}

interface Effect {
  readonly act: (fixture: Fixture, admin: Client) => Promise<unknown>;
  /** The result while the account or the user is inactive. */
  readonly inactive: string;
}

describe('an inactive account:', () => {
  let active: Fixture;
  let inactive: Fixture;

  const effects: Readonly<Record<string, Effect>> = {
    'its users sign in': {
      act: ({ customer }) => api.anyone.loginUser({ body: { username: customer.email, password } }),
      inactive: done,
    },
    'its users read it': {
      act: ({ user, account }) => user.readAccount({ params: { account_id: account.id } }),
      inactive: done,
    },
    'its users read its rooms': { act: ({ user, params }) => user.readRoom({ params }), inactive: done },
    'administrators read it': {
      act: ({ account }, admin) => admin.readAccount({ params: { account_id: account.id } }),
      inactive: done,
    },
    'it changes': {
      act: ({ account }, admin) =>
        admin.updateAccount({ params: { account_id: account.id }, body: { account_name: 'Renamed' } }),
      inactive: done,
    },
    'its rooms change': {
      act: ({ params }, admin) => admin.updateRoom({ params, body: { room_name: 'Renamed' } }),
      inactive: done,
    },
    'a room is opened in it': {
      act: ({ account }, admin) => admin.createRoom({ body: { room_name: 'New', account_id: account.id } }),
      inactive: '409 account-not-active',
    },
    'its user opens a room in it': {
      act: ({ account, user }) => user.createRoom({ body: { room_name: 'New', account_id: account.id } }),
      inactive: '409 account-not-active',
    },
    'another account is opened in its subscription': {
      act: ({ subscription }, admin) =>
        admin.createAccount({ body: { account_name: 'Other', subscription_id: subscription.id } }),
      inactive: done,
    },
    'a user is added to it': {
      act: ({ account }, admin) => admin.createAccountUser({ params: { account_id: account.id }, body: person() }),
      inactive: done,
    },
    'a token is made for its room': {
      act: ({ params }, admin) => admin.createRoomToken({ params, body: { role: 'attendee' } }),
      inactive: done,
    },
    'its room is entered with a token': {
      act: ({ params, token }) => api.anyone.joinRoom({ params, body: { name: 'Anna', token } }),
      inactive: '403 account-not-usable',
    },
    'its public room is entered by a guest': {
      act: ({ params }) => api.anyone.joinRoom({ params, body: { name: 'Guest' } }),
      inactive: '403 account-not-usable',
    },
    'its room is entered by staff': {
      act: ({ params }, admin) => admin.joinRoom({ params, body: { name: 'Support', role: 'moderator' } }),
      inactive: '403 account-not-usable',
    },
    'its subscription is renewed': {
      act: ({ subscription }, admin) =>
        admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } }),
      inactive: done,
    },
  };

  beforeAll(async () => {
    active = await makeFixture();
    inactive = await makeFixture();
    const params = { account_id: inactive.account.id };
    await api.admin.updateAccount({ params, body: { status: 'inactive' } });
  });

  test.each(Object.entries(effects))('%s', async (_, effect) => {
    expect(await outcomeOf(effect.act(active, api.admin))).toBe(done);
    expect(await outcomeOf(effect.act(inactive, api.admin))).toBe(effect.inactive);
  });

  test('its meetings end after the grace period, it still counts against the limit, and is restored completely', async () => {
    const params = { subscription_id: inactive.subscription.id };
    expect([runs(active), runs(inactive)]).toEqual([true, true]);
    api.clock.advance({ minutes: 16 });
    await runJob(api.app.dependencies, 'end-meetings');
    expect([runs(active), runs(inactive)]).toEqual([true, false]);
    const { data } = await api.admin.readSubscriptionUsage({ params, query: { limit: 0 } });
    expect(data.find(({ tag }) => tag === 'max_accounts')?.usage.data.used).toBe(2);
    await api.admin.updateAccount({ params: { account_id: inactive.account.id }, body: { status: 'active' } });
    for (const [name, effect] of Object.entries(effects))
      expect([name, await outcomeOf(effect.act(inactive, api.admin))]).toEqual([name, done]);
  });
});

describe('an inactive user:', () => {
  let inactive: Fixture;
  let active: Fixture;
  let earlier: { inactive: string; active: string };

  const refusedToken = '401 unauthenticated';
  const effects: Readonly<Record<string, Effect>> = {
    'it signs in': {
      act: ({ customer }) => api.anyone.loginUser({ body: { username: customer.email, password } }),
      inactive: '422 wrong-credentials',
    },
    'a token that it has reads': { act: ({ user, params }) => user.readRoom({ params }), inactive: refusedToken },
    'a token that it has tells who it is': { act: ({ user }) => user.readCallingUser(), inactive: refusedToken },
    'a token that it has writes': {
      act: ({ user, params }) => user.updateRoom({ params, body: { room_name: 'Renamed' } }),
      inactive: refusedToken,
    },
    'a personal token that it has reads': {
      act: ({ params }) => {
        const token = params.room_id === active.room.id ? earlier.active : earlier.inactive;
        return api.clientWith(token).readRoom({ params });
      },
      inactive: refusedToken,
    },
    'administrators read it': {
      act: async ({ customer }, admin) => {
        const { data } = await admin.listUsers({ query: { search: `email:${customer.email}` } });
        expect(data).toHaveLength(1);
      },
      inactive: done,
    },
    'rooms are opened for its customer, and it owns them': {
      act: async ({ account, customer }, admin) => {
        const body = { room_name: 'New', account_id: account.id };
        const { data: room } = await admin.createRoom({ body });
        const { data } = await admin.readRoom({ params: { room_id: room.id }, query: { include: 'owner' } });
        expect(data).toMatchObject({ owner: { data: { email: customer.email } } });
      },
      inactive: done,
    },
    'rooms of its customer are entered': {
      act: ({ params, token }) => api.anyone.joinRoom({ params, body: { name: 'Anna', token } }),
      inactive: done,
    },
    'another user of its customer works on': {
      act: async ({ customer, params }, admin) => {
        const body = { ...person(), permissions: ['read-customer', 'read-account', 'read-room'] as const };
        await admin.createCustomerUser({
          params: { customer_id: customer.id },
          body: { ...body, permissions: [...body.permissions] },
        });
        const session = await api.anyone.loginUser({ body: { username: body.email, password } });
        await api.clientWith(session.access_token).readRoom({ params });
      },
      inactive: done,
    },
  };

  beforeAll(async () => {
    active = await makeFixture();
    inactive = await makeFixture();
    const personal = async ({ user }: Fixture) =>
      (await user.createPersonalAccessToken({ body: { name: 'Script', scopes: ['*'] } })).data.token ?? '';
    earlier = { active: await personal(active), inactive: await personal(inactive) };
    await setStatus('inactive');
  });

  async function setStatus(status: 'active' | 'inactive') {
    const { data } = await api.admin.listUsers({ query: { search: `email:${inactive.customer.email}` } });
    await api.admin.updateUser({ params: { user_id: data[0]?.id ?? '' }, body: { status } });
  }

  test.each(Object.entries(effects))('%s', async (_, effect) => {
    expect(await outcomeOf(effect.act(active, api.admin))).toBe(done);
    expect(await outcomeOf(effect.act(inactive, api.admin))).toBe(effect.inactive);
  });

  test('meetings of its rooms continue; after reactivation it has to sign in again', async () => {
    api.clock.advance({ minutes: 16 });
    await runJob(api.app.dependencies, 'end-meetings');
    expect(runs(inactive)).toBe(true);
    await setStatus('active');
    expect(await outcomeOf(inactive.user.readRoom({ params: inactive.params }))).toBe(refusedToken);
    const session = await api.anyone.loginUser({ body: { username: inactive.customer.email, password } });
    expect(await outcomeOf(api.clientWith(session.access_token).readRoom({ params: inactive.params }))).toBe(done);
  });
});
