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

const allowed = 'allowed';

/** `allowed`, or the status and code of the error. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    await call;
    return allowed;
  } catch (error) {
    if (error instanceof FoyerError) return `${error.status} ${error.code}`;
    throw error;
  }
}

const makeUserBody = () => ({ email: `${unique('new')}@example.com`, first_name: 'New', last_name: 'Body', password });

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

function isRunning({ room }: Fixture): boolean {
  return sandbox.control.state().meetings.some(({ meetingID, running }) => running && meetingID === room.uuid);
}

interface Effect {
  readonly act: (fixture: Fixture, admin: Client) => Promise<unknown>;
  /** The result while the account or the user is inactive. */
  readonly inactive: string;
}

describe('with an inactive account,', () => {
  let active: Fixture;
  let inactive: Fixture;

  const effects: Readonly<Record<string, Effect>> = {
    'a user signs in': {
      act: ({ customer }) => api.anyone.loginUser({ body: { username: customer.email, password } }),
      inactive: allowed,
    },
    'a user reads the account': {
      act: ({ user, account }) => user.readAccount({ params: { account_id: account.id } }),
      inactive: allowed,
    },
    'a user reads a room': { act: ({ user, params }) => user.readRoom({ params }), inactive: allowed },
    'an administrator reads the account': {
      act: ({ account }, admin) => admin.readAccount({ params: { account_id: account.id } }),
      inactive: allowed,
    },
    'an administrator updates the account': {
      act: ({ account }, admin) =>
        admin.updateAccount({ params: { account_id: account.id }, body: { account_name: 'Renamed' } }),
      inactive: allowed,
    },
    'an administrator updates a room': {
      act: ({ params }, admin) => admin.updateRoom({ params, body: { room_name: 'Renamed' } }),
      inactive: allowed,
    },
    'an administrator creates a room': {
      act: ({ account }, admin) => admin.createRoom({ body: { room_name: 'New', account_id: account.id } }),
      inactive: '409 account-not-active',
    },
    'a user creates a room': {
      act: ({ account, user }) => user.createRoom({ body: { room_name: 'New', account_id: account.id } }),
      inactive: '409 account-not-active',
    },
    'an administrator creates another account in the subscription': {
      act: ({ subscription }, admin) =>
        admin.createAccount({ body: { account_name: 'Other', subscription_id: subscription.id } }),
      inactive: allowed,
    },
    'an administrator adds a user': {
      act: ({ account }, admin) =>
        admin.createAccountUser({ params: { account_id: account.id }, body: makeUserBody() }),
      inactive: allowed,
    },
    'an administrator creates a room token': {
      act: ({ params }, admin) => admin.createRoomToken({ params, body: { role: 'attendee' } }),
      inactive: allowed,
    },
    'a participant joins a room with a token': {
      act: ({ params, token }) => api.anyone.joinRoom({ params, body: { name: 'Anna', token } }),
      inactive: '403 account-not-usable',
    },
    'a guest joins a public room': {
      act: ({ params }) => api.anyone.joinRoom({ params, body: { name: 'Guest' } }),
      inactive: '403 account-not-usable',
    },
    'an administrator joins a room': {
      act: ({ params }, admin) => admin.joinRoom({ params, body: { name: 'Support', role: 'moderator' } }),
      inactive: '403 account-not-usable',
    },
    'an administrator renews the subscription': {
      act: ({ subscription }, admin) =>
        admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } }),
      inactive: allowed,
    },
  };

  beforeAll(async () => {
    active = await makeFixture();
    inactive = await makeFixture();
    const params = { account_id: inactive.account.id };
    await api.admin.updateAccount({ params, body: { status: 'inactive' } });
  });

  test.each(Object.entries(effects).map(([name, effect]) => [name, effect.inactive, effect] as const))(
    '%s: %s',
    async (_name, _inactive, effect) => {
      expect(await outcomeOf(effect.act(active, api.admin))).toBe(allowed);
      expect(await outcomeOf(effect.act(inactive, api.admin))).toBe(effect.inactive);
    },
  );

  test('its meetings end after the grace period, the account counts towards the limit, and everything is allowed after reactivation', async () => {
    const params = { subscription_id: inactive.subscription.id };
    expect([isRunning(active), isRunning(inactive)]).toEqual([true, true]);
    api.clock.advance({ minutes: 16 });
    await runJob(api.app.dependencies, 'end-meetings');
    expect([isRunning(active), isRunning(inactive)]).toEqual([true, false]);
    const { data } = await api.admin.readSubscriptionUsage({ params, query: { limit: 0 } });
    expect(data.find(({ tag }) => tag === 'max_accounts')?.usage.data.used).toBe(2);
    await api.admin.updateAccount({ params: { account_id: inactive.account.id }, body: { status: 'active' } });
    for (const [name, effect] of Object.entries(effects))
      expect([name, await outcomeOf(effect.act(inactive, api.admin))]).toEqual([name, allowed]);
  });
});

