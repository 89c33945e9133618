import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { errorCodes } from '@foyer/contract/conventions/error-codes.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import { type EntryRefusal, entryRefusals } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { system } from '../src/events/change.ts';
import { findMeeting } from '../src/modules/meetings/index.ts';
import { refusalSentences } from '../src/modules/room-access/refusals.ts';
import { releaseSlot } from '../src/modules/room-access/reserve-slot.ts';
import { parseIdentifier, printIdentifier } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { pageVisitor } from './page-visitor.ts';
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
import { runJob } from '../src/modules.ts';

let api: TestApi;
let sandbox: Sandbox;
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

type Options = { features?: Record<string, string>; room?: Record<string, unknown>; provider?: string };

/** Creates a room whose meetings run on the sandbox. */
async function createTestRoom({ features = {}, ...options }: Options = {}) {
  const fixture = await makeRoom(api, { provider, features: { ...soldFeatures, ...features }, ...options });
  return { ...fixture, params: { room_id: fixture.room.id } };
}

type RoomFixture = Awaited<ReturnType<typeof createTestRoom>>;

async function createSecondRoom({ account }: Pick<RoomFixture, 'account'>) {
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Another', account_id: account.id } });
  return { room, params: { room_id: room.id } };
}

async function createTestToken(
  { params }: Pick<RoomFixture, 'params'>,
  role: RoomRole,
  expiresAt: string | null = null,
) {
  return (await api.admin.createRoomToken({ params, body: { role, expires_at: expiresAt } })).data.token;
}

async function createTokenWithOptions(
  { params }: Pick<RoomFixture, 'params'>,
  options: Record<string, string | number>,
) {
  return (await api.admin.createRoomToken({ params, body: { role: 'moderator', ...options } })).data.token;
}

async function join({ params }: Pick<RoomFixture, 'params'>, body: Record<string, string>, node = api) {
  return (await node.anyone.joinRoom({ params, body: { name: 'Anna', ...body } })).data;
}

/** Follows the join URL like a browser. */
async function followJoinUrl(url: string) {
  const answer = await fetch(url, { redirect: 'manual' });
  const location = answer.headers.get('location') ?? '';
  const sessionToken = new URL(location, url).searchParams.get('sessionToken');
  if (sessionToken === null) throw new Error(`the meeting refused the join: ${location}`);
  return sandbox.control.joinUser({ sessionToken });
}

function uuidOf(room: { id: string }): string {
  return parseIdentifier('room', room.id) ?? '';
}

function meetingOf(room: { id: string }, host: Sandbox = sandbox) {
  return host.control.state().meetings.findLast(({ meetingID }) => meetingID === uuidOf(room));
}

async function entriesOf(room: { id: string }) {
  return await api.app.dependencies.db
    .selectFrom('room_entries')
    .selectAll()
    .where('room_id', '=', uuidOf(room))
    .where('left_at', 'is', null)
    .execute();
}

async function meetingsOf(room: { id: string }) {
  return await api.app.dependencies.db
    .selectFrom('meetings')
    .selectAll()
    .where('room_id', '=', uuidOf(room))
    .orderBy('created_at')
    .execute();
}

async function eventsOf(resourceId: string) {
  const rows = await api.app.dependencies.db
    .selectFrom('events')
    .select(['name', 'sequence'])
    .where('resource_id', '=', resourceId)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name }) => name);
}

async function syncMeetings() {
  await runJob(api.app.dependencies, 'sync-meetings');
  await runJob(api.app.dependencies, 'end-meetings');
}

async function usageOf(subscription: { id: string }, tag: string) {
  const { data } = await api.admin.readSubscriptionUsage({
    params: { subscription_id: subscription.id },
    query: { limit: 0 },
  });
  return data.find((feature) => feature.tag === tag)?.usage.data.used;
}

