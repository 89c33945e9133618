import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { publishAll } from '../src/modules/events/index.ts';
import { runJob } from '../src/modules.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi({ now: '2026-01-31T10:00:00.000000Z' });
});
afterAll(() => api.close());

async function subscribe(terms: object = {}, packageTerms: object = { auto_renew: true }) {
  const sold = await makePackage(api, { body: { periodicity: 1, periodicity_type: 'month', ...packageTerms } });
  const customer = await makeCustomer(api);
  const { data } = await api.admin.createSubscription({
    body: { package_id: sold.id, subscriber_id: customer.id, ...terms },
  });
  return { subscription: data, params: { subscription_id: data.id } };
}

const read = async (params: { subscription_id: string }) => (await api.admin.readSubscription({ params })).data;

async function eventsOf(id: string, name: string) {
  const { data } = await api.admin.listEvents({
    query: { search: `resource_id:${id};name:${name}`, searchJoin: 'and', orderBy: 'sequence', sortedBy: 'asc' },
  });
  return data;
}

const day = (text: string) => `${text}T00:00:00.000000Z`;

test('auto_renew is copied from the package, can be set for one subscription, and is shown in previews', async () => {
  expect((await subscribe()).subscription.auto_renew).toBe(true);
  expect((await subscribe({}, {})).subscription.auto_renew).toBe(false);
  const { subscription, params } = await subscribe({ auto_renew: false });
  expect(subscription.auto_renew).toBe(false);
  await api.admin.updateSubscription({ params, body: { auto_renew: true } });
  const { data: preview } = await api.admin.previewSubscription({ params, body: { renew: true } });
  expect(preview).toMatchObject({ auto_renew: true, last_day_of_use: null });
  const { data: newPreview } = await api.admin.previewNewSubscription({
    body: { package_id: subscription.package_id, subscriber_id: subscription.subscriber_id },
  });
  expect(newPreview).toMatchObject({ auto_renew: true });
});

test('a period that has ended is renewed on the next day, without an interruption', async () => {
  const { subscription, params } = await subscribe();
  expect(subscription).toMatchObject({ starts_at: day('2026-01-31'), ends_at: day('2026-02-28') });
  api.clock.advance({ days: 28 });
  expect(await runJob(api.app.dependencies, 'renew-subscriptions')).toBe(0);
  api.clock.advance({ days: 1 });
  // The jobs have not run yet.
  expect(await read(params)).toMatchObject({ status: 'active', is_usable: true, last_day_of_use: null });
  await runJob(api.app.dependencies, 'expire-subscriptions');
  expect(await read(params)).toMatchObject({ status: 'active', ends_at: day('2026-02-28') });
  await runJob(api.app.dependencies, 'renew-subscriptions');
  expect(await read(params)).toMatchObject({
    status: 'active',
    is_usable: true,
    starts_at: day('2026-02-28'),
    // The anchor day is the 31st.
    ends_at: day('2026-03-31'),
  });
  expect(await eventsOf(subscription.id, 'subscription.renewed')).toMatchObject([
    {
      actor: { type: 'system' },
      data: { automatic: true, ends_at: day('2026-03-31') },
      previous: { ends_at: day('2026-02-28') },
    },
  ]);
  await api.admin.renewSubscription({ params, body: { renew: true } });
  expect((await eventsOf(subscription.id, 'subscription.renewed')).map(({ data }) => data['automatic'])).toEqual([
    true,
    false,
  ]);
});

test('several periods that passed without a job run are renewed in one step, and only once by two workers', async () => {
  const { subscription, params } = await subscribe();
  const { ends_at: endsAt } = subscription;
  api.clock.advance({ days: 100 });
  await Promise.all([
    runJob(api.app.dependencies, 'renew-subscriptions'),
    runJob(api.app.dependencies, 'renew-subscriptions'),
  ]);
  const renewed = await read(params);
  expect(renewed.ends_at > new Date(api.clock.nowMs()).toISOString().slice(0, 10)).toBe(true);
  expect(Date.parse(renewed.ends_at) - Date.parse(endsAt)).toBeLessThan(128 * 86_400_000);
  expect(await eventsOf(subscription.id, 'subscription.renewed')).toHaveLength(1);
});

test('after three years without a job run, subscriptions of every period length are renewed up to today, with one event', async () => {
  const subscriptions = [];
  for (const [periodicity_type, periodicity] of [
    ['day', 1],
    ['week', 2],
    ['month', 1],
    ['year', 1],
  ] as const)
    subscriptions.push(await subscribe({}, { auto_renew: true, periodicity, periodicity_type }));
  api.clock.advance({ days: 3 * 365 + 1 });
  await runJob(api.app.dependencies, 'expire-subscriptions');
  await runJob(api.app.dependencies, 'renew-subscriptions');
  const today = new Date(api.clock.nowMs()).toISOString().slice(0, 10);
  for (const { subscription, params } of subscriptions) {
    const renewed = await read(params);
    expect(renewed).toMatchObject({ status: 'active', is_usable: true });
    expect([renewed.starts_at.slice(0, 10) <= today, renewed.ends_at.slice(0, 10) >= today]).toEqual([true, true]);
    expect(await eventsOf(subscription.id, 'subscription.renewed')).toMatchObject([{ data: { automatic: true } }]);
  }
  expect(await runJob(api.app.dependencies, 'renew-subscriptions')).toBe(0);
});

