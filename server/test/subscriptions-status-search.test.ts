import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
const start = '2026-01-31T12:00:00Z';
const statuses = ['active', 'inactive', 'canceled', 'suspended', 'terminated'] as const;

beforeAll(async () => {
  api = await startApi({ now: start });
});
afterAll(() => api.close());
beforeEach(() => api.clock.set(start));

async function list(query: Record<string, unknown>) {
  return (await api.admin.listSubscriptions({ query: { limit: 0, ...query } })).data;
}

const interval = fc.constantFrom('day', 'week', 'month', 'year');
const subscriptionCase = fc.record({
  periodicity: fc.integer({ min: 1, max: 3 }),
  periodicity_type: interval,
  grace_period: fc.integer({ min: 0, max: 3 }),
  grace_interval: interval,
  trial_period: fc.integer({ min: 0, max: 40 }),
  trial_mode: fc.constantFrom('inside', 'outside'),
  move: fc.constantFrom('none', 'none', 'none', 'cancel', 'cancel now', 'inactive', 'suspended', 'terminated'),
  endsAt: fc.constantFrom(null, null, '2026-02-28', '2028-02-29', '9999-12-31'),
});

test('searching and ordering use the returned status, on every day, with and without the job', async () => {
  const { id: package_id } = await makePackage(api, { features: {} });
  const { id: subscriber_id } = await makeCustomer(api);
  for (const { move, endsAt, ...terms } of fc.sample(subscriptionCase, { numRuns: 60, seed: 20260131 })) {
    const { data } = await api.admin.createSubscription({
      body: { package_id, subscriber_id, trial_interval: 'day', ...terms } as never,
    });
    const params = { subscription_id: data.id };
    if (endsAt !== null) await api.admin.updateSubscription({ params, body: { ends_at: endsAt } });
    if (move.startsWith('cancel')) {
      await api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: move === 'cancel now' } });
    } else if (move !== 'none') {
      await api.admin.updateSubscription({ params, body: { status: move as 'inactive' } });
    }
  }
  const days = ['2026-01-31', '2026-02-01', '2026-02-28', '2026-03-01', '2026-03-31', '2026-05-01', '2027-02-01'];
  let checkedCount = 0;
  for (const today of [...days, '2028-02-29', '2028-03-01', '2036-01-01']) {
    api.clock.set(`${today}T09:00:00Z`);
    const all = await list({});
    expect(all).toHaveLength(60);
    for (const status of statuses) {
      const expected = all.filter((row) => row.status === status).map(({ id }) => id);
      expect([today, status, (await list({ search: `status:${status}` })).map(({ id }) => id)]).toEqual([
        today,
        status,
        expected,
      ]);
      checkedCount += expected.length;
    }
    for (const isActive of [true, false]) {
      const expected = all.filter((row) => row.is_active === isActive).map(({ id }) => id);
      expect((await list({ search: `is_active:${isActive}` })).map(({ id }) => id)).toEqual(expected);
    }
    const order = (await list({ orderBy: 'status', sortedBy: 'asc' })).map(({ status }) => status);
    expect(order).toEqual(order.toSorted());
    expect(order).toHaveLength(60);
  }
  expect(checkedCount).toBe(600);
  const before = await list({});
  await runJob(api.app.dependencies, 'expire-subscriptions');
  expect((await list({})).map(({ status }) => status)).toEqual(before.map(({ status }) => status));
});

test('consecutive pages by cursor are in the order of the returned values', async () => {
  api.clock.set('2026-06-01T09:00:00Z');
  const listedStatuses: string[] = [];
  for (let cursor: string | null | undefined = ''; typeof cursor === 'string';) {
    const { data, meta } = await api.admin.listSubscriptions({
      query: { orderBy: 'status', sortedBy: 'desc', limit: 7, ...(cursor ? { cursor } : {}) },
    });
    listedStatuses.push(...data.map(({ status }) => status));
    cursor = meta.pagination?.next_cursor;
  }
  expect(listedStatuses).toHaveLength((await list({})).length);
  expect(listedStatuses).toEqual(listedStatuses.toSorted().toReversed());
});