/** Counts the successful joins, and the rejected ones by code. */
async function countOutcomes(joins: readonly Promise<unknown>[]): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const outcome of await Promise.allSettled(joins)) {
    const name =
      outcome.status === 'fulfilled'
        ? 'entered'
        : ((outcome.reason as { code?: string }).code ?? String(outcome.reason));
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

test('with a new provider, package, customer and room, a moderator can start a meeting, and status and usage show it', async () => {
  const { admin } = api;
  const { data: provider } = await admin.createServiceProvider({
    body: {
      provider_name: 'Main server',
      provider_type: 'bbb',
      properties: { host_url: sandbox.url, secret: sandbox.secret },
    },
  });
  const checked = await admin.checkServiceProvider({ params: { service_provider_id: provider.id } });
  expect(checked.data).toMatchObject({ reachable: true, secret_accepted: true, problem: null });
  const { data: servicePackage } = await admin.createServicePackage({ body: { name: 'Starter', price: 19.9 } });
  const packageParams = { service_package_id: servicePackage.id };
  for (const [tag, value] of Object.entries(soldFeatures)) {
    await admin.createServicePackageFeature({ params: packageParams, body: { tag, value } });
  }
  await admin.createServicePackageProvider({ params: packageParams, body: { service_provider_id: provider.id } });
  const customer = await makeCustomer(api);
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'School', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({ body: { room_name: 'Class 7b', account_id: account.id } });
  const params = { room_id: room.id };
  expect((await admin.readRoomStatus({ params })).data).toMatchObject({ status: 'inactive', participant_count: 0 });
  const { data: token } = await admin.createRoomToken({ params, body: { role: 'moderator', name: 'Teacher' } });

  const entry = await join({ params }, { token: token.token, name: 'Ada Lovelace' });
  expect(entry).toMatchObject({ object: 'RoomEntry', role: 'moderator', meeting_started: true });
  const user = await followJoinUrl(entry.url);

  expect(user).toMatchObject({ fullName: 'Ada Lovelace', role: 'MODERATOR', presence: 'joined' });
  expect((await admin.readRoomStatus({ params })).data).toMatchObject({
    object: 'RoomStatus',
    room_id: room.id,
    status: 'active',
    running: true,
    participant_count: 1,
    moderator_count: 1,
    guest_count: 0,
    provider: { id: provider.id, name: 'Main server', type: 'bigbluebutton' },
  });
  expect(meetingOf(room)).toMatchObject({ name: 'Class 7b', meetingID: room.uuid });
  expect(await usageOf(subscription, 'max_rooms')).toBe(1);
  expect(await usageOf(subscription, 'max_accounts')).toBe(1);
  const { data: used } = await admin.readRoomToken({ params: { ...params, token_id: token.id } });
  expect(used.last_usage).toMatch(/^2026-03-10T12:0/);
});

interface Attempt {
  readonly fixture: Pick<RoomFixture, 'room' | 'params'>;
  readonly body: Record<string, string>;
}

/** Creates, for each error code, a room whose join fails with it, and the body of the join. */
const attempts: Record<EntryRefusal, () => Promise<Attempt>> = {
  'room-inactive': async () => {
    const fixture = await createTestRoom({ room: { status: 'inactive' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'customer-not-usable': async () => {
    const fixture = await createTestRoom();
    await api.admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { status: 'inactive' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'account-not-usable': async () => {
    const fixture = await createTestRoom();
    await api.admin.updateAccount({ params: { account_id: fixture.account.id }, body: { status: 'inactive' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'entry-subscription-not-usable': async () => {
    const fixture = await createTestRoom();
    const params = { subscription_id: fixture.subscription.id };
    await api.admin.updateSubscription({ params, body: { status: 'suspended' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'no-usable-provider': async () => {
    const fixture = await createTestRoom();
    const params = { subscription_id: fixture.subscription.id };
    const { data } = await api.admin.listSubscriptionProviders({ params });
    await api.admin.updateSubscriptionProvider({
      params: { ...params, provider_id: data[0]?.id ?? '' },
      body: { active: false },
    });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'meeting-not-accepted': async () => {
    const pool = unique('pool').toLowerCase();
    const properties = { host_url: sandbox.apiUrl, secret: sandbox.secret };
    const { data: server } = await api.admin.createServiceProvider({
      body: {
        provider_name: unique('Server'),
        provider_type: 'bigbluebutton',
        pool,
        properties,
      },
    });
    const room = { room_settings: { welcome_message: 'w'.repeat(7000) } };
    const fixture = await createTestRoom({ provider: server.id, room });
    await api.admin.createServiceProvider({
      body: { provider_name: unique('Balancer'), provider_type: 'scalelite', pool, properties },
    });
    await api.admin.updateServiceProvider({ params: { service_provider_id: server.id }, body: { draining: true } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'token-required': async () => ({ fixture: await createTestRoom(), body: {} }),
  'token-unknown': async () => ({
    fixture: await createTestRoom(),
    body: { token: await createTestToken(await createTestRoom(), 'moderator') },
  }),
  'token-expired': async () => {
    const fixture = await createTestRoom();
    return { fixture, body: { token: await createTestToken(fixture, 'moderator', '2026-03-10') } };
  },
  'token-not-yet-valid': async () => {
    const fixture = await createTestRoom();
    return { fixture, body: { token: await createTokenWithOptions(fixture, { not_before: '2099-01-01' }) } };
  },
  'token-used-up': async () => {
    const fixture = await createTestRoom();
    const body = { token: await createTokenWithOptions(fixture, { max_uses: 1 }) };
    await join(fixture, body);
    return { fixture, body };
  },
  'token-of-another-user': async () => {
    const fixture = await createTestRoom();
    const { data } = await api.admin.listCustomerUsers({ params: { customer_id: fixture.customer.id } });
    return { fixture, body: { token: await createTokenWithOptions(fixture, { user_id: data[0]?.user_id ?? '' }) } };
  },
  'guest-access-off': async () => ({
    fixture: await createTestRoom({ features: { guest_access: 'false' }, room: { is_public: true } }),
    body: {},
  }),
  'access-code-required': async () => {
    const fixture = await createTestRoom();
    await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: 'moderator' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'access-code-wrong': async () => {
    const fixture = await createTestRoom();
    const code = { role: 'moderator', code: 'open-1', expires_at: '2026-03-10T11:59:59Z' } as const;
    await api.admin.createRoomAccessCode({ params: fixture.params, body: code });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator'), access_code: 'open-1' } };
  },
  'access-code-other-role': async () => {
    const fixture = await createTestRoom();
    await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: 'moderator', code: 'for-mods' } });
    await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: 'attendee', code: 'for-all' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator'), access_code: 'for-all' } };
  },
  'participant-minutes-used-up': async () => {
    const fixture = await createTestRoom({ features: { participant_minutes: '0' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'limit-is-zero': async () => {
    const fixture = await createTestRoom({ features: { max_duration: '0' } });
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'waiting-for-moderator': async () => {
    const fixture = await createTestRoom();
    return { fixture, body: { token: await createTestToken(fixture, 'attendee') } };
  },
  'concurrent-meetings-reached': async () => {
    const first = await createTestRoom({ features: { max_concurrent_meetings: '1' } });
    await join(first, { token: await createTestToken(first, 'moderator') });
    const fixture = await createSecondRoom(first);
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'concurrent-participants-reached': async () => {
    const first = await createTestRoom({ features: { max_concurrent_participants: '1' } });
    await join(first, { token: await createTestToken(first, 'moderator') });
    const fixture = await createSecondRoom(first);
    return { fixture, body: { token: await createTestToken(fixture, 'moderator') } };
  },
  'room-full': async () => {
    const fixture = await createTestRoom({ features: { max_participants: '1' } });
    const body = { token: await createTestToken(fixture, 'moderator') };
    await join(fixture, body);
    return { fixture, body };
  },
};

describe('a rejected join returns its reason and changes nothing', () => {
  test.each(entryRefusals)('%s', async (code) => {
    const { fixture, body } = await attempts[code]();
    const before = await entriesOf(fixture.room);
    const refusal = await refusalOf(join(fixture, body));
    expect([refusal.status, refusal.code]).toEqual([errorCodes[code][0], code]);
    expect(refusal.message.startsWith(refusalSentences[code])).toBe(true);
    expect(refusal.status).toBe(403);
    expect(await entriesOf(fixture.room)).toEqual(before);
    const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body });
    expect(data.allowed).toBe(false);
    expect(data.reasons).toContainEqual({ code, message: refusal.message, facts: expect.any(Array) });
    expect(await entriesOf(fixture.room)).toEqual(before);
  });
});

test.each([
  ['<b>Ann</b> & "Bob"', '<b>Ann</b> & "Bob"'],
  ["O'Brien; drop table rooms --", "O'Brien; drop table rooms --"],
  ['\u202Eevil\u202C \u2066name\u2069', 'evil name'],
  ['\u05D3\u05E0\u05D4 \u200F(\u05DE)', '\u05D3\u05E0\u05D4 \u200F(\u05DE)'],
  ['Two\nlines\tand\u2028more\u0007', 'Two lines and more'],
  ['\u{1F469}\u200D\u{1F4BB}', '\u{1F469}\u200D\u{1F4BB}'],
])('the name %j is shown in the meeting as one line without control characters', async (input, name) => {
  const fixture = await createTestRoom();
  const entry = await join(fixture, { token: await createTestToken(fixture, 'moderator'), name: input });
  expect(entry.name).toBe(name);
  expect((await followJoinUrl(entry.url)).fullName).toBe(name);
});

test.each(['x'.repeat(10_000), 'x'.repeat(151), '\u200B', '\u202E\u202C', '\u0007', ' '])(
  'the name %j is invalid and cannot be used to join',
  async (name) => {
    const fixture = await createTestRoom();
    const refusal = await refusalOf(join(fixture, { token: await createTestToken(fixture, 'moderator'), name }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['name']]);
    expect(await meetingsOf(fixture.room)).toEqual([]);
  },
);

test('a name of 150 characters is accepted, and a longer full name of a user is truncated', async () => {
  const fixture = await createTestRoom();
  const token = await createTestToken(fixture, 'moderator');
  expect((await join(fixture, { token, name: '😀'.repeat(150) })).name).toBe('😀'.repeat(150));
  const password = 'correct horse battery';
  const { data: user } = await api.admin.createCustomerUser({
    params: { customer_id: fixture.customer.id },
    body: {
      email: `${unique('long')}@example.com`,
      first_name: 'f'.repeat(150),
      last_name: 'l'.repeat(150),
      password,
      permissions: ['read-room', 'moderate'],
    },
  });
  const { access_token: bearer } = await api.anyone.loginUser({ body: { username: user.email, password } });
  const { data: entry } = await api.clientWith(bearer).joinRoom({ params: fixture.params, body: {} });
  expect([entry.role, entry.name]).toEqual(['moderator', 'f'.repeat(150)]);
});

test('access codes are case-insensitive, and an expired code keeps its role protected', async () => {
  const fixture = await createTestRoom();
  const token = await createTestToken(fixture, 'moderator');
  const { data: code } = await api.admin.createRoomAccessCode({
    params: fixture.params,
    body: { role: 'moderator', code: 'Open-Sesame' },
  });
  expect(await join(fixture, { token, access_code: 'open-sesame' })).toMatchObject({ role: 'moderator' });
  const codeParams = { ...fixture.params, code_id: code.id };
  const used = await api.admin.readRoomAccessCode({ params: codeParams });
  expect(used.data.last_usage).not.toBeNull();
  await api.admin.updateRoomAccessCode({ params: codeParams, body: { expires_at: '2026-03-09' } });
  expect((await refusalOf(join(fixture, { token }))).code).toBe('access-code-required');
});

test('a code of one role does not protect another role', async () => {
  const fixture = await createTestRoom({ room: { room_settings: { anyone_can_start: true } } });
  await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: 'moderator' } });
  expect(await join(fixture, { token: await createTestToken(fixture, 'attendee') })).toMatchObject({
    role: 'attendee',
  });
});

test('attendees and guests wait until a moderator has started the meeting', async () => {
  const fixture = await createTestRoom();
  const attendee = await createTestToken(fixture, 'attendee');
  const guest = await createTestToken(fixture, 'guest');
  for (const token of [attendee, guest]) {
    expect((await refusalOf(join(fixture, { token }))).code).toBe('waiting-for-moderator');
  }
  expect(meetingOf(fixture.room)).toBeUndefined();
  expect(await join(fixture, { token: await createTestToken(fixture, 'moderator') })).toMatchObject({
    meeting_started: true,
  });
  expect(await join(fixture, { token: attendee })).toMatchObject({ role: 'attendee', meeting_started: false });
  const entry = await join(fixture, { token: guest });
  expect(entry).toMatchObject({ role: 'guest', meeting_started: false });
  expect(await followJoinUrl(entry.url)).toMatchObject({ role: 'VIEWER', guest: true });
  expect((await api.admin.readRoomStatus({ params: fixture.params })).data).toMatchObject({
    guest_count: 1,
    moderator_count: 0,
  });
});

test('the first participant starts the meeting if the room allows everyone to start it', async () => {
  const fixture = await createTestRoom({ room: { room_settings: { anyone_can_start: true } } });
  expect(await join(fixture, { token: await createTestToken(fixture, 'attendee') })).toMatchObject({
    meeting_started: true,
  });
});

test('a guest of a public room gets a token when joining, and none if the join is rejected', async () => {
  const fixture = await createTestRoom({ room: { is_public: true } });
  const tokens = async () => (await api.admin.listRoomTokens({ params: fixture.params })).data;
  expect((await refusalOf(join(fixture, { name: 'Gus' }))).code).toBe('waiting-for-moderator');
  expect(await tokens()).toEqual([]);
  await join(fixture, { token: await createTestToken(fixture, 'moderator') });
  const entry = await join(fixture, { name: 'Gus' });
  expect(entry).toMatchObject({ role: 'guest', name: 'Gus' });
  expect((await tokens()).find(({ token }) => token === entry.token)).toMatchObject({ role: 'guest', name: null });
  expect(await join(fixture, { token: entry.token ?? '', name: 'Gus again' })).toMatchObject({ token: entry.token });
  expect(await tokens()).toHaveLength(2);
});

test('of twenty concurrent joins on two processes for the last slot of a room, exactly one succeeds', async () => {
  const fixture = await createTestRoom({ features: { max_participants: '5' } });
  const token = await createTestToken(fixture, 'moderator');
  for (let slot = 0; slot < 4; slot++) await join(fixture, { token });
  const second = await api.another();
  onTestFinished(() => second.close());
  const joins = Array.from({ length: 20 }, (_, index) => join(fixture, { token }, index % 2 === 0 ? api : second));
  expect(await countOutcomes(joins)).toEqual({ entered: 1, 'room-full': 19 });
  expect(await entriesOf(fixture.room)).toHaveLength(5);
});

test('of twenty concurrent joins to a room without a meeting, as many succeed as the limit allows, into one meeting', async () => {
  const fixture = await createTestRoom({ features: { max_participants: '3' } });
  const token = await createTestToken(fixture, 'moderator');
  const joins = Array.from({ length: 20 }, () => join(fixture, { token }));
  expect(await countOutcomes(joins)).toEqual({ entered: 3, 'room-full': 17 });
  expect(await meetingsOf(fixture.room)).toHaveLength(1);
  const { meetings } = sandbox.control.state();
  expect(meetings.filter(({ meetingID }) => meetingID === fixture.room.uuid)).toHaveLength(1);
});

test('concurrent joins to several rooms never exceed the participants of their subscription', async () => {
  const first = await createTestRoom({ features: { max_concurrent_participants: '3' } });
  const second = await createSecondRoom(first);
  const tokens = [await createTestToken(first, 'moderator'), await createTestToken(second, 'moderator')] as const;
  const joins = Array.from({ length: 20 }, (_, index) =>
    index % 2 === 0 ? join(first, { token: tokens[0] }) : join(second, { token: tokens[1] }),
  );
  expect(await countOutcomes(joins)).toEqual({ entered: 3, 'concurrent-participants-reached': 17 });
});

test('concurrent joins never exceed the concurrent meetings of a subscription', async () => {
  const first = await createTestRoom({ features: { max_concurrent_meetings: '2' } });
  const fixtures = [first, ...(await Promise.all(Array.from({ length: 7 }, () => createSecondRoom(first))))];
  const tokens = await Promise.all(fixtures.map((fixture) => createTestToken(fixture, 'moderator')));
  const joins = fixtures.map((fixture, index) => join(fixture, { token: tokens[index] ?? '' }));
  expect(await countOutcomes(joins)).toEqual({ entered: 2, 'concurrent-meetings-reached': 6 });
});

test('a slot that is not used expires after a minute, but the slot of a participant does not', async () => {
  const fixture = await createTestRoom({ features: { max_participants: '2' } });
  const token = await createTestToken(fixture, 'moderator');
  await followJoinUrl((await join(fixture, { token })).url);
  await join(fixture, { token, name: 'Never comes' });
  expect((await refusalOf(join(fixture, { token }))).code).toBe('room-full');
  api.clock.advance({ seconds: 59 });
  expect((await refusalOf(join(fixture, { token }))).code).toBe('room-full');
  api.clock.advance({ seconds: 2 });
  await join(fixture, { token, name: 'Comes instead' });
  api.clock.advance({ minutes: 10 });
  await syncMeetings();
  await followJoinUrl((await join(fixture, { token })).url);
  await syncMeetings();
  expect((await refusalOf(join(fixture, { token }))).code).toBe('room-full');
});

test('a person who joined directly on the provider counts toward the limit', async () => {
  const fixture = await createTestRoom({ features: { max_participants: '2' } });
  const token = await createTestToken(fixture, 'moderator');
  await followJoinUrl((await join(fixture, { token })).url);
  sandbox.control.joinUser({ meetingID: fixture.room.uuid, fullName: 'From elsewhere' });
  expect((await refusalOf(join(fixture, { token }))).code).toBe('room-full');
});

describe('when the default provider fails', () => {
  /** Creates a room whose package has the first provider as the default and the second as a fallback. */
  async function createRoomWithTwoProviders(first: { apiUrl: string; secret: string }, second = provider) {
    const failing = await makeProvider(api, first);
    const servicePackage = await makePackage(api, { provider: failing.id });
    const params = { service_package_id: servicePackage.id };
    const { data: reserve } = await api.admin.createServicePackageProvider({
      params,
      body: { service_provider_id: second },
    });
    const customer = await makeCustomer(api);
    const { data: subscription } = await api.admin.createSubscription({
      body: { package_id: servicePackage.id, subscriber_id: customer.id },
    });
    await api.admin.createSubscriptionProvider({
      params: { subscription_id: subscription.id },
      body: { package_provider_id: reserve.id },
    });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: 'Two servers', subscription_id: subscription.id },
    });
    return { failing, subscription, account, ...(await createSecondRoom({ account })) };
  }

  async function openSeparateSandbox() {
    const separateSandbox = await openSandbox();
    onTestFinished(() => separateSandbox.close());
    return separateSandbox;
  }

  async function useShortTimeout() {
    await api.admin.updateSettings({ body: { provider_timeout_ms: 300 } });
    onTestFinished(async () => void (await api.admin.updateSettings({ body: { provider_timeout_ms: 5000 } })));
  }

  test.each([
    { kind: 'hang', times: null },
    { kind: 'http-error', times: null, status: 500 },
    { kind: 'html-page', times: null },
    { kind: 'connection-reset', times: null },
  ] as const)('a new meeting is opened on the next provider, with an audit entry ($kind)', async (fault) => {
    const separateSandbox = await openSeparateSandbox();
    if (fault.kind === 'hang') await useShortTimeout();
    separateSandbox.control.injectFault(fault);
    const fixture = await createRoomWithTwoProviders(separateSandbox);
    const token = await createTestToken(fixture, 'moderator');
    const entry = await join(fixture, { token });
    expect(entry).toMatchObject({ meeting_started: true });
    expect(entry.url).toContain(sandbox.apiUrl);
    const { data } = await api.admin.readRoomStatus({ params: fixture.params });
    expect(data).toMatchObject({ status: 'inactive', provider: { id: provider } });
    const failing = parseIdentifier('prov', fixture.failing.id) ?? '';
    const audited = await api.app.dependencies.db
      .selectFrom('audit_entries')
      .select(['action', 'new_values'])
      .where('resource_id', '=', failing)
      .where('action', '=', 'service_provider.failed_over')
      .execute();
    expect(audited).toEqual([
      {
        action: 'service_provider.failed_over',
        new_values: {
          meeting_id: printIdentifier('meet', (await meetingsOf(fixture.room))[0]?.id ?? ''),
          to_provider_id: provider,
          reason: 'failed',
        },
      },
    ]);
    separateSandbox.control.clearFaults();
    expect((await join(fixture, { token })).url).toContain(sandbox.apiUrl);
  });

  test('a running meeting stays on its server: joins do not move to another one', async () => {
    const separateSandbox = await openSeparateSandbox();
    const fixture = await createRoomWithTwoProviders(separateSandbox);
    const token = await createTestToken(fixture, 'moderator');
    expect((await join(fixture, { token })).url).toContain(separateSandbox.apiUrl);
    separateSandbox.control.injectFault({ kind: 'http-error', times: null });
    const refusal = await refusalOf(join(fixture, { token }));
    expect([refusal.status, refusal.code]).toEqual([503, 'provider-unavailable']);
    expect(meetingOf(fixture.room)).toBeUndefined();
    separateSandbox.control.clearFaults();
    expect((await join(fixture, { token })).url).toContain(separateSandbox.apiUrl);
  });

  test('a provider that is deactivated in the subscription is skipped', async () => {
    const separateSandbox = await openSeparateSandbox();
    const fixture = await createRoomWithTwoProviders(separateSandbox);
    const params = { subscription_id: fixture.subscription.id };
    const { data: rows } = await api.admin.listSubscriptionProviders({ params });
    const row = rows.find(({ service_provider_id }) => service_provider_id === fixture.failing.id);
    await api.admin.updateSubscriptionProvider({
      params: { ...params, provider_id: row?.id ?? '' },
      body: { active: false },
    });
    expect((await join(fixture, { token: await createTestToken(fixture, 'moderator') })).url).toContain(sandbox.apiUrl);
    expect(separateSandbox.control.calls()).toEqual([]);
  });

  test('if the only provider does not respond, a join is rejected with a 503 and Retry-After, and leaves neither a slot nor a meeting', async () => {
    const unreachable = await makeProvider(api);
    const fixture = await createTestRoom({
      provider: unreachable.id,
      features: { max_participants: '1', max_concurrent_meetings: '1' },
    });
    const token = await createTestToken(fixture, 'moderator');
    const other = await createSecondRoom(fixture);
    const otherToken = await createTestToken(other, 'moderator');
    for (const [target, sentToken] of [
      [fixture, token],
      [other, otherToken],
      [fixture, token],
    ] as const) {
      const refusal = await refusalOf(join(target, { token: sentToken }));
      expect([refusal.status, refusal.code]).toEqual([503, 'provider-unavailable']);
      expect(refusal.retryAfter).toBeGreaterThan(0);
      expect(await entriesOf(target.room)).toEqual([]);
      expect(await meetingsOf(target.room)).toEqual([]);
    }
    const { data } = await api.admin.readRoomStatus({ params: fixture.params });
    expect(data).toMatchObject({
      status: 'unknown',
      running: null,
      participant_count: null,
      provider: { id: unreachable.id },
    });
  });

  test('a meeting that a provider may have opened is not listed, and the next join opens the same one', async () => {
    const separateSandbox = await openSeparateSandbox();
    const refusing = createServer((_, answer) =>
      answer.end('<response><returncode>FAILED</returncode><messageKey>no</messageKey></response>'),
    ).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    onTestFinished(() => void refusing.close());
    const { port } = refusing.address() as AddressInfo;
    const next = await makeProvider(api, { apiUrl: `http://127.0.0.1:${port}/bigbluebutton/api`, secret: 'any' });
    separateSandbox.control.injectFault({ kind: 'connection-reset', call: 'create', times: null, applied: true });
    const fixture = await createRoomWithTwoProviders(separateSandbox, next.id);
    const refusal = await refusalOf(join(fixture, { token: await createTestToken(fixture, 'moderator') }));
    expect([refusal.status, refusal.code]).toEqual([503, 'provider-unavailable']);
    expect(await entriesOf(fixture.room)).toEqual([]);
    await refusalOf(join(fixture, { token: await createTestToken(fixture, 'moderator') }));
    expect((await api.admin.listRoomMeetings({ params: fixture.params })).data).toEqual([]);
    expect((await api.admin.listMeetings({ query: { search: `room_id:${fixture.room.id}` } })).data).toEqual([]);
    const { rows: events } = await api.app.connection.pool.query(
      "select action as name from audit_entries where action like 'meeting.%' and new_values->>'room_id' = $1",
      [fixture.room.uuid],
    );
    expect(events).toEqual([]);
    separateSandbox.control.clearFaults();
    expect(await join(fixture, { token: await createTestToken(fixture, 'moderator') })).toMatchObject({
      meeting_started: true,
    });
    expect(await meetingsOf(fixture.room)).toMatchObject([{ state: 'open' }]);
  });

  test('a failed opening uses no slot of other rooms, and its row is removed after ten minutes', async () => {
    const separateSandbox = await openSeparateSandbox();
    separateSandbox.control.injectFault({ kind: 'connection-reset', call: 'create', times: null, applied: true });
    const { id } = await makeProvider(api, separateSandbox);
    const fixture = await createTestRoom({
      provider: id,
      features: { max_concurrent_meetings: '1', max_participants: '1' },
    });
    const other = await createSecondRoom(fixture);
    for (const target of [fixture, other, fixture])
      expect((await refusalOf(join(target, { token: await createTestToken(target, 'moderator') }))).code).toBe(
        'provider-unavailable',
      );
    expect(await meetingsOf(fixture.room)).toHaveLength(1);
    api.clock.advance({ minutes: 11 });
    await syncMeetings();
    await runJob(api.app.dependencies, 'end-meetings');
    expect(await meetingsOf(fixture.room)).toEqual([]);
    expect(await meetingsOf(other.room)).toEqual([]);
  });

  test.each([
    [true, [{ state: 'opening' }]],
    [false, []],
  ])(
    'a meeting is kept if any of its concurrent openings may have reached the provider (%j)',
    async (mayBeOpen, expected) => {
      const { room } = await createTestRoom();
      const { dependencies, connection } = api.app;
      const { rows } = await connection.pool.query<{ id: string; meeting_id: string }>(
        `with meeting as (
        insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, created_at, updated_at)
        select gen_random_uuid(), id, customer_id, subscription_id, id, 'opening', $2, $2 from rooms where id = $1 returning *
      ) insert into room_entries (id, room_id, meeting_id, subscription_id, role, expires_at, created_at)
      select gen_random_uuid(), room_id, id, subscription_id, 'moderator', $2, $2 from meeting, generate_series(1, 2)
      returning id, meeting_id`,
        [room.uuid, api.clock.now()],
      );
      const [first, last] = rows;
      const meeting = await findMeeting(dependencies.db, first?.meeting_id ?? '');
      if (!first || !last || !meeting) throw new Error('There is no meeting.');
      const slot = { expiresAt: api.clock.now(), meeting };
      await releaseSlot(dependencies, system, { ...slot, entryId: first.id }, mayBeOpen);
      await releaseSlot(dependencies, system, { ...slot, entryId: last.id }, false);
      expect(await entriesOf(room)).toEqual([]);
      expect(await meetingsOf(room)).toMatchObject(expected);
    },
  );

  test('neither answers nor the log contain the secret or a signed address', async () => {
    const separateSandbox = await openSandbox();
    const failing = await makeProvider(api, { apiUrl: separateSandbox.apiUrl, secret: 'a-secret-of-its-own' });
    const fixture = await createTestRoom({ provider: failing.id });
    const refusal = await refusalOf(join(fixture, { token: await createTestToken(fixture, 'moderator') }));
    await separateSandbox.close();
    expect(refusal.code).toBe('provider-unavailable');
    expect(JSON.stringify(refusal)).not.toContain('a-secret-of-its-own');
    expect(api.log()).not.toContain('a-secret-of-its-own');
    expect(api.log()).not.toMatch(/checksum=[0-9a-f]{40}/);
  });
});

const entryLimits = ['max_participants', 'max_duration', 'max_concurrent_participants', 'max_concurrent_meetings'];

describe('a limit of 0', () => {
  test.each(entryLimits.flatMap((tag) => [[tag, 'subscription'] as const, [tag, 'room'] as const]))(
    'for %s of the %s rejects every join, in the API, in checks and on the page, and starts no meeting',
    async (tag, level) => {
      const fixture = await createTestRoom(
        level === 'room'
          ? { features: { [tag]: '5' }, room: { is_public: true, room_features: { [tag]: 0 } } }
          : { features: { [tag]: '0' }, room: { is_public: true } },
      );
      const { token, url } = (await api.admin.createRoomToken({ params: fixture.params, body: { role: 'moderator' } }))
        .data;
      for (const body of [{ token }, { token, access_code: 'any' }, {}]) {
        const refusal = await refusalOf(join(fixture, body));
        expect(refusal.status).toBe(403);
        const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body });
        const [reason] = data.reasons.filter(({ code }) => code === 'limit-is-zero');
        expect([data.allowed, reason?.message]).toEqual([false, refusalSentences['limit-is-zero']]);
        const type = level === 'room' ? 'Room' : 'ServicePackageSubscription';
        expect(reason?.facts).toMatchObject([{ feature: tag, limit: 0, subject: { type } }]);
      }
      expect((await refusalOf(join(fixture, { token }))).code).toBe('limit-is-zero');
      const staff = await refusalOf(api.admin.joinRoom({ params: fixture.params, body: { name: 'Staff' } }));
      expect([staff.status, staff.code]).toEqual([403, 'limit-is-zero']);
      for (const [language, title] of Object.entries({
        en: 'This room allows no meetings',
        de: 'Dieser Raum lässt keine Meetings zu',
        es: 'Esta sala no permite reuniones',
        fr: 'Cette salle n’autorise aucune réunion',
        pt: 'Esta sala não permite reuniões',
        'pt-BR': 'Esta sala não permite reuniões',
      })) {
        const visitor = pageVisitor({ 'accept-language': language });
        for (const page of [await visitor.open(url), await visitor.send(url, { name: 'Anna' })])
          expect([language, page.status, page.html.includes(`<h1>${title}</h1>`)]).toEqual([language, 403, true]);
      }
      expect(await meetingsOf(fixture.room)).toEqual([]);
      expect(await entriesOf(fixture.room)).toEqual([]);
    },
  );

  test('for minutes rejects every join, because the minutes are used up', async () => {
    const fixture = await createTestRoom({ features: { participant_minutes: '0' } });
    const token = await createTestToken(fixture, 'moderator');
    expect((await refusalOf(join(fixture, { token }))).code).toBe('participant-minutes-used-up');
    const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body: { token } });
    expect(data.reasons.map(({ code }) => code)).toEqual(['participant-minutes-used-up']);
    expect(await meetingsOf(fixture.room)).toEqual([]);
  });

  test('that is set during a meeting rejects further joins', async () => {
    const fixture = await createTestRoom({ features: { max_duration: '60' } });
    const token = await createTestToken(fixture, 'moderator');
    await followJoinUrl((await join(fixture, { token })).url);
    await api.admin.updateRoom({ params: fixture.params, body: { room_features: { max_duration: 0 } } });
    expect((await refusalOf(join(fixture, { token }))).code).toBe('limit-is-zero');
    await api.admin.updateRoom({ params: fixture.params, body: { room_features: {} } });
    expect(await join(fixture, { token })).toMatchObject({ meeting_started: false });
  });
});

describe('an access code', () => {
  test.each(['moderator', 'attendee', 'guest'] as const)(
    'of another role, or an unknown one, is rejected for a %s token, whether or not the role is protected',
    async (role) => {
      for (const isProtected of [false, true]) {
        const fixture = await createTestRoom({ room: { room_settings: { anyone_can_start: true } } });
        const others = (['moderator', 'attendee', 'guest'] as const).filter((other) => other !== role);
        for (const other of others)
          await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: other, code: `for-${other}` } });
        if (isProtected)
          await api.admin.createRoomAccessCode({ params: fixture.params, body: { role, code: `for-${role}` } });
        const { token, url } = (await api.admin.createRoomToken({ params: fixture.params, body: { role } })).data;
        for (const [code, expected] of [
          ...others.map((other) => [`for-${other}`, 'access-code-other-role'] as const),
          ['made-up', 'access-code-wrong'] as const,
        ]) {
          const refusal = await refusalOf(join(fixture, { token, access_code: code }));
          expect([isProtected, code, refusal.status, refusal.code]).toEqual([isProtected, code, 403, expected]);
          const { data } = await api.admin.checkRoomEntry({
            params: fixture.params,
            body: { token, access_code: code },
          });
          expect([data.allowed, data.reasons.map((reason) => reason.code)]).toEqual([false, [expected]]);
          expect(data.would_use.access_code_id).toBeNull();
          const page = await pageVisitor().send(url, { name: 'Anna', access_code: code });
          expect([page.status, page.html.includes('id="access_code-error"')]).toEqual([403, true]);
        }
        expect(await meetingsOf(fixture.room)).toEqual([]);
        const accessCode: Record<string, string> = isProtected ? { access_code: `for-${role}` } : {};
        expect(await join(fixture, { token, ...accessCode })).toMatchObject({ role });
      }
    },
  );
});

test('the message about a token that is not valid yet or has expired contains the time: in the language of the visitor, in the time zone of the customer', async () => {
  const fixture = await createTestRoom();
  await api.admin.updateCustomer({
    params: { customer_id: fixture.customer.id },
    body: { timezone: 'America/Sao_Paulo' },
  });
  const createToken = async (body: Record<string, string>) =>
    (await api.admin.createRoomToken({ params: fixture.params, body: { role: 'attendee', ...body } })).data;
  const late = await createToken({ expires_at: '2026-03-01T12:30:00Z' });
  const early = await createToken({ not_before: '2027-12-24T02:00:00Z' });
  const sentencesByLanguage = {
    en: ['It expired on March 1, 2026', 'It is valid from December 23, 2027'],
    de: ['Er ist am 1. März 2026', 'Er gilt ab 23. Dezember 2027'],
    es: ['Caducó el 1 de marzo de 2026', 'Es válido a partir del 23 de diciembre de 2027'],
    fr: ['Il a expiré le 1 mars 2026', 'Il est valable à partir du 23 décembre 2027'],
    pt: ['Expirou em 1 de março de 2026', 'É válido a partir de 23 de dezembro de 2027'],
    'pt-BR': ['Expirou em 1 de março de 2026', 'É válido a partir de 23 de dezembro de 2027'],
  };
  for (const [language, sentences] of Object.entries(sentencesByLanguage)) {
    const visitor = pageVisitor({ 'accept-language': language });
    for (const [index, { url }] of [late, early].entries()) {
      for (const page of [await visitor.open(url), await visitor.send(url, { name: 'Anna' })]) {
        expect([language, page.status, page.html.includes(sentences[index] ?? '-')]).toEqual([language, 403, true]);
        expect(page.html).toMatch([/9:30|09:30/, /11:00|23:00/][index] ?? /-/);
      }
    }
  }
  for (const [index, { token }] of [late, early].entries()) {
    const refusal = await refusalOf(join(fixture, { token }));
    expect(refusal.message).toContain(sentencesByLanguage.en[index]);
    const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body: { token } });
    expect(data.reasons[0]?.message).toBe(refusal.message);
  }
});

test('a join check lists all reasons together and changes nothing', async () => {
  const fixture = await createTestRoom({
    room: { status: 'inactive' },
    features: { participant_minutes: '0', max_participants: '0' },
  });
  const token = await createTestToken(fixture, 'attendee', '2026-03-01');
  await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: 'attendee', code: 'right-1' } });
  await api.admin.updateAccount({ params: { account_id: fixture.account.id }, body: { status: 'inactive' } });
  await api.admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { status: 'inactive' } });
  const subscription = { subscription_id: fixture.subscription.id };
  await api.admin.updateSubscription({ params: subscription, body: { status: 'suspended' } });
  sandbox.control.clearCalls();
  const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body: { token, access_code: 'wrong' } });
  expect(data).toMatchObject({ object: 'RoomEntryCheck', room_id: fixture.room.id, allowed: false, role: 'attendee' });
  expect(data.reasons.map(({ code }) => code)).toEqual([
    'room-inactive',
    'customer-not-usable',
    'account-not-usable',
    'entry-subscription-not-usable',
    'token-expired',
    'access-code-wrong',
    'participant-minutes-used-up',
    'limit-is-zero',
    'waiting-for-moderator',
  ]);
  expect(await entriesOf(fixture.room)).toEqual([]);
  expect(await meetingsOf(fixture.room)).toEqual([]);
  // The check only asks whether the server answers.
  expect(sandbox.control.calls().map(({ call }) => call)).toEqual(['isMeetingRunning']);
  const tokens = await api.admin.listRoomTokens({ params: fixture.params });
  expect(tokens.data[0]?.last_usage).toBeNull();
});

