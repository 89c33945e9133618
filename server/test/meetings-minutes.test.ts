import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inTransaction, system } from '../src/events/change.ts';
import { minuteWarning } from '../src/modules/meetings/minutes/minute-limits.ts';
import { createCatalogues } from '../src/platform/text/catalogues.ts';
import { recordUsages } from '../src/modules/subscriptions/index.ts';
import { calendarDate } from '../src/platform/time/calendar-date.ts';
import { makeCustomer, refusalOf, soldFeatures } from './factories.ts';
import { followJoinUrl, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

async function advanceMinutes(minutes: number) {
  for (let minute = 0; minute < minutes; minute++) {
    harness.api.clock.advance({ minutes: 1 });
    await harness.deliverCallbacks();
    await harness.sync();
  }
}

const findSandboxMeeting = (uuid: string) =>
  harness.sandbox.control.state().meetings.findLast(({ meetingID }) => meetingID === uuid);

test('minutes are charged when they begin, and a meeting that has used up the last minute ends', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '20' } });
  await harness.enter(fixture, 'Anna');
  await harness.enter(fixture, 'Berta');
  await harness.sync();
  expect(await harness.minutesUsed(fixture)).toBe(2);
  await advanceMinutes(4);
  expect(await harness.minutesUsed(fixture)).toBe(8);
  await advanceMinutes(5);
  expect(await harness.minutesUsed(fixture)).toBe(18);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', participant_minutes: 18 }]);
  await advanceMinutes(1);
  expect(await harness.meetings(fixture)).toMatchObject([
    { state: 'ended', end_reason: 'participant-minutes-used-up', participant_minutes: 20 },
  ]);
  expect(findSandboxMeeting(fixture.room.uuid)).toMatchObject({ running: false, endReason: 'end-call' });
  const refusal = await refusalOf(harness.enter(fixture, 'Carla'));
  expect([refusal.status, refusal.code]).toEqual([403, 'participant-minutes-used-up']);
  const limitEvents = await harness.api.app.connection.pool.query(
    `select count(*)::int as count from events where name = 'subscription.limit_reached' and resource_id = $1`,
    [fixture.subscription.uuid],
  );
  expect(limitEvents.rows).toEqual([{ count: 1 }]);
});

test("participants are warned once, five minutes before the minutes are used up, in the customer's language", async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '10', public_chat: 'true' } });
  await harness.api.admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { locale: 'pt-BR' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advanceMinutes(4);
  expect(findSandboxMeeting(fixture.room.uuid)?.chat).toEqual([]);
  await advanceMinutes(1);
  const messages = findSandboxMeeting(fixture.room.uuid)?.chat ?? [];
  expect(messages).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain('Os minutos de reunião estão quase no fim');
  await advanceMinutes(3);
  expect(findSandboxMeeting(fixture.room.uuid)?.chat).toHaveLength(1);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open' }]);
});

test('a provider that refuses or loses chat messages causes no failure', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '4' } });
  harness.sandbox.control.injectFault({ kind: 'connection-reset', call: 'sendChatMessage', times: null });
  onTestFinished(() => harness.sandbox.control.clearFaults());
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advanceMinutes(2);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', participant_minutes: 2 }]);
  await advanceMinutes(2);
  expect(await harness.meetings(fixture)).toMatchObject([
    { state: 'ended', end_reason: 'participant-minutes-used-up' },
  ]);
});

test('minutes that are added in time let the meeting continue', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '5' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advanceMinutes(4);
  const params = { subscription_id: fixture.subscription.id };
  const { data: features } = await harness.api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
  const minutes = features.find(({ tag }) => tag === 'participant_minutes');
  await harness.api.admin.updateSubscriptionFeature({
    params: { ...params, feature_id: minutes?.id ?? '' },
    body: { value: '8' },
  });
  await advanceMinutes(3);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'open', participant_minutes: 7 }]);
  await advanceMinutes(1);
  expect(await harness.meetings(fixture)).toMatchObject([{ state: 'ended' }]);
});

test('of twenty concurrent joins for the last three minutes, on two processes, exactly three succeed, and unused slots are released', async () => {
  const { api, sandbox } = harness;
  const otherProcess = await api.another();
  onTestFinished(() => otherProcess.close());
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '4' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  const attempts = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? api : otherProcess).admin.joinRoom({
        params: fixture.params,
        body: { name: `Guest ${index}`, role: 'attendee' },
      }),
    ),
  );
  const joinUrls = attempts.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.data.url] : []));
  const codes = attempts.flatMap((outcome) =>
    outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
  );
  expect(joinUrls).toHaveLength(3);
  expect(new Set(codes)).toEqual(new Set(['participant-minutes-used-up']));
  await followJoinUrl(sandbox, joinUrls[0] ?? '');
  api.clock.advance({ seconds: 59 });
  await harness.deliverCallbacks();
  expect((await refusalOf(harness.enter(fixture))).code).toBe('participant-minutes-used-up');
  expect(await harness.minutesUsed(fixture)).toBeLessThanOrEqual(2);
});