describe('with an inactive user,', () => {
  let inactive: Fixture;
  let active: Fixture;
  let personalTokens: { inactive: string; active: string };

  const refusedToken = '401 unauthenticated';
  const effects: Readonly<Record<string, Effect>> = {
    'the user signs in': {
      act: ({ customer }) => api.anyone.loginUser({ body: { username: customer.email, password } }),
      inactive: '422 wrong-credentials',
    },
    'an existing access token reads a room': {
      act: ({ user, params }) => user.readRoom({ params }),
      inactive: refusedToken,
    },
    'an existing access token reads its own user': {
      act: ({ user }) => user.readCallingUser(),
      inactive: refusedToken,
    },
    'an existing access token updates a room': {
      act: ({ user, params }) => user.updateRoom({ params, body: { room_name: 'Renamed' } }),
      inactive: refusedToken,
    },
    'an existing personal token reads a room': {
      act: ({ params }) => {
        const token = params.room_id === active.room.id ? personalTokens.active : personalTokens.inactive;
        return api.clientWith(token).readRoom({ params });
      },
      inactive: refusedToken,
    },
    'an administrator finds the user': {
      act: async ({ customer }, admin) => {
        const { data } = await admin.listUsers({ query: { search: `email:${customer.email}` } });
        expect(data).toHaveLength(1);
      },
      inactive: allowed,
    },
    'an administrator creates a room of the customer, and the user owns it': {
      act: async ({ account, customer }, admin) => {
        const body = { room_name: 'New', account_id: account.id };
        const { data: room } = await admin.createRoom({ body });
        const { data } = await admin.readRoom({ params: { room_id: room.id }, query: { include: 'owner' } });
        expect(data).toMatchObject({ owner: { data: { email: customer.email } } });
      },
      inactive: allowed,
    },
    'a participant joins a room of the customer': {
      act: ({ params, token }) => api.anyone.joinRoom({ params, body: { name: 'Anna', token } }),
      inactive: allowed,
    },
    'another user of the customer signs in and reads a room': {
      act: async ({ customer, params }, admin) => {
        const body = { ...makeUserBody(), permissions: ['read-customer', 'read-account', 'read-room'] as const };
        await admin.createCustomerUser({
          params: { customer_id: customer.id },
          body: { ...body, permissions: [...body.permissions] },
        });
        const session = await api.anyone.loginUser({ body: { username: body.email, password } });
        await api.clientWith(session.access_token).readRoom({ params });
      },
      inactive: allowed,
    },
  };

  beforeAll(async () => {
    active = await makeFixture();
    inactive = await makeFixture();
    const createPersonalToken = async ({ user }: Fixture) =>
      (await user.createPersonalAccessToken({ body: { name: 'Script', scopes: ['*'] } })).data.token ?? '';
    personalTokens = { active: await createPersonalToken(active), inactive: await createPersonalToken(inactive) };
    await setStatus('inactive');
  });

  async function setStatus(status: 'active' | 'inactive') {
    const { data } = await api.admin.listUsers({ query: { search: `email:${inactive.customer.email}` } });
    await api.admin.updateUser({ params: { user_id: data[0]?.id ?? '' }, body: { status } });
  }

  test.each(Object.entries(effects).map(([name, effect]) => [name, effect.inactive, effect] as const))(
    '%s: %s',
    async (_name, _inactive, effect) => {
      expect(await outcomeOf(effect.act(active, api.admin))).toBe(allowed);
      expect(await outcomeOf(effect.act(inactive, api.admin))).toBe(effect.inactive);
    },
  );

  test('meetings in rooms of the customer continue, and after reactivation the user has to sign in again', async () => {
    api.clock.advance({ minutes: 16 });
    await runJob(api.app.dependencies, 'end-meetings');
    expect(isRunning(inactive)).toBe(true);
    await setStatus('active');
    expect(await outcomeOf(inactive.user.readRoom({ params: inactive.params }))).toBe(refusedToken);
    const session = await api.anyone.loginUser({ body: { username: inactive.customer.email, password } });
    expect(await outcomeOf(api.clientWith(session.access_token).readRoom({ params: inactive.params }))).toBe(allowed);
  });
});
