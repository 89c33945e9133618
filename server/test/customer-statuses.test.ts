import type { Sandbox } from '@foyer/sandbox';
import { type Client, FoyerError } from '@foyer/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, openSandbox, unique } from './factories.ts';
import { followJoinUrl } from './meeting-harness.ts';
import { runJob } from '../src/modules.ts';

const password = 'difference engine no. 2';
const start = '2026-03-10T12:00:00Z';

let api: TestApi;
let sandbox: Sandbox;

/** A customer with every kind of resource below it, a running meeting, and its owner signed in. */
type Fixture = Awaited<ReturnType<typeof makeFixture>>;

async function makeFixture(provider: string, isBelowReseller = false) {
  const { admin, anyone } = api;
  const reseller = isBelowReseller ? await makeCustomer(api, { is_reseller: true }) : null;
  const servicePackage = await makePackage(api, { provider });
  const origin = `https://${unique('pages')}.example.com`;
  const customer = await makeCustomer(api, {
    allowed_domains_origins: [origin],
    ...(reseller ? { parent_customer_id: reseller.id } : { is_reseller: true }),
  });
  const subscribe = async () =>
    (await admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } })).data;
  const subscription = await subscribe();
  const secondSubscription = await subscribe();
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Here', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({
    body: { room_name: 'Here', account_id: account.id, is_public: true, room_settings: { anyone_can_start: true } },
  });
  const params = { room_id: room.id };
  const { data: token } = await admin.createRoomToken({ params, body: { role: 'moderator' } });
  const { data: invitation } = await admin.createInvitation({
    params: { customer_id: customer.id },
    body: { email: `${unique('earlier')}@example.com` },
  });
  const invitationToken = new URL(invitation.url ?? '').pathname.split('/').at(-1) ?? '';
  const session = await anyone.loginUser({ body: { username: customer.email, password } });
  const fixture = {
    reseller,
    servicePackage,
    origin,
    customer,
    subscription,
    secondSubscription,
    account,
    room,
    token: token.token,
    invitationToken,
    user: api.clientWith(session.access_token),
  };
  await followJoinUrl(
    sandbox,
    (await anyone.joinRoom({ params, body: { name: 'Anna', token: token.token } })).data.url,
  );
  return fixture;
}

const states = ['active', 'suspended', 'inactive', 'terminated', 'below an inactive reseller'] as const;
type State = (typeof states)[number];

let fixtures: Readonly<Record<State, Fixture>>;

beforeAll(async () => {
  api = await startApi({ now: start });
  sandbox = await openSandbox();
  const provider = (await makeProvider(api, sandbox)).id;
  const fixtureByState: Partial<Record<State, Fixture>> = {};
  for (const state of states) {
    const fixture = await makeFixture(provider, state === 'below an inactive reseller');
    const customer_id = (fixture.reseller ?? fixture.customer).id;
    const status = fixture.reseller ? 'inactive' : (state as 'active');
    await api.admin.updateCustomer({ params: { customer_id }, body: { status } });
    fixtureByState[state] = fixture;
  }
  fixtures = fixtureByState as Record<State, Fixture>;
}, 60_000);

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

const done = 'done';

/** Returns the text that the call returns, `done` for any other result, or the status and code of the error. */
async function outcomeOf(call: Promise<unknown>): Promise<string> {
  try {
    const answer = await call;
    return typeof answer === 'string' ? answer : done;
  } catch (error) {
    if (error instanceof FoyerError) return `${error.status} ${error.code}`;
    throw error;
  }
}

const notActive = '409 customer-not-active';
const notFound = '404 not-found';

interface Effect {
  readonly act: (testFixture: Fixture, admin: Client) => Promise<unknown>;
  readonly active: string;
  readonly suspended: string;
  readonly inactive: string;
  /** Only if it differs from `inactive`. */
  readonly terminated?: string;
}

const makeUserBody = () => ({ email: `${unique('new')}@example.com`, first_name: 'New', last_name: 'Body', password });
const roomOf = ({ room }: Fixture) => ({ room_id: room.id });
const customerOf = ({ customer }: Fixture) => ({ customer_id: customer.id });
const subscriptionOf = ({ subscription }: Fixture) => ({ subscription_id: subscription.id });

/** Existing resources continue to work. */
const inEveryStatus = { active: done, suspended: done, inactive: done };
/** Users can sign in and use existing resources. */
const notIfInactive = { active: done, suspended: done, inactive: notFound };
const onlyIfActive = { active: done, suspended: notActive, inactive: notActive };