test('the join check of a person who may join has no reasons', async () => {
  const fixture = await createTestRoom();
  const token = await createTestToken(fixture, 'moderator');
  const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body: { token } });
  expect(data).toMatchObject({ allowed: true, role: 'moderator', reasons: [] });
});

test('a check reports that the provider does not respond', async () => {
  const separateSandbox = await openSandbox();
  const fixture = await createTestRoom({ provider: (await makeProvider(api, separateSandbox)).id });
  const token = await createTestToken(fixture, 'moderator');
  await join(fixture, { token });
  await separateSandbox.close();
  const { data } = await api.admin.checkRoomEntry({ params: fixture.params, body: { token } });
  expect(data.reasons.map(({ code }) => code)).toEqual(['provider-unavailable']);
});

test('staff with the permission to join rooms need neither token nor code, but limits apply', async () => {
  const fixture = await createTestRoom({ features: { max_participants: '1' } });
  await api.admin.createRoomAccessCode({ params: fixture.params, body: { role: 'moderator' } });
  const { data } = await api.admin.joinRoom({ params: fixture.params, body: { role: 'moderator', name: 'Support' } });
  expect(data).toMatchObject({ role: 'moderator', token: null, name: 'Support' });
  const refusal = await refusalOf(api.admin.joinRoom({ params: fixture.params, body: { role: 'moderator' } }));
  expect(refusal.code).toBe('room-full');
});