test('minutes that have passed since the last poll count when a person joins', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '3' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  harness.api.clock.advance({ minutes: 2, seconds: 30 });
  const { data: otherRoom } = await harness.api.admin.createRoom({
    body: { room_name: 'Another', account_id: fixture.account.id },
  });
  const refusal = await refusalOf(
    harness.api.admin.joinRoom({ params: { room_id: otherRoom.id }, body: { name: 'B', role: 'moderator' } }),
  );
  expect(refusal.code).toBe('participant-minutes-used-up');
});

describe('resold minutes', () => {
  async function createTestBranch(minutes: { parent: string; child: string }) {
    const { api } = harness;
    const parent = await harness.createTestRoom({ features: { ...soldFeatures, participant_minutes: minutes.parent } });
    await api.admin.updateCustomer({ params: { customer_id: parent.customer.id }, body: { is_reseller: true } });
    const customer = await makeCustomer(api, { parent_customer_id: parent.customer.id });
    const { data: reseller } = await api.admin.readCustomer({ params: { customer_id: parent.customer.id } });
    const { data: parentSubscription } = await api.admin.readSubscription({
      params: { subscription_id: parent.subscription.id },
    });
    const owner = api.clientWith(
      (await api.anyone.loginUser({ body: { username: reseller.email, password: 'difference engine no. 2' } }))
        .access_token,
    );
    const { data: subscription } = await owner.createSubscription({
      body: {
        package_id: parentSubscription.package_id,
        subscriber_id: customer.id,
        features: { max_rooms: 2, max_accounts: 1, participant_minutes: Number(minutes.child) },
      },
    });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: 'Below', subscription_id: subscription.id },
    });
    const { data: room } = await api.admin.createRoom({ body: { room_name: 'Below', account_id: account.id } });
    return { parent, child: { room, account, customer, subscription, params: { room_id: room.id } } };
  }

  test("are also charged to the parent subscription, and when its minutes are used up, its customers' meetings end", async () => {
    const { parent, child } = await createTestBranch({ parent: '6', child: '5' });
    await harness.enter(child, 'Anna');
    await harness.enter(parent, 'Berta');
    await harness.sync();
    await advanceMinutes(2);
    expect([await harness.minutesUsed(child), await harness.minutesUsed(parent)]).toEqual([2, 4]);
    await advanceMinutes(1);
    expect([await harness.minutesUsed(child), await harness.minutesUsed(parent)]).toEqual([3, 6]);
    expect(await harness.meetings(child)).toMatchObject([
      { state: 'ended', end_reason: 'participant-minutes-used-up' },
    ]);
    expect(await harness.meetings(parent)).toMatchObject([
      { state: 'ended', end_reason: 'participant-minutes-used-up' },
    ]);
  });
});

test('overcharged minutes are returned, but not in a past window and never below 0', async () => {
  const fixture = await harness.createTestRoom();
  const spend = async (amount: number, usedOn: string | null = null) =>
    await inTransaction(harness.api.app.dependencies, system, (change) =>
      recordUsages(
        change,
        ['participant_minutes'],
        new Map([[fixture.subscription.uuid, amount]]),
        usedOn === null ? null : calendarDate(usedOn),
      ),
    );
  await spend(10);
  await spend(-4, '2026-03-10');
  expect(await harness.minutesUsed(fixture)).toBe(6);
  await spend(-4, '2026-03-09');
  await spend(4, '2026-02-10');
  expect(await harness.minutesUsed(fixture)).toBe(6);
  await spend(-100);
  expect(await harness.minutesUsed(fixture)).toBe(0);
});

test.each([
  ['en-GB', 1, 'about 1 minute.'],
  ['en', 3, 'about 3 minutes.'],
  ['de_AT', 1, 'etwa 1 Minute.'],
  ['es', 2, 'unos 2 minutos.'],
  ['fr-FR', 2, 'environ 2 minutes.'],
  ['pt', 1, 'cerca de 1 minuto.'],
  ['ja', 2, 'about 2 minutes.'],
  ['constructor', 2, 'about 2 minutes.'],
])('the warning is in the language of the locale %s', (locale, minutes, ending) => {
  expect(minuteWarning(createCatalogues(), locale, minutes).endsWith(ending)).toBe(true);
});
