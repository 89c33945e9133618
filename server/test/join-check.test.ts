import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Sandbox } from '@foyer/sandbox';
import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import {
  makeCustomer,
  makePackage,
  makeProvider,
  makeRoom,
  openSandbox,
  refusalOf,
  soldFeatures,
  unique,
} from './factories.ts';

let api: TestApi;
let sandbox: Sandbox;
let provider: string;
const password = 'a long enough password';

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
  provider = (await makeProvider(api, sandbox)).id;
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

type Options = { features?: Record<string, string>; room?: Record<string, unknown>; provider?: string };

async function createTestRoom({ features = {}, ...options }: Options = {}) {
  const fixture = await makeRoom(api, { provider, features: { ...soldFeatures, ...features }, ...options });
  return { ...fixture, params: { room_id: fixture.room.id } };
}

type Room = Awaited<ReturnType<typeof createTestRoom>>;
type TokenBody = Parameters<TestApi['admin']['createRoomToken']>[0]['body'];
type CheckBody = Parameters<TestApi['admin']['checkRoomEntry']>[0]['body'];

async function createTestToken({ params }: Pick<Room, 'params'>, options: Partial<TokenBody> = {}) {
  return (await api.admin.createRoomToken({ params, body: { role: 'moderator', ...options } })).data;
}

async function check({ params }: Pick<Room, 'params'>, body: CheckBody, client: Client = api.admin) {
  return (await client.checkRoomEntry({ params, body })).data;
}

async function factsOf(
  room: Pick<Room, 'params'>,
  code: EntryRefusal | 'provider-unavailable',
  body: CheckBody,
  client?: Client,
) {
  const { reasons } = await check(room, body, client);
  return (
    reasons.find((reason) => reason.code === code)?.facts ??
    expect.fail(`${code} is not among ${reasons.map((reason) => reason.code).join()}`)
  );
}

async function join({ params }: Pick<Room, 'params'>, token: string) {
  return (await api.anyone.joinRoom({ params, body: { token, name: 'Anna' } })).data;
}

async function signInUser(email: string) {
  return api.clientWith((await api.anyone.loginUser({ body: { username: email, password } })).access_token);
}

/** Creates a user of the room's customer with these rights, and signs in. */
async function createTestPerson({ customer }: Pick<Room, 'customer'>, permissions: string[]) {
  const email = `${unique('person')}@example.com`;
  await api.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { email, first_name: 'Grace', last_name: 'Hopper', password, permissions: permissions as never },
  });
  return await signInUser(email);
}