test('joins, leaves, minutes and the end of a meeting are stored', async () => {
  const fixture = await createTestRoom({ features: { participant_minutes: '100' } });
  const token = await createTestToken(fixture, 'moderator');
  const anna = await followJoinUrl((await join(fixture, { token, name: 'Anna' })).url);
  const berta = await followJoinUrl((await join(fixture, { token, name: 'Berta' })).url);
  await syncMeetings();
  const participants = await entriesOf(fixture.room);
  expect(participants).toHaveLength(2);
  const [meeting] = await meetingsOf(fixture.room);
  expect(meeting).toMatchObject({ state: 'open', participant_count: 2, peak_participants: 2 });
  api.clock.advance({ minutes: 9, seconds: 30 });
  sandbox.control.leaveUser({ sessionToken: berta.sessionToken });
  await syncMeetings();
  await syncMeetings();
  expect((await meetingsOf(fixture.room))[0]).toMatchObject({
    state: 'open',
    participant_count: 1,
    peak_participants: 2,
    participant_minutes: 20,
  });
  expect(await usageOf(fixture.subscription, 'participant_minutes')).toBe(20);
  api.clock.advance({ minutes: 10 });
  sandbox.control.endMeeting(fixture.room.uuid);
  await Promise.all([syncMeetings(), syncMeetings()]);
  expect(await meetingsOf(fixture.room)).toMatchObject([
    { state: 'ended', participant_count: 0, participant_minutes: 30, end_reason: 'ended' },
  ]);
  expect(await usageOf(fixture.subscription, 'participant_minutes')).toBe(30);
  expect(anna.presence).toBe('joined');
  expect(await eventsOf(meeting?.id ?? '')).toEqual(['meeting.started', 'meeting.ended']);
  const { data: ends } = await api.admin.listEvents({ query: { search: 'name:meeting.ended' } });
  expect(ends.find(({ data }) => data['uuid'] === meeting?.id)?.previous).toMatchObject({
    state: 'open',
    ended_at: null,
    end_reason: null,
    participant_count: 1,
    participant_minutes: 20,
  });
  expect(await Promise.all(participants.map(({ id }) => eventsOf(id)))).toEqual([
    ['participant.admitted', 'participant.joined', 'participant.left'],
    ['participant.admitted', 'participant.joined', 'participant.left'],
  ]);
});