const effects: Readonly<Record<string, Effect>> = {
  'its users sign in': {
    act: ({ customer }) => api.anyone.loginUser({ body: { username: customer.email, password } }),
    active: done,
    suspended: done,
    inactive: '422 wrong-credentials',
  },
  'a token of its user reads the customer': {
    act: (fixture) => fixture.user.readCustomer({ params: customerOf(fixture) }),
    ...notIfInactive,
  },
  'a token of its user reads a room': {
    act: (fixture) => fixture.user.readRoom({ params: roomOf(fixture) }),
    ...notIfInactive,
  },
  'a token of its user changes a room': {
    act: (fixture) => fixture.user.updateRoom({ params: roomOf(fixture), body: { room_name: 'Renamed' } }),
    ...notIfInactive,
  },
  'a token of its user reads the user': {
    act: ({ user }) => user.readCallingUser(),
    ...inEveryStatus,
  },
  'administrators read it with everything below it': {
    act: async (fixture, admin) => {
      const query = { include: 'subscriptions,accounts,rooms,users,owner' };
      const { data } = await admin.readCustomer({ params: customerOf(fixture), query });
      expect(data).toMatchObject({ rooms: { data: [{ id: fixture.room.id }] } });
    },
    ...inEveryStatus,
  },
  'administrators change it': {
    act: (fixture, admin) => admin.updateCustomer({ params: customerOf(fixture), body: { external_id: 'crm-1' } }),
    ...inEveryStatus,
  },
  'an address is added to it': {
    act: (fixture, admin) =>
      admin.createCustomerAddress({
        params: customerOf(fixture),
        body: { address_type: 'BillingAddress', country: 'GB', city: 'London', address_line1: 'St James’s Square 12' },
      }),
    ...inEveryStatus,
  },
  'it is subscribed to a package': {
    act: ({ servicePackage, customer }, admin) =>
      admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } }),
    ...onlyIfActive,
  },
  'a subscription for it is previewed': {
    act: ({ servicePackage, customer }, admin) =>
      admin.previewNewSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } }),
    ...onlyIfActive,
  },
  'an account is created for it': {
    act: ({ subscription }, admin) =>
      admin.createAccount({ body: { account_name: 'New', subscription_id: subscription.id } }),
    ...onlyIfActive,
  },
  'a room is created for it': {
    act: ({ account }, admin) => admin.createRoom({ body: { room_name: 'New', account_id: account.id } }),
    ...onlyIfActive,
    terminated: '409 account-not-active',
  },
  'its user creates a room': {
    act: ({ account, user }) => user.createRoom({ body: { room_name: 'New', account_id: account.id } }),
    active: done,
    suspended: notActive,
    inactive: '422 validation-failed',
  },
  'a token is created for its room': {
    act: (fixture, admin) => admin.createRoomToken({ params: roomOf(fixture), body: { role: 'attendee' } }),
    ...inEveryStatus,
  },
  'an access code is set for its room': {
    act: (fixture, admin) => admin.createRoomAccessCode({ params: roomOf(fixture), body: { role: 'attendee' } }),
    ...inEveryStatus,
  },
  'a user is added to it': {
    act: (fixture, admin) => admin.createCustomerUser({ params: customerOf(fixture), body: makeUserBody() }),
    ...onlyIfActive,
  },
  'a user is added to its account': {
    act: ({ account }, admin) => admin.createAccountUser({ params: { account_id: account.id }, body: makeUserBody() }),
    ...onlyIfActive,
  },
  'a user is added to its room': {
    act: (fixture, admin) => admin.createRoomUser({ params: roomOf(fixture), body: makeUserBody() }),
    ...onlyIfActive,
  },
  'a person is invited to it': {
    act: (fixture, admin) =>
      admin.createInvitation({ params: customerOf(fixture), body: { email: `${unique('guest')}@example.com` } }),
    ...onlyIfActive,
  },
  'an earlier invitation to it is accepted': {
    act: ({ invitationToken }) =>
      api.anyone.acceptInvitation({
        body: { token: invitationToken, first_name: 'Ida', last_name: 'Rhodes', password },
      }),
    ...onlyIfActive,
  },
  'its subscription is renewed': {
    act: (fixture, admin) => admin.renewSubscription({ params: subscriptionOf(fixture), body: { renew: true } }),
    ...inEveryStatus,
    terminated: '409 subscription-inactive',
  },
  'its subscription is canceled': {
    act: async ({ secondSubscription }, admin) => {
      const params = { subscription_id: secondSubscription.id };
      const { data } = await admin.cancelSubscription({ params, body: { cancel: true } });
      expect(['canceled', 'inactive']).toContain(data.status);
    },
    ...inEveryStatus,
  },
  'a participant joins its room with a token': {
    act: (fixture) => api.anyone.joinRoom({ params: roomOf(fixture), body: { name: 'Anna', token: fixture.token } }),
    active: done,
    suspended: done,
    inactive: '403 customer-not-usable',
    terminated: '403 room-inactive',
  },
  'a guest joins its public room': {
    act: (fixture) => api.anyone.joinRoom({ params: roomOf(fixture), body: { name: 'Guest' } }),
    active: done,
    suspended: done,
    inactive: '403 customer-not-usable',
    terminated: '403 room-inactive',
  },
  'a guest joins on the page of its public room': {
    act: async ({ room }) => {
      const body = new URLSearchParams({ name: 'Guest' });
      const headers = { 'sec-fetch-site': 'same-origin' };
      const answer = await fetch(room.url, { method: 'POST', body, headers, redirect: 'manual' });
      return answer.status === 303 && !answer.headers.get('location')?.startsWith('/') ? done : `${answer.status}`;
    },
    active: done,
    suspended: done,
    inactive: '403',
  },
  'an administrator joins its room': {
    act: (fixture, admin) => admin.joinRoom({ params: roomOf(fixture), body: { name: 'Support', role: 'moderator' } }),
    active: done,
    suspended: done,
    inactive: '403 customer-not-usable',
    terminated: '403 room-inactive',
  },
  'pages of its origins read the API': {
    act: async ({ origin }) => {
      const answer = await fetch(`${api.url}/api/v1/rooms`, { headers: { origin } });
      return answer.headers.get('access-control-allow-origin') === origin ? done : 'no CORS header';
    },
    active: done,
    suspended: done,
    inactive: 'no CORS header',
  },
  'reports count it for administrators': {
    act: async ({ customer }, admin) => {
      const query = { customer_id: customer.id, from: '2026-03-01', to: '2026-03-31' };
      const { data } = await admin.readSubscriptionsReport({ query });
      expect(data.length).toBeGreaterThan(0);
    },
    ...inEveryStatus,
  },
};

