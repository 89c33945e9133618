import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { inTransaction, system } from '../src/events/change.ts';
import { minuteWarning } from '../src/modules/meetings/minutes/minute-limits.ts';
import { createCatalogues } from '../src/platform/text/catalogues.ts';
import { spendFeatures } from '../src/modules/subscriptions/index.ts';
import { calendarDate } from '../src/platform/time/calendar-date.ts';
import { makeCustomer, refusalOf, soldFeatures } from './factories.ts';
import { followJoinUrl, startMeetingHarness, type MeetingHarness } from './meeting-harness.ts';

let harness: MeetingHarness;

beforeAll(async () => {
  harness = await startMeetingHarness();
});
afterAll(() => harness.close());

async function advanceMinutes(minutes: number, at: MeetingHarness = harness) {
  for (let minute = 0; minute < minutes; minute++) {
    at.api.clock.advance({ minutes: 1 });
    await at.settle();
    await at.sync();
  }
}

const ofRoom = (uuid: string, at: MeetingHarness = harness) =>
  at.sandbox.control.state().meetings.findLast(({ meetingID }) => meetingID === uuid);

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
  expect(ofRoom(fixture.room.uuid)).toMatchObject({ running: false, endReason: 'end-call' });
  const refusal = await refusalOf(harness.enter(fixture, 'Carla'));
  expect([refusal.status, refusal.code]).toEqual([403, 'participant-minutes-used-up']);
  const reached = await harness.api.app.connection.pool.query(
    `select count(*)::int as count from events where name = 'subscription.limit_reached' and resource_id = $1`,
    [fixture.subscription.uuid],
  );
  expect(reached.rows).toEqual([{ count: 1 }]);
});

test("participants are warned once, five minutes before the minutes are used up, in the customer's language", async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '10', public_chat: 'true' } });
  await harness.api.admin.updateCustomer({ params: { customer_id: fixture.customer.id }, body: { locale: 'pt-BR' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  await advanceMinutes(4);
  expect(ofRoom(fixture.room.uuid)?.chat).toEqual([]);
  await advanceMinutes(1);
  const messages = ofRoom(fixture.room.uuid)?.chat ?? [];
  expect(messages).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain('Os minutos de reunião estão quase no fim');
  await advanceMinutes(3);
  expect(ofRoom(fixture.room.uuid)?.chat).toHaveLength(1);
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
  const other = await api.another();
  onTestFinished(() => other.close());
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '4' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  const tries = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? api : other).admin.joinRoom({
        params: fixture.params,
        body: { name: `Guest ${index}`, role: 'attendee' },
      }),
    ),
  );
  const entered = tries.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value.data.url] : []));
  const codes = tries.flatMap((outcome) =>
    outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
  );
  expect(entered).toHaveLength(3);
  expect(new Set(codes)).toEqual(new Set(['participant-minutes-used-up']));
  await followJoinUrl(sandbox, entered[0] ?? '');
  api.clock.advance({ seconds: 59 });
  await harness.settle();
  expect((await refusalOf(harness.enter(fixture))).code).toBe('participant-minutes-used-up');
  expect(await harness.minutesUsed(fixture)).toBeLessThanOrEqual(2);
});

test('minutes that have passed since the last poll count when a person joins', async () => {
  const fixture = await harness.createTestRoom({ features: { participant_minutes: '3' } });
  await harness.enter(fixture, 'Anna');
  await harness.sync();
  harness.api.clock.advance({ minutes: 2, seconds: 30 });
  const { data: other } = await harness.api.admin.createRoom({
    body: { room_name: 'Another', account_id: fixture.account.id },
  });
  const refusal = await refusalOf(
    harness.api.admin.joinRoom({ params: { room_id: other.id }, body: { name: 'B', role: 'moderator' } }),
  );
  expect(refusal.code).toBe('participant-minutes-used-up');
});

describe('minutes that were handed down', () => {
  async function createTestBranch(minutes: { above: string; below: string }) {
    const { api } = harness;
    const above = await harness.createTestRoom({ features: { ...soldFeatures, participant_minutes: minutes.above } });
    await api.admin.updateCustomer({ params: { customer_id: above.customer.id }, body: { is_reseller: true } });
    const customer = await makeCustomer(api, { parent_customer_id: above.customer.id });
    const { data: holder } = await api.admin.readCustomer({ params: { customer_id: above.customer.id } });
    const { data: parent } = await api.admin.readSubscription({ params: { subscription_id: above.subscription.id } });
    const owner = api.clientWith(
      (await api.anyone.loginUser({ body: { username: holder.email, password: 'difference engine no. 2' } }))
        .access_token,
    );
    const { data: subscription } = await owner.createSubscription({
      body: {
        package_id: parent.package_id,
        subscriber_id: customer.id,
        features: { max_rooms: 2, max_accounts: 1, participant_minutes: Number(minutes.below) },
      },
    });
    const { data: account } = await api.admin.createAccount({
      body: { account_name: 'Below', subscription_id: subscription.id },
    });
    const { data: room } = await api.admin.createRoom({ body: { room_name: 'Below', account_id: account.id } });
    return { above, below: { room, account, customer, subscription, params: { room_id: room.id } } };
  }

  test('are charged to the parent, too, and when its minutes are used up, the meetings below end', async () => {
    const { above, below } = await createTestBranch({ above: '6', below: '5' });
    await harness.enter(below, 'Anna');
    await harness.enter(above, 'Berta');
    await harness.sync();
    await advanceMinutes(2);
    expect([await harness.minutesUsed(below), await harness.minutesUsed(above)]).toEqual([2, 4]);
    await advanceMinutes(1);
    expect([await harness.minutesUsed(below), await harness.minutesUsed(above)]).toEqual([3, 6]);
    expect(await harness.meetings(below)).toMatchObject([
      { state: 'ended', end_reason: 'participant-minutes-used-up' },
    ]);
    expect(await harness.meetings(above)).toMatchObject([
      { state: 'ended', end_reason: 'participant-minutes-used-up' },
    ]);
  });
});

test('overcharged minutes are returned, but not in a past window and never below 0', async () => {
  const fixture = await harness.createTestRoom();
  const spend = async (amount: number, spentOn: string | null = null) =>
    await inTransaction(harness.api.app.dependencies, system, (change) =>
      spendFeatures(
        change,
        ['participant_minutes'],
        new Map([[fixture.subscription.uuid, amount]]),
        spentOn === null ? null : calendarDate(spentOn),
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