test('after the end of a meeting the next join starts a new meeting in the room', async () => {
  const fixture = await createTestRoom();
  const token = await createTestToken(fixture, 'moderator');
  await followJoinUrl((await join(fixture, { token })).url);
  sandbox.control.endMeeting(fixture.room.uuid);
  expect((await refusalOf(join(fixture, { token: await createTestToken(fixture, 'attendee') }))).code).toBe(
    'waiting-for-moderator',
  );
  sandbox.control.advanceClock(5000);
  expect(await join(fixture, { token })).toMatchObject({ meeting_started: true });
  expect((await meetingsOf(fixture.room)).map(({ state }) => state)).toEqual(['ended', 'open']);
});

test('a provider that fails to list its meetings changes nothing, and other providers are still polled', async () => {
  const separateSandbox = await openSandbox();
  const silent = await createTestRoom({ provider: (await makeProvider(api, separateSandbox)).id });
  const fixture = await createTestRoom();
  await join(silent, { token: await createTestToken(silent, 'moderator') });
  await followJoinUrl((await join(fixture, { token: await createTestToken(fixture, 'moderator') })).url);
  await separateSandbox.close();
  await syncMeetings();
  expect(await meetingsOf(silent.room)).toMatchObject([{ state: 'open' }]);
  expect(await meetingsOf(fixture.room)).toMatchObject([{ state: 'open', participant_count: 1 }]);
});