describe('an entry check shows why a participant cannot join:', () => {
  test('the room, the account, the customer and the subscription, with their states and dates', async () => {
    const room = await createTestRoom();
    const { token } = await createTestToken(room);
    const { admin } = api;
    await admin.updateRoom({ params: room.params, body: { status: 'inactive' } });
    await admin.updateAccount({ params: { account_id: room.account.id }, body: { status: 'inactive' } });
    await admin.updateSubscription({
      params: { subscription_id: room.subscription.id },
      body: { starts_at: '2026-02-01', ends_at: '2026-03-05', grace_period: 2, grace_interval: 'day' },
    });
    await admin.updateCustomer({ params: { customer_id: room.customer.id }, body: { status: 'inactive' } });
    const { allowed, reasons } = await check(room, { token });
    expect(allowed).toBe(false);
    const facts = Object.fromEntries(reasons.map((reason) => [reason.code, reason.facts]));
    expect(facts).toMatchObject({
      'room-inactive': [{ subject: { type: 'Room', id: room.room.id, name: room.room.room_name, status: 'inactive' } }],
      'customer-not-usable': [
        { message: "The room's customer is inactive.", subject: { type: 'Customer', id: room.customer.id } },
      ],
      'account-not-usable': [{ subject: { type: 'Account', id: room.account.id, status: 'inactive' } }],
      'entry-subscription-not-usable': [
        {
          message: expect.stringContaining('its last day of use was 2026-03-07') as string,
          subject: { type: 'ServicePackageSubscription', id: room.subscription.id },
          since: '2026-03-07T00:00:00.000000Z',
        },
      ],
    });
  });

  test('a customer or subscription above that of the room, without id and name for users of the room', async () => {
    const packageId = (await makePackage(api, { provider, features: soldFeatures })).id;
    const reseller = await makeCustomer(api, { email: `${unique('boss')}@example.com`, is_reseller: true, password });
    const { data: resellerSubscription } = await api.admin.createSubscription({
      body: { package_id: packageId, subscriber_id: reseller.id, name: 'Wholesale' },
    });
    const email = `${unique('child')}@example.com`;
    const child = await makeCustomer(api, { email, parent_customer_id: reseller.id, password });
    const resellerOwner = await signInUser(reseller.email);
    const { data: resoldSubscription } = await resellerOwner.createSubscription({
      body: {
        package_id: packageId,
        subscriber_id: child.id,
        features: { max_rooms: 2, max_accounts: 2, guest_access: true },
      },
    });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: 'Below', subscription_id: resoldSubscription.id },
    });
    const { data: newRoom } = await api.admin.createRoom({ body: { room_name: 'Below', account_id: account.id } });
    const room = { params: { room_id: newRoom.id } };
    const owner = await signInUser(email);
    await api.admin.updateSubscription({
      params: { subscription_id: resellerSubscription.id },
      body: { status: 'suspended' },
    });
    const body = { role: 'moderator' } as const;
    const [visible] = await factsOf(room, 'entry-subscription-not-usable', body);
    expect(visible?.subject).toMatchObject({ id: resellerSubscription.id, name: 'Wholesale', status: 'suspended' });
    const [hidden] = await factsOf(room, 'entry-subscription-not-usable', {}, owner);
    expect(hidden).toMatchObject({
      message: "The reseller's subscription is suspended.",
      subject: { type: 'ServicePackageSubscription', id: null, name: null, status: 'suspended' },
    });
    const [forReseller] = await factsOf(room, 'entry-subscription-not-usable', {}, resellerOwner);
    expect(forReseller?.subject).toMatchObject({ id: resellerSubscription.id, name: 'Wholesale' });
  });

  test('the token: when it becomes valid, when it expired, how often it was used, and its user', async () => {
    const room = await createTestRoom();
    const { data: users } = await api.admin.listCustomerUsers({ params: { customer_id: room.customer.id } });
    const userId = users[0]?.user_id ?? '';
    const earlyToken = await createTestToken(room, { not_before: '2026-04-01', name: 'Exam' });
    expect(await factsOf(room, 'token-not-yet-valid', { token: earlyToken.token })).toMatchObject([
      { subject: { type: 'RoomToken', id: earlyToken.id, name: 'Exam' }, until: '2026-04-01T00:00:00.000000Z' },
    ]);
    const expiredToken = await createTestToken(room, { expires_at: '2026-02-01' });
    expect(await factsOf(room, 'token-expired', { token: expiredToken.token })).toMatchObject([
      { subject: { id: expiredToken.id }, since: '2026-02-01T00:00:00.000000Z' },
    ]);
    const singleUseToken = await createTestToken(room, { max_uses: 1 });
    await join(room, singleUseToken.token);
    expect(await factsOf(room, 'token-used-up', { token: singleUseToken.token })).toMatchObject([
      { subject: { id: singleUseToken.id }, limit: 1, used: 1, since: expect.stringContaining('2026-03-10') as string },
    ]);
    const personalToken = await createTestToken(room, { user_id: userId });
    expect(await factsOf(room, 'token-of-another-user', { token: personalToken.token })).toMatchObject([
      { subject: { type: 'User', id: userId, name: 'Ada Lovelace' } },
    ]);
    expect(await check(room, { token: personalToken.token, user_id: userId })).toMatchObject({
      allowed: true,
      would_use: { token_id: personalToken.id },
    });
    expect((await api.admin.readRoomToken({ params: { ...room.params, token_id: personalToken.id } })).data.uses).toBe(
      0,
    );
    const unknownUser = { token: personalToken.token, user_id: 'user_01jd0000000000000000000000' };
    expect((await refusalOf(check(room, unknownUser))).errors).toHaveProperty('user_id');
  });

  test('the other room to which a token belongs, only for callers who may read that room', async () => {
    const [room, other] = [await createTestRoom(), await createTestRoom()];
    const { token } = await createTestToken(other);
    expect(await factsOf(room, 'token-unknown', { token })).toMatchObject([
      { message: 'The token belongs to another room.', subject: { type: 'Room', id: other.room.id } },
    ]);
    const person = await createTestPerson(room, ['read-customer', 'read-account', 'read-room']);
    expect(await factsOf(room, 'token-unknown', { token }, person)).toMatchObject([{ subject: null }]);
    expect(await factsOf(room, 'token-required', {})).toMatchObject([{ subject: { id: room.room.id } }]);
  });

  test('the access codes of the room, only for callers who may read them', async () => {
    const room = await createTestRoom();
    const { token } = await createTestToken(room);
    const { data: expiredCode } = await api.admin.createRoomAccessCode({
      params: room.params,
      body: { role: 'moderator', code: 'OLD-ONE', expires_at: '2026-03-01' },
    });
    const { data: attendeeCode } = await api.admin.createRoomAccessCode({
      params: room.params,
      body: { role: 'attendee', code: 'FOR-ALL' },
    });
    const person = await createTestPerson(room, ['read-customer', 'read-account', 'read-room']);
    expect(await factsOf(room, 'access-code-required', { token })).toMatchObject([
      { message: 'The role moderator is protected by 1 access code (1 expired).' },
    ]);
    expect(await factsOf(room, 'access-code-wrong', { token, access_code: 'old-one' })).toMatchObject([
      { subject: { type: 'RoomAccessCode', id: expiredCode.id }, since: '2026-03-01T00:00:00.000000Z' },
    ]);
    expect(await factsOf(room, 'access-code-wrong', { token, access_code: 'nonsense' })).toMatchObject([
      { message: 'The room does not have this access code.' },
      {},
    ]);
    expect(await factsOf(room, 'access-code-other-role', { token, access_code: 'for-all' })).toMatchObject([
      { subject: { id: attendeeCode.id } },
    ]);
    expect(await factsOf(room, 'access-code-wrong', { token, access_code: 'old-one' }, person)).toEqual([]);
    expect(JSON.stringify(await check(room, { token }))).not.toMatch(/OLD-ONE|FOR-ALL/);
  });

  test('the limit that is reached, how much of it is used, and until when', async () => {
    const room = await createTestRoom({
      features: { max_participants: '1', max_concurrent_participants: '1', participant_minutes: '0' },
    });
    const { data: features } = await api.admin.listSubscriptionFeatures({
      params: { subscription_id: room.subscription.id },
      query: { limit: 0 },
    });
    const minutes = features.find(({ tag }) => tag === 'participant_minutes');
    const set = (value: string) =>
      api.admin.updateSubscriptionFeature({
        params: { subscription_id: room.subscription.id, feature_id: minutes?.id ?? '' },
        body: { value },
      });
    await set('100');
    const { token } = await createTestToken(room);
    await join(room, token);
    await set('0');
    expect(await factsOf(room, 'participant-minutes-used-up', { token })).toMatchObject([
      {
        subject: { type: 'ServicePackageSubscription', id: room.subscription.id },
        feature: 'participant_minutes',
        limit: 0,
        used: 0,
      },
    ]);
    expect(await factsOf(room, 'room-full', { token })).toMatchObject([
      { feature: 'max_participants', limit: 1, used: 1, subject: { id: room.subscription.id } },
    ]);
    expect(await factsOf(room, 'concurrent-participants-reached', { token })).toMatchObject([
      { feature: 'max_concurrent_participants', limit: 1, used: 1 },
    ]);
    await api.admin.updateRoom({ params: room.params, body: { room_features: { max_participants: 0 } } });
    expect(await factsOf(room, 'limit-is-zero', { token })).toMatchObject([
      { feature: 'max_participants', limit: 0, subject: { type: 'Room', id: room.room.id } },
    ]);
  });

  test('why guests are rejected, and why participants must wait', async () => {
    const withoutFeature = await createTestRoom({ room: { is_public: true }, features: { guest_access: 'false' } });
    expect(await factsOf(withoutFeature, 'guest-access-off', {})).toMatchObject([
      { subject: { id: withoutFeature.subscription.id } },
    ]);
    const withoutGuestAccess = await createTestRoom({
      room: { is_public: true, room_features: { guest_access: false } },
    });
    expect(await factsOf(withoutGuestAccess, 'guest-access-off', {})).toMatchObject([
      { subject: { id: withoutGuestAccess.room.id } },
    ]);
    const denied = await createTestRoom({ room: { is_public: true, room_settings: { guest_policy: 'always_deny' } } });
    expect(await factsOf(denied, 'guest-access-off', {})).toMatchObject([
      { message: expect.stringContaining('guest_policy') as string },
    ]);
    const waiting = await createTestRoom();
    const { token } = await createTestToken(waiting, { role: 'attendee' });
    expect(await factsOf(waiting, 'waiting-for-moderator', { token })).toMatchObject([
      { message: expect.stringContaining('anyone_can_start') as string },
    ]);
  });

  test('the provider, with its problem and the time; its name only for callers who may read it', async () => {
    const separateSandbox = await openSandbox();
    const provider = await makeProvider(api, separateSandbox);
    const room = await createTestRoom({ provider: provider.id });
    const { token } = await createTestToken(room);
    const person = await createTestPerson(room, ['read-customer', 'read-account', 'read-room']);
    const drain = (draining: boolean) =>
      api.admin.updateServiceProvider({ params: { service_provider_id: provider.id }, body: { draining } });
    await drain(true);
    expect(await factsOf(room, 'no-usable-provider', { token })).toMatchObject([
      { subject: { type: 'ServiceProvider', id: provider.id, name: provider.provider_name, status: 'draining' } },
    ]);
    expect(await factsOf(room, 'no-usable-provider', { token }, person)).toMatchObject([
      { subject: { type: 'ServiceProvider', id: null, name: null, status: 'draining' } },
    ]);
    await drain(false);
    await join(room, token);
    await separateSandbox.close();
    expect(await factsOf(room, 'provider-unavailable', { token })).toMatchObject([
      { message: expect.stringContaining('does not respond') as string, subject: { id: provider.id } },
    ]);
    const checkOfUser = await check(room, { token }, person);
    expect(JSON.stringify(checkOfUser)).not.toContain(provider.provider_name);
    expect(JSON.stringify(checkOfUser)).not.toContain(provider.id);
    const params = { subscription_id: room.subscription.id };
    const { data: attached } = await api.admin.listSubscriptionProviders({ params });
    await api.admin.updateSubscriptionProvider({
      params: { ...params, provider_id: attached[0]?.id ?? '' },
      body: { active: false },
    });
    const [meeting] = await factsOf(room, 'no-usable-provider', { token });
    expect(meeting).toMatchObject({ message: 'The provider is switched off for the subscription.' });
  });
});