describe.each(states)('a customer that is %s:', (state) => {
  const expectedOutcome = (effect: Effect): string => {
    if (state === 'below an inactive reseller') return effect.inactive;
    return state === 'terminated' ? (effect.terminated ?? effect.inactive) : effect[state];
  };

  test.each(Object.entries(effects))('%s', async (_, effect) => {
    expect(await outcomeOf(effect.act(fixtures[state], api.admin))).toBe(expectedOutcome(effect));
  });
});

test('meetings of inactive and terminated customers end after the grace period, and all other meetings continue', async () => {
  const areRunning = () =>
    states.map((state) =>
      sandbox.control
        .state()
        .meetings.some(({ meetingID, running: runs }) => runs && meetingID === fixtures[state].room.uuid),
    );
  expect(areRunning()).toEqual([true, true, true, true, true]);
  api.clock.advance({ minutes: 16 });
  await runJob(api.app.dependencies, 'end-meetings');
  expect(areRunning()).toEqual([true, true, false, false, false]);
});

test('everything works again after an inactive or suspended customer is reactivated', async () => {
  for (const state of ['suspended', 'inactive', 'below an inactive reseller'] as const) {
    const fixture = fixtures[state];
    const params = { customer_id: (fixture.reseller ?? fixture.customer).id };
    await api.admin.updateCustomer({ params, body: { status: 'active' } });
    for (const [name, effect] of Object.entries(effects)) {
      if (name === 'an earlier invitation to it is accepted' || name === 'an access code is set for its room') continue;
      expect([state, name, await outcomeOf(effect.act(fixture, api.admin))]).toEqual([state, name, effect.active]);
    }
  }
});

test('the ownership of a suspended customer can be transferred among its users', async () => {
  const customer = await makeCustomer(api);
  const params = { customer_id: customer.id };
  const { data: member } = await api.admin.createCustomerUser({ params, body: makeUserBody() });
  await api.admin.updateCustomer({ params, body: { status: 'suspended' } });
  const { data } = await api.admin.updateCustomerUser({
    params: { ...params, user_id: member.user_id },
    body: { owner: true },
  });
  expect(data.owner).toBe(true);
});

test('nothing below a terminated customer can be reactivated by any endpoint', async () => {
  const { admin } = api;
  const { subscription, account, room } = fixtures.terminated;
  const params = { subscription_id: subscription.id };
  const calls = [
    admin.updateSubscription({ params, body: { status: 'active' } }),
    admin.updateAccount({ params: { account_id: account.id }, body: { status: 'active' } }),
    admin.updateRoom({ params: { room_id: room.id }, body: { status: 'active' } }),
  ];
  expect(await Promise.all(calls.map(outcomeOf))).toEqual([notActive, notActive, notActive]);
  expect((await admin.updateSubscription({ params, body: { name: 'Ended' } })).data.status).toBe('inactive');
});

test('adding a user while the customer is being terminated either succeeds before the termination or is rejected', async () => {
  for (let round = 0; round < 3; round++) {
    const customer = await makeCustomer(api);
    const params = { customer_id: customer.id };
    const add = () => outcomeOf(api.admin.createCustomerUser({ params, body: makeUserBody() }));
    const [first, , ...others] = await Promise.all([
      add(),
      api.admin.updateCustomer({ params, body: { status: 'terminated' } }),
      add(),
      add(),
    ]);
    const outcomes = [first, ...others];
    expect(outcomes.every((outcome) => outcome === done || outcome === notActive)).toBe(true);
    const { data } = await api.admin.listCustomerUsers({ params });
    expect(data).toHaveLength(1 + outcomes.filter((outcome) => outcome === done).length);
    expect(await add()).toBe(notActive);
  }
});