test('a meeting whose opening was interrupted holds its slot for a minute, and its row is removed after ten', async () => {
  const fixture = await createTestRoom({ features: { max_concurrent_meetings: '1' } });
  const other = await createSecondRoom(fixture);
  const now = api.clock.now();
  const { db } = api.app.dependencies;
  await db
    .insertInto('meetings')
    .values({
      id: '019aa000-0000-7000-8000-00000000dead',
      room_id: fixture.room.uuid,
      customer_id: fixture.customer.uuid,
      subscription_id: fixture.subscription.uuid,
      provider_meeting_id: fixture.room.uuid,
      state: 'opening',
      created_at: now,
      updated_at: now,
    })
    .execute();
  await db
    .insertInto('room_entries')
    .values({
      id: '019aa000-0000-7000-8000-00000000beef',
      meeting_id: '019aa000-0000-7000-8000-00000000dead',
      room_id: fixture.room.uuid,
      subscription_id: fixture.subscription.uuid,
      role: 'moderator',
      expires_at: api.clock.after(60),
      created_at: now,
    })
    .execute();
  const token = await createTestToken(other, 'moderator');
  await syncMeetings();
  expect((await refusalOf(join(other, { token }))).code).toBe('concurrent-meetings-reached');
  api.clock.advance({ seconds: 61 });
  expect(await join(other, { token })).toMatchObject({ meeting_started: true });
  api.clock.advance({ minutes: 10 });
  await syncMeetings();
  expect(await meetingsOf(fixture.room)).toEqual([]);
});