test('a check returns the role, token, code, provider and limits of an entry', async () => {
  const room = await createTestRoom({ features: { max_participants: '7', participant_minutes: '90' } });
  const token = await createTestToken(room);
  const { data: code } = await api.admin.createRoomAccessCode({
    params: room.params,
    body: { role: 'moderator', code: 'open' },
  });
  const before = await check(room, { token: token.token, access_code: 'open' });
  expect(before).toMatchObject({
    allowed: true,
    role: 'moderator',
    reasons: [],
    would_use: {
      token_id: token.id,
      access_code_id: code.id,
      meeting_id: null,
      starts_meeting: true,
      may_be_recorded: true,
      not_recorded_by: null,
      providers: [{ id: provider, type: 'bigbluebutton' }],
    },
  });
  expect(before.would_use.limits).toEqual([
    { feature: 'max_participants', limit: 7, used: 0, until: null },
    { feature: 'max_concurrent_participants', limit: null, used: 0, until: null },
    { feature: 'max_concurrent_meetings', limit: null, used: 0, until: null },
    { feature: 'max_duration', limit: null, used: null, until: null },
    {
      feature: 'participant_minutes',
      limit: 90,
      used: 0,
      until: expect.toSatisfy((until) => until === null || typeof until === 'string'),
    },
  ]);
  await api.anyone.joinRoom({ params: room.params, body: { token: token.token, access_code: 'open', name: 'Anna' } });
  await api.admin.updateRoom({ params: room.params, body: { room_features: { recording: false } } });
  const after = await check(room, { token: token.token, access_code: 'open' });
  expect(after.would_use).toMatchObject({ may_be_recorded: false, not_recorded_by: 'recording' });
  expect(after.would_use).toMatchObject({
    starts_meeting: false,
    meeting_id: expect.stringMatching(/^meet_/),
  });
  expect(after.would_use.limits[0]).toMatchObject({ used: 1 });
});