test('a renewal needs no stock and no package for sale, keeps the day of the month, and has one event, also on 29 February and when daylight saving time begins', async () => {
  const zoned = await startApi({ now: '2028-01-30T23:30:00.000000Z' });
  onTestFinished(() => zoned.close());
  const { admin, clock } = zoned;
  // In Berlin it is 31 January. Daylight saving time begins on 26 March 2028.
  await admin.updateSettings({ body: { system_timezone: 'Europe/Berlin' } });
  const body = { periodicity: 1, periodicity_type: 'month', auto_renew: true, has_stock: true, stock_qty: 1 };
  const sold = await makePackage(zoned, { body });
  const customer = await makeCustomer(zoned);
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: sold.id, subscriber_id: customer.id },
  });
  const packageParams = { service_package_id: sold.id };
  expect((await admin.readServicePackage({ params: packageParams })).data.stock_qty).toBe(0);
  await admin.updateServicePackage({ params: packageParams, body: { retired: true, status: 'inactive' } });
  const params = { subscription_id: subscription.id };
  const periods = [subscription.ends_at];
  for (const days of [31, 30, 31, 30]) {
    clock.advance({ days });
    for (const _ of [1, 2]) await runJob(zoned.app.dependencies, 'renew-subscriptions');
    periods.push((await admin.readSubscription({ params })).data.ends_at);
  }
  expect(periods).toEqual(['2028-02-29', '2028-03-31', '2028-04-30', '2028-05-31', '2028-06-30'].map(day));
  await publishAll(zoned.app.dependencies);
  const { data: renewals } = await admin.listEvents({
    query: { search: `resource_id:${subscription.id};name:subscription.renewed`, searchJoin: 'and' },
  });
  expect(renewals.map(({ data }) => data['ends_at']).toReversed()).toEqual(periods.slice(1));
  expect((await admin.readServicePackage({ params: packageParams })).data.stock_qty).toBe(0);
});

test('subscriptions that are canceled, suspended or without auto_renew end as usual', async () => {
  const [canceled, suspended, other] = [await subscribe(), await subscribe(), await subscribe({ auto_renew: false })];
  await api.admin.cancelSubscription({ params: canceled.params, body: { cancel: true } });
  await api.admin.updateSubscription({ params: suspended.params, body: { status: 'suspended' } });
  api.clock.advance({ days: 40 });
  await runJob(api.app.dependencies, 'renew-subscriptions');
  await runJob(api.app.dependencies, 'expire-subscriptions');
  for (const { params, subscription } of [canceled, suspended, other])
    expect(await read(params)).toMatchObject({ status: 'suspended', is_usable: false, ends_at: subscription.ends_at });
  // A period that has ended is not renewed by an activation.
  await expect(
    api.admin.updateSubscription({ params: suspended.params, body: { status: 'active' } }),
  ).rejects.toMatchObject({ status: 409, code: 'status-change-not-allowed' });
});

test('the end of a subscription is announced 14, 3 and 1 days before, once each, unless it renews automatically', async () => {
  const [ending, renewing] = [await subscribe({ auto_renew: false }), await subscribe()];
  const daysLeft = Math.round((Date.parse(ending.subscription.ends_at) - api.clock.nowMs()) / 86_400_000);
  const announce = () => runJob(api.app.dependencies, 'announce-expiry');
  const announcedDays = async ({ subscription }: typeof ending) =>
    (await eventsOf(subscription.id, 'subscription.expiring')).map(({ data }) => data['days_left']);
  await announce();
  expect(await announcedDays(ending)).toEqual([]);
  api.clock.advance({ days: daysLeft - 13 });
  await Promise.all([announce(), announce()]);
  await announce();
  const [first] = await announcedDays(ending);
  expect([13, 14]).toContain(first);
  // The job did not run for days.
  api.clock.advance({ days: Number(first) - 2 });
  await announce();
  api.clock.advance({ days: 1 });
  await announce();
  await announce();
  expect(await announcedDays(ending)).toEqual([first, 2, 1]);
  expect(await announcedDays(renewing)).toEqual([]);
  // The new end is announced again.
  await api.admin.renewSubscription({ params: ending.params, body: { renew: true } });
  await announce();
  expect(await announcedDays(ending)).toHaveLength(3);
});

test('auto_renew must be true or false', async () => {
  const { params } = await subscribe();
  await expect(api.admin.updateSubscription({ params, body: { auto_renew: 'often' } as never })).rejects.toMatchObject({
    status: 422,
    errors: { auto_renew: [expect.any(String)] },
  });
});

test('automatically renewed subscriptions count as active in reports, not as expiring, and the filter expiring_within excludes them', async () => {
  const { params, subscription } = await subscribe();
  const readReport = async () => {
    const { data } = await api.admin.readSubscriptionsReport({
      query: { customer_id: subscription.subscriber_id, expiring_within: 90 },
    });
    return data.at(-1);
  };
  const countExpiring = async () => {
    const { data } = await api.admin.listSubscriptions({
      query: { search: `subscriber_id:${subscription.subscriber_id}`, expiring_within: '90' } as never,
    });
    return data.length;
  };
  expect([await readReport(), await countExpiring()]).toMatchObject([{ active: 1, expiring: 0 }, 0]);
  await api.admin.updateSubscription({ params, body: { auto_renew: false } });
  expect([await readReport(), await countExpiring()]).toMatchObject([{ active: 1, expiring: 1 }, 1]);
});