test('a join that waits for the room to move to another account succeeds', async () => {
  const fixture = await createTestRoom();
  const token = await createTestToken(fixture, 'moderator');
  await join(fixture, { token });
  const { data: other } = await api.admin.createAccount({
    body: { account_name: 'Elsewhere', subscription_id: fixture.subscription.id },
  });
  const { pool } = api.app.connection;
  const mover = await pool.connect();
  onTestFinished(() => mover.release());
  await mover.query('begin');
  await mover.query('select from rooms where id = $1 for update', [uuidOf(fixture.room)]);
  const pendingJoin = join(fixture, { token });
  const lockWaits = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await expect.poll(async () => (await pool.query(lockWaits)).rowCount).toBe(1);
  await mover.query('update rooms set account_id = $1 where id = $2', [other.uuid, uuidOf(fixture.room)]);
  await mover.query('commit');
  expect(await pendingJoin).toMatchObject({ object: 'RoomEntry' });
  expect(await entriesOf(fixture.room)).toHaveLength(2);
});

test('deleting a room ends its meeting: joins are rejected and its slots are released', async () => {
  const fixture = await createTestRoom({ features: { max_concurrent_meetings: '1', participant_minutes: '100' } });
  const token = await createTestToken(fixture, 'moderator');
  await followJoinUrl((await join(fixture, { token })).url);
  await syncMeetings();
  api.clock.advance({ minutes: 4, seconds: 30 });
  await api.admin.deleteRoom({ params: fixture.params });
  const refusal = await refusalOf(join(fixture, { token }));
  expect([refusal.status, refusal.code]).toEqual([404, 'not-found']);
  expect(await usageOf(fixture.subscription, 'participant_minutes')).toBe(5);
  await syncMeetings();
  expect(meetingOf(fixture.room)).toMatchObject({ running: false });
  const other = await createSecondRoom(fixture);
  expect(await join(other, { token: await createTestToken(other, 'moderator') })).toMatchObject({
    meeting_started: true,
  });
});