test('checks by callers who may not read tokens and codes count as failed attempts, like joins', async () => {
  const limited = await startApi({ rateLimits: true });
  const { id: provider } = await makeProvider(limited, sandbox);
  const { room, customer } = await makeRoom(limited, { provider });
  const params = { room_id: room.id };
  const { data: token } = await limited.admin.createRoomToken({ params, body: { role: 'moderator' } });
  await limited.admin.createRoomAccessCode({ params, body: { role: 'moderator', code: 'RIGHT-1' } });
  await limited.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: {
      email: 'eve@example.com',
      first_name: 'Eve',
      last_name: 'Dropper',
      password,
      permissions: ['read-customer', 'read-account', 'read-room'],
    },
  });
  const { access_token: bearer } = await limited.anyone.loginUser({ body: { username: 'eve@example.com', password } });
  const eve = limited.clientWith(bearer);
  const guess = (client: Client, code: string) =>
    client.checkRoomEntry({ params, body: { token: token.token, access_code: code } });
  for (let attempt = 0; attempt < 10; attempt++) await guess(eve, `WRONG-${attempt}`);
  const refusal = await refusalOf(guess(eve, 'RIGHT-1'));
  expect([refusal.status, refusal.code]).toEqual([429, 'too-many-requests']);
  expect((await guess(limited.admin, 'RIGHT-1')).data.reasons.map(({ code }) => code)).toEqual([]);
  for (let attempt = 0; attempt < 12; attempt++) await guess(limited.admin, `WRONG-${attempt}`);
  await limited.close();
});