test('a meeting continues for the grace period after its subscription is suspended, and is then ended', async () => {
  const fixture = await createTestRoom();
  await followJoinUrl((await join(fixture, { token: await createTestToken(fixture, 'moderator') })).url);
  const params = { subscription_id: fixture.subscription.id };
  await api.admin.updateSubscription({ params, body: { status: 'suspended' } });
  api.clock.advance({ minutes: 14 });
  await syncMeetings();
  expect(meetingOf(fixture.room)).toMatchObject({ running: true });
  api.clock.advance({ minutes: 2 });
  await Promise.all([syncMeetings(), syncMeetings()]);
  expect(meetingOf(fixture.room)).toMatchObject({ running: false });
  expect(await meetingsOf(fixture.room)).toMatchObject([{ state: 'ended', end_reason: 'subscription-suspended' }]);
});

test('rooms of a suspended customer can still be entered', async () => {
  const fixture = await createTestRoom();
  await api.admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { status: 'suspended' } });
  expect(await join(fixture, { token: await createTestToken(fixture, 'moderator') })).toMatchObject({
    role: 'moderator',
  });
});

test('minutes are counted once when a room is deleted during a poll of its meeting', async () => {
  const fixture = await createTestRoom({ features: { participant_minutes: '1000' } });
  const token = await createTestToken(fixture, 'moderator');
  const user = await followJoinUrl((await join(fixture, { token })).url);
  await syncMeetings();
  api.clock.advance({ minutes: 20 });
  sandbox.control.leaveUser({ sessionToken: user.sessionToken });
  await Promise.all([syncMeetings(), api.admin.deleteRoom({ params: fixture.params }), syncMeetings()]);
  expect(await usageOf(fixture.subscription, 'participant_minutes')).toBe(20);
});