test('a check shows the meeting whose server is down, and explains that ending it frees the room', async () => {
  const separateSandbox = await openSandbox();
  const { id } = await makeProvider(api, separateSandbox);
  const room = await createTestRoom({ provider: id });
  const { token } = await createTestToken(room);
  await join(room, token);
  const { data: meetings } = await api.admin.listRoomMeetings({ params: room.params });
  separateSandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
  const expectedUse = { meeting_id: meetings[0]?.id, starts_meeting: false, providers: [{ id }], passed_over: [] };
  expect((await check(room, { token })).would_use).toMatchObject(expectedUse);
  expect(await factsOf(room, 'provider-unavailable', { token })).toMatchObject([
    { message: expect.stringContaining('Once it counts as down, you can end the meeting to free the room') as string },
  ]);
  for (let attempt = 0; attempt < 2; attempt++) {
    await api.admin.checkServiceProvider({ params: { service_provider_id: id } });
  }
  expect((await check(room, { token })).would_use).toMatchObject(expectedUse);
  expect(await factsOf(room, 'provider-unavailable', { token })).toMatchObject([
    { message: expect.stringMatching(/\. End the meeting to free the room at once\.$/) as string },
  ]);
  await separateSandbox.close();
});

test('a check names every provider that is passed over, with the reason', async () => {
  const otherSandbox = await openSandbox();
  const makeTestProvider = async (options: Record<string, unknown> = {}) => {
    const provider = await makeProvider(api, otherSandbox);
    await api.admin.updateServiceProvider({ params: { service_provider_id: provider.id }, body: options });
    return provider.id;
  };
  const first = await makeTestProvider({ draining: true });
  const room = await createTestRoom({ provider: first });
  const attach = async (service_provider_id: string, settings = {}, active = true) => {
    const { data: offered } = await api.admin.createServicePackageProvider({
      params: { service_package_id: room.servicePackage.id },
      body: { service_provider_id },
    });
    await api.admin.createSubscriptionProvider({
      params: { subscription_id: room.subscription.id },
      body: { package_provider_id: offered.id, settings, active },
    });
  };
  const unreachable = (await makeProvider(api)).id;
  const [full, untagged, switchedOff, unresponsive] = [
    await makeTestProvider({ max_meetings: 1 }),
    await makeTestProvider(),
    await makeTestProvider(),
    unreachable,
  ];
  const busy = await createTestRoom({ provider: full });
  await join(busy, (await createTestToken(busy)).token);
  await attach(full);
  await attach(untagged, { tags: ['eu'] });
  await attach(switchedOff, {}, false);
  await attach(unresponsive);
  const readPassedOver = async () =>
    new Map(
      (await check(room, { role: 'moderator' })).would_use.passed_over.map(({ id, ...details }) => [id, details]),
    );
  expect(await factsOf(room, 'provider-unavailable', { role: 'moderator' })).toMatchObject([
    { subject: { id: unresponsive } },
    { subject: { id: first }, message: expect.stringContaining('until an administrator') as string },
    { subject: { id: full } },
    { subject: { id: untagged } },
    { subject: { id: switchedOff } },
  ]);
  const healthy = await makeTestProvider();
  await attach(healthy);
  for (let attempt = 0; attempt < 2; attempt++) {
    await api.admin.checkServiceProvider({ params: { service_provider_id: unresponsive } });
  }
  const passedOver = await readPassedOver();
  expect(Object.fromEntries([...passedOver].map(([id, { reason }]) => [id, reason]))).toEqual({
    [first]: 'draining',
    [full]: 'full',
    [untagged]: 'tags-missing',
    [switchedOff]: 'off-here',
    [unresponsive]: 'down',
  });
  expect(passedOver.get(unresponsive)?.since).not.toBeNull();
  await otherSandbox.close();
});

test('a check reports that the next server does not respond, even if that was not detected before', async () => {
  const failingSandbox = await openSandbox();
  failingSandbox.control.injectFault({ kind: 'http-error', status: 503, times: null });
  const { id: provider } = await makeProvider(api, failingSandbox);
  const { room } = await makeRoom(api, { provider });
  const params = { room_id: room.id };
  const reasons = async () =>
    (await api.admin.checkRoomEntry({ params, body: { role: 'moderator' } })).data.reasons.map(({ code }) => code);
  expect(await reasons()).toEqual(['provider-unavailable']);
  failingSandbox.control.clearFaults();
  expect(await reasons()).toEqual([]);
  await failingSandbox.close();
});
