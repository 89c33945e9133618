import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makeCustomer, makePackage, makeProvider, refusalOf, soldFeatures } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
const start = '2026-03-10T12:00:00Z';

beforeAll(async () => {
  api = await startApi({ now: start });
});

afterAll(() => api.close());

beforeEach(() => api.clock.set(start));

type PackageOptions = Parameters<typeof makePackage>[1];

async function createTestSubscription(options: PackageOptions = {}, body: Record<string, unknown> = {}) {
  const servicePackage = await makePackage(api, options);
  const customer = await makeCustomer(api);
  const { data: subscription } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id, ...body },
  });
  return { servicePackage, customer, subscription, params: { subscription_id: subscription.id } };
}

type Status = Awaited<ReturnType<typeof createTestSubscription>>['subscription']['status'];

async function read(params: { subscription_id: string }) {
  return (await api.admin.readSubscription({ params })).data;
}

async function featureOf(params: { subscription_id: string }, tag: string) {
  const { data } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
  const feature = data.find((candidate) => candidate.tag === tag);
  if (!feature) throw new Error(`the subscription has no ${tag}`);
  return feature;
}

async function eventsOf({ uuid }: { uuid: string }) {
  const rows = await api.app.dependencies.db
    .selectFrom('events')
    .select('name')
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  return rows.map(({ name }) => name);
}

async function setUsed({ uuid }: { uuid: string }, tag: string, used: number) {
  await sql`update subscription_usages usage set used = ${used} from subscription_features feature
    where feature.id = usage.subscription_feature_id and feature.subscription_id = ${uuid} and tag = ${tag}`.execute(
    api.app.dependencies.db,
  );
}

async function run(job: string, node = api): Promise<number> {
  return (await runJob(node.app.dependencies, job)) ?? Number.NaN;
}

const setDay = (day: string) => api.clock.set(`${day}T09:00:00Z`);
const day = (text: string) => `${text}T00:00:00.000000Z`;

describe('creation', () => {
  test('copies terms, features without usage, and the default provider of the package', async () => {
    const provider = await makeProvider(api);
    const { servicePackage, customer, subscription, params } = await createTestSubscription({
      provider: provider.id,
      body: {
        name: 'Gold',
        price: 49.95,
        currency: 'EUR',
        tier: 3,
        periodicity: 2,
        periodicity_type: 'week',
        trial_period: 3,
        trial_interval: 'day',
        grace_period: 4,
        grace_interval: 'day',
      },
    });
    expect(subscription).toMatchObject({
      object: 'ServicePackageSubscription',
      package_id: servicePackage.id,
      subscriber_id: customer.id,
      service_type: 'meet',
      status: 'active',
      is_active: true,
      price: 49.95,
      currency: 'EUR',
      tier: 3,
      periodicity: 2,
      periodicity_type: 'week',
      trial_period: 3,
      trial_interval: 'day',
      trial_mode: 'outside',
      grace_period: 4,
      grace_interval: 'day',
      cancels_at: null,
      canceled_at: null,
      subscription_metadata: {},
    });
    expect(subscription.tag).toMatch(/^[a-z0-9]{8}$/);
    expect(subscription.name).toBe(`Gold - ${subscription.tag}`);
    const { data: features } = await api.admin.readSubscriptionUsage({ params, query: { limit: 0 } });
    expect(Object.fromEntries(features.map(({ tag, value }) => [tag, value]))).toEqual(soldFeatures);
    expect(features.map(({ usage }) => usage.data.used)).toEqual(features.map(() => 0));
    const { data: providers } = await api.admin.listSubscriptionProviders({ params });
    expect(providers).toMatchObject([
      { active: true, default: true, service_provider_id: provider.id, package_id: servicePackage.id },
    ]);
    expect(await eventsOf(subscription)).toEqual(['subscription.created']);
  });

  test('can replace the terms of the package', async () => {
    const terms = { name: 'Ours', price: 1.5, periodicity: 1, periodicity_type: 'year', grace_period: 7, tier: null };
    const { subscription } = await createTestSubscription(
      { body: { tier: 2 } },
      { ...terms, subscription_metadata: { po: 'A-1' } },
    );
    expect(subscription).toMatchObject({ ...terms, ends_at: day('2027-03-10'), subscription_metadata: { po: 'A-1' } });
  });

  test('composes a name of at most 150 characters, and rejects a longer one in the request', async () => {
    const { subscription, params } = await createTestSubscription({ body: { name: '😀'.repeat(145) } });
    expect(subscription.name).toBe(`${'😀'.repeat(145)} - ${subscription.tag}`.slice(0, 290 + 5));
    const changed = await api.admin.updateSubscription({ params, body: { name: 'n'.repeat(150) } });
    expect(changed.data.name).toBe('n'.repeat(150));
    const tooLong = await refusalOf(api.admin.updateSubscription({ params, body: { name: 'n'.repeat(151) } }));
    expect([tooLong.status, Object.keys(tooLong.errors)]).toEqual([422, ['name']]);
    const refusal = await refusalOf(createTestSubscription({}, { name: 'n'.repeat(151) }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['name']]);
  });

  test.each([
    ['no trial', {}, { starts_at: '2026-03-10', ends_at: '2026-04-10', trial_ends_at: null }],
    [
      'a trial before the first period',
      { trial_period: 14, trial_interval: 'day' },
      { starts_at: '2026-03-24', ends_at: '2026-04-24', trial_ends_at: '2026-03-24' },
    ],
    [
      'a trial within the first period',
      { trial_period: 2, trial_interval: 'week', trial_mode: 'inside' },
      { starts_at: '2026-03-10', ends_at: '2026-04-10', trial_ends_at: '2026-03-24' },
    ],
    [
      'periods of years',
      { periodicity: 2, periodicity_type: 'year' },
      { starts_at: '2026-03-10', ends_at: '2028-03-10', trial_ends_at: null },
    ],
  ])('sets the dates: %s', async (_, body, dates) => {
    const { subscription } = await createTestSubscription({ body });
    const expected = Object.entries(dates).map(([name, date]) => [name, date === null ? null : day(date)]);
    expect(subscription).toMatchObject(Object.fromEntries(expected));
  });

  test('counts days in the time zone of the system', async () => {
    await api.admin.updateSettings({ body: { system_timezone: 'Asia/Tokyo' } });
    onTestFinished(async () => void (await api.admin.updateSettings({ body: { system_timezone: 'UTC' } })));
    api.clock.set('2026-03-10T20:00:00Z');
    const { subscription } = await createTestSubscription();
    expect(subscription.starts_at).toBe(day('2026-03-11'));
  });

  test('keeps its terms when the package changes', async () => {
    const { servicePackage, params, subscription } = await createTestSubscription({ body: { price: 10 } });
    await api.admin.updateServicePackage({
      params: { service_package_id: servicePackage.id },
      body: { price: 99, periodicity_type: 'year', grace_period: 30 },
    });
    expect(await read(params)).toEqual(subscription);
  });

  test('uses the default provider, or the first active one', async () => {
    const servicePackage = await makePackage(api);
    const packageParams = { service_package_id: servicePackage.id };
    const second = await makeProvider(api);
    const { data: rows } = await api.admin.listServicePackageProviders({ params: packageParams });
    await api.admin.createServicePackageProvider({
      params: packageParams,
      body: { service_provider_id: second.id },
    });
    const customer = await makeCustomer(api);
    const body = { package_id: servicePackage.id, subscriber_id: customer.id };
    const defaultOf = async () => {
      const { data } = await api.admin.createSubscription({ body });
      const providers = await api.admin.listSubscriptionProviders({ params: { subscription_id: data.id } });
      return providers.data.map((row) => [row.service_provider_id, row.default]);
    };
    expect(await defaultOf()).toEqual([[rows[0]?.service_provider_id, true]]);
    await api.admin.updateServicePackageProvider({
      params: { ...packageParams, provider_id: rows[0]?.id ?? '' },
      body: { active: false },
    });
    expect(await defaultOf()).toEqual([[second.id, true]]);
  });

  test.each([
    ['is inactive', { status: 'inactive' }, 'The service package is not active.'],
    ['is retired', { retired: true }, 'The service package is retired.'],
    ['is out of stock', { has_stock: true, stock_qty: 0 }, 'The service package is out of stock.'],
  ])('is rejected when the package %s', async (_, body, reason) => {
    const servicePackage = await makePackage(api, { body });
    const customer = await makeCustomer(api);
    const refusal = await refusalOf(
      api.admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } }),
    );
    expect([refusal.status, refusal.code]).toEqual([422, 'package-not-available']);
    expect(refusal.errors).toEqual({ package_id: [reason] });
  });

  test('is rejected when no provider of the package is active', async () => {
    const { data: bare } = await api.admin.createServicePackage({ body: { name: 'Bare' } });
    const customer = await makeCustomer(api);
    const body = { package_id: bare.id, subscriber_id: customer.id };
    const reason = 'The service package has no active provider.';
    expect((await refusalOf(api.admin.createSubscription({ body }))).errors).toEqual({ package_id: [reason] });
    const provider = await makeProvider(api);
    await api.admin.createServicePackageProvider({
      params: { service_package_id: bare.id },
      body: { service_provider_id: provider.id, active: false },
    });
    expect((await refusalOf(api.admin.createSubscription({ body }))).errors).toEqual({ package_id: [reason] });
  });

  test('is rejected for an unknown package or customer, naming the field', async () => {
    const { servicePackage, customer } = await createTestSubscription();
    const unknownCustomerId = 'cust_01jd0000000000000000000000';
    const unknownPackageId = 'pkg_01jd0000000000000000000000';
    const errorsOf = async (body: { package_id: string; subscriber_id: string }) =>
      Object.keys((await refusalOf(api.admin.createSubscription({ body }))).errors);
    expect(await errorsOf({ package_id: servicePackage.id, subscriber_id: unknownCustomerId })).toEqual([
      'subscriber_id',
    ]);
    expect(await errorsOf({ package_id: unknownPackageId, subscriber_id: customer.id })).toEqual(['package_id']);
    expect(await errorsOf({ package_id: customer.id, subscriber_id: 'x' })).toEqual(['package_id', 'subscriber_id']);
  });

  test.each(['inactive', 'suspended', 'terminated'] as const)(
    'is rejected for a customer that is %s',
    async (status) => {
      const { servicePackage, customer } = await createTestSubscription();
      await api.admin.updateCustomer({ params: { customer_id: customer.id }, body: { status } });
      const body = { package_id: servicePackage.id, subscriber_id: customer.id };
      const refusal = await refusalOf(api.admin.createSubscription({ body }));
      expect([refusal.status, refusal.code]).toEqual([409, 'customer-not-active']);
    },
  );

  test('never exceeds the stock under concurrency, and takes none for a failed creation', async () => {
    const servicePackage = await makePackage(api, { body: { has_stock: true, stock_qty: 10 } });
    const customer = await makeCustomer(api);
    const body = { package_id: servicePackage.id, subscriber_id: customer.id };
    await refusalOf(
      api.admin.createSubscription({ body: { ...body, subscriber_id: 'cust_01jd0000000000000000000000' } }),
    );
    const second = await api.another();
    onTestFinished(() => second.close());
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, index) => (index % 2 ? api : second).admin.createSubscription({ body })),
    );
    const codes = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'made' : (outcome.reason as { code: string }).code,
    );
    expect(codes.filter((code) => code === 'made')).toHaveLength(10);
    expect(codes.filter((code) => code === 'package-not-available')).toHaveLength(20);
    const params = { service_package_id: servicePackage.id };
    expect((await api.admin.readServicePackage({ params })).data.stock_qty).toBe(0);
  });
});

describe('renewal', () => {
  const terms = { body: { grace_period: 5, grace_interval: 'day' } };

  test.each([
    ['during the period, the end moves', '2026-03-20', {}, '2026-03-10', '2026-05-10'],
    ['on its last day, the end moves', '2026-04-10', {}, '2026-03-10', '2026-05-10'],
    ['by several cycles at once', '2026-03-20', { cycles: 3 }, '2026-03-10', '2026-07-10'],
    ['in grace, the new period starts at the end of the old one', '2026-04-11', {}, '2026-04-10', '2026-05-10'],
    [
      'on the last day of grace, the new period starts at the end of the old one',
      '2026-04-15',
      {},
      '2026-04-10',
      '2026-05-10',
    ],
    ['after grace, the new period starts today', '2026-04-16', {}, '2026-04-16', '2026-05-16'],
    ['long after, the new period starts today', '2027-01-31', { cycles: 2 }, '2027-01-31', '2027-03-31'],
  ])('%s', async (_, today, body, startsAt, endsAt) => {
    const { params, subscription } = await createTestSubscription(terms);
    setDay(today);
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true, ...body } });
    expect(data).toMatchObject({ status: 'active', is_active: true, starts_at: day(startsAt), ends_at: day(endsAt) });
    expect(await read(params)).toMatchObject({ starts_at: day(startsAt), ends_at: day(endsAt) });
    expect(await eventsOf(subscription)).toEqual(['subscription.created', 'subscription.renewed']);
  });

  test('during the trial keeps the start', async () => {
    const { params } = await createTestSubscription({ body: { trial_period: 14, trial_interval: 'day' } });
    setDay('2026-03-12');
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true } });
    expect(data).toMatchObject({ starts_at: day('2026-03-24'), ends_at: day('2026-05-24') });
  });

  test('keeps the anchor day after shorter months', async () => {
    setDay('2026-01-31');
    const { params, subscription } = await createTestSubscription();
    expect(subscription.ends_at).toBe(day('2026-02-28'));
    const ends: string[] = [];
    for (let month = 0; month < 3; month++) {
      ends.push((await api.admin.renewSubscription({ params, body: { renew: true } })).data.ends_at);
    }
    expect(ends).toEqual([day('2026-03-31'), day('2026-04-30'), day('2026-05-31')]);
  });

  test('returns to the leap day in leap years', async () => {
    setDay('2028-02-29');
    const { params, subscription } = await createTestSubscription({ body: { periodicity_type: 'year' } });
    expect(subscription.ends_at).toBe(day('2029-02-28'));
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true, cycles: 3 } });
    expect(data.ends_at).toBe(day('2032-02-29'));
  });

  test('leaves usage that does not reset untouched', async () => {
    const { subscription, params } = await createTestSubscription();
    await setUsed(subscription, 'max_rooms', 7);
    setDay('2026-06-01');
    await api.admin.renewSubscription({ params, body: { renew: true } });
    expect((await featureOf(params, 'max_rooms')).usage.data.used).toBe(7);
  });

  test('with renew: false changes nothing and has no event', async () => {
    const { subscription, params } = await createTestSubscription();
    expect((await api.admin.renewSubscription({ params, body: { renew: false } })).data).toEqual(subscription);
    expect(await eventsOf(subscription)).toEqual(['subscription.created']);
  });

  test('of a canceled subscription is rejected without uncancel, and undoes the cancellation with uncancel', async () => {
    const { subscription, params } = await createTestSubscription();
    await api.admin.cancelSubscription({ params, body: { cancel: true } });
    const refusal = await refusalOf(api.admin.renewSubscription({ params, body: { renew: true } }));
    expect([refusal.status, refusal.code]).toEqual([409, 'subscription-canceled']);
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true, uncancel: true } });
    expect(data).toMatchObject({
      status: 'active',
      is_active: true,
      cancels_at: null,
      canceled_at: null,
      ends_at: day('2026-05-10'),
    });
    expect(await eventsOf(subscription)).toEqual([
      'subscription.created',
      'subscription.canceled',
      'subscription.uncanceled',
      'subscription.renewed',
    ]);
    const { data: events } = await api.admin.listEvents({
      query: { search: `resource_id:${subscription.id}`, orderBy: 'sequence', sortedBy: 'asc' },
    });
    const [uncanceled, renewed] = events.slice(2);
    expect(uncanceled).toMatchObject({
      data: { status: 'active', canceled_at: null, ends_at: subscription.ends_at },
      previous: { status: 'canceled', canceled_at: expect.any(String) as string },
    });
    expect(uncanceled?.previous).not.toHaveProperty('ends_at');
    expect(renewed).toMatchObject({ data: { ends_at: data.ends_at }, previous: { ends_at: subscription.ends_at } });
    expect(renewed?.previous).not.toHaveProperty('canceled_at');
  });

  test.each(['inactive', 'terminated'] as const)('is rejected if the subscription is %s', async (status) => {
    const { params } = await createTestSubscription();
    await api.admin.updateSubscription({ params, body: { status } });
    const refusal = await refusalOf(api.admin.renewSubscription({ params, body: { renew: true, uncancel: true } }));
    expect([refusal.status, refusal.code]).toEqual([409, `subscription-${status}`]);
  });

  test('needs at least one cycle', async () => {
    const { params } = await createTestSubscription();
    const refusal = await refusalOf(api.admin.renewSubscription({ params, body: { renew: true, cycles: 0 } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['cycles']]);
  });
});

describe('cancellation', () => {
  test.each([
    ['at the end of the period', {}, {}, '2026-04-10'],
    ['at the end of the trial', { trial_period: 14 }, {}, '2026-03-24'],
    ['now', {}, { cancel_now: true }, '2026-03-10'],
  ])('takes effect %s', async (_, body, request, cancelsAt) => {
    const { params, subscription } = await createTestSubscription({ body });
    const { data } = await api.admin.cancelSubscription({ params, body: { cancel: true, ...request } });
    expect(data).toMatchObject({ status: 'canceled', is_active: false, cancels_at: day(cancelsAt) });
    expect(data.canceled_at).toMatch(/^2026-03-10T12:0/);
    expect(await eventsOf(subscription)).toEqual(['subscription.created', 'subscription.canceled']);
  });

  test('leaves the subscription usable until its last day, without grace', async () => {
    const { params, subscription } = await createTestSubscription({ body: { grace_period: 30 } });
    await api.admin.cancelSubscription({ params, body: { cancel: true } });
    const body = { account_name: 'Late', subscription_id: subscription.id };
    setDay('2026-04-10');
    await api.admin.createAccount({ body });
    setDay('2026-04-11');
    expect((await refusalOf(api.admin.createAccount({ body }))).code).toBe('subscription-not-usable');
    expect((await read(params)).status).toBe('suspended');
  });

  test('with cancel_now takes effect at once', async () => {
    const { params, subscription } = await createTestSubscription();
    await api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
    const body = { account_name: 'Late', subscription_id: subscription.id };
    expect((await refusalOf(api.admin.createAccount({ body }))).code).toBe('subscription-not-usable');
  });

  test('of an inactive subscription, or with cancel: false, changes nothing', async () => {
    const { params, subscription } = await createTestSubscription();
    expect((await api.admin.cancelSubscription({ params, body: { cancel: false } })).data).toEqual(subscription);
    await api.admin.updateSubscription({ params, body: { status: 'suspended' } });
    const suspended = await read(params);
    expect((await api.admin.cancelSubscription({ params, body: { cancel: true } })).data).toEqual(suspended);
    expect(await eventsOf(subscription)).not.toContain('subscription.canceled');
  });
});

describe('a change', () => {
  const changeTo: Record<Status, (params: { subscription_id: string }) => Promise<unknown>> = {
    active: () => Promise.resolve(),
    inactive: (params) => api.admin.updateSubscription({ params, body: { status: 'inactive' } }),
    suspended: (params) => api.admin.updateSubscription({ params, body: { status: 'suspended' } }),
    terminated: (params) => api.admin.updateSubscription({ params, body: { status: 'terminated' } }),
    canceled: (params) => api.admin.cancelSubscription({ params, body: { cancel: true } }),
  };
  const moves: Record<Status, readonly Status[]> = {
    active: ['inactive', 'suspended', 'terminated'],
    inactive: ['active', 'terminated'],
    suspended: ['active', 'terminated'],
    canceled: ['terminated'],
    terminated: ['inactive'],
  };
  const states = Object.keys(moves) as Status[];

  test.each(states)('of the status from %s allows the documented statuses and no others', async (from) => {
    for (const to of states) {
      const { params } = await createTestSubscription();
      await changeTo[from](params);
      const before = await read(params);
      const call = api.admin.updateSubscription({ params, body: { status: to } });
      if (from === to) expect((await call).data.status).toBe(from);
      else if (moves[from].includes(to))
        expect((await call).data).toMatchObject({ status: to, is_active: to === 'active' });
      else {
        const refusal = await refusalOf(call);
        expect([refusal.status, refusal.code]).toEqual([409, 'status-change-not-allowed']);
        expect(await read(params)).toEqual(before);
      }
    }
  });

  test('of the status does not reactivate an expired subscription', async () => {
    const { params } = await createTestSubscription();
    setDay('2026-04-11');
    await run('expire-subscriptions');
    const refusal = await refusalOf(api.admin.updateSubscription({ params, body: { status: 'active' } }));
    expect([refusal.status, refusal.code]).toEqual([409, 'status-change-not-allowed']);
    const { data } = await api.admin.updateSubscription({ params, body: { status: 'active', ends_at: '2026-05-01' } });
    expect(data).toMatchObject({ status: 'active', ends_at: day('2026-05-01') });
  });

  test('of the start moves the anchor day', async () => {
    const { params } = await createTestSubscription();
    await api.admin.updateSubscription({ params, body: { starts_at: '2026-01-31', ends_at: '2026-02-28' } });
    setDay('2026-02-10');
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true } });
    expect(data.ends_at).toBe(day('2026-03-31'));
  });

  test('to contradictory dates is rejected, naming the field', async () => {
    const { params, subscription } = await createTestSubscription();
    for (const [body, field] of [
      [{ ends_at: '2026-03-09' }, 'ends_at'],
      [{ starts_at: '2026-04-11' }, 'starts_at'],
      [{ trial_ends_at: 'soon' }, 'trial_ends_at'],
    ] as const) {
      const refusal = await refusalOf(api.admin.updateSubscription({ params, body }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [field]]);
    }
    expect(await read(params)).toEqual(subscription);
  });

  test('of name, terms and metadata is stored', async () => {
    const { params } = await createTestSubscription();
    const body = { name: 'New', description: null, price: 3, currency: 'BRL', tier: 9, grace_period: 2 };
    const { data } = await api.admin.updateSubscription({
      params,
      body: { ...body, subscription_metadata: { a: [1] } },
    });
    expect(data).toMatchObject({ ...body, subscription_metadata: { a: [1] } });
    expect(await read(params)).toEqual(data);
  });

  test('of the tier accepts a number or a string of digits, and returns a number', async () => {
    const { params } = await createTestSubscription();
    const patch = (tier: unknown) => api.admin.updateSubscription({ params, body: { tier: tier as number } });
    for (const tier of [7, '7', ' 7 ']) expect((await patch(tier)).data.tier).toBe(7);
    for (const tier of ['gold', '7.5', '-1', '9999999999', 7.5]) {
      expect(Object.keys((await refusalOf(patch(tier))).errors)).toEqual(['tier']);
    }
  });

  test('of an immutable member is rejected, but the same value is accepted', async () => {
    const { params, subscription, servicePackage, customer } = await createTestSubscription();
    const other = await createTestSubscription();
    const same = {
      package_id: servicePackage.uuid,
      subscriber_id: customer.ulid,
      tag: subscription.tag,
      service_type: 'meet',
    };
    const patch = (body: Record<string, unknown>) => api.admin.updateSubscription({ params, body });
    expect((await patch(same)).data).toMatchObject({ tag: subscription.tag });
    const refusal = await refusalOf(
      patch({ package_id: other.servicePackage.id, subscriber_id: other.customer.id, tag: 'another1' }),
    );
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['package_id', 'subscriber_id', 'tag']]);
  });
});

test('only an inactive subscription can be deleted, and its accounts and rooms are deleted with it', async () => {
  const fixture = await makeAccount(api);
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Gone', account_id: fixture.account.id } });
  const params = { subscription_id: fixture.subscription.id };
  for (const status of ['active', 'terminated'] as const) {
    await api.admin.updateSubscription({ params, body: { status } });
    const refusal = await refusalOf(api.admin.deleteSubscription({ params }));
    expect([refusal.status, refusal.code]).toEqual([409, 'subscription-not-inactive']);
  }
  await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
  await api.admin.deleteSubscription({ params });
  const calls = [
    api.admin.readSubscription({ params }),
    api.admin.readAccount({ params: { account_id: fixture.account.id } }),
    api.admin.readRoom({ params: { room_id: room.id } }),
    api.admin.deleteSubscription({ params }),
  ];
  for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
  expect(await eventsOf(room)).toEqual(['room.created', 'room.deleted']);
  expect(await eventsOf(fixture.account)).toEqual(['account.created', 'account.deleted']);
  expect((await eventsOf(fixture.subscription)).at(-1)).toBe('subscription.deleted');
  const packageParams = { service_package_id: fixture.servicePackage.id };
  await api.admin.deleteServicePackage({ params: packageParams });
});

describe('features', () => {
  test('are added from the catalogue, with normalized values', async () => {
    const { params, subscription } = await createTestSubscription();
    const { data } = await api.admin.createSubscriptionFeature({
      params,
      body: { service_feature_code: 'polls', value: 'Y' },
    });
    expect(data).toMatchObject({
      object: 'ServicePackageSubscriptionFeature',
      tag: 'polls',
      value: 'true',
      package_feature_id: null,
      service_feature_id: null,
      subscription_id: subscription.id,
      service_subscription_id: subscription.id,
      usage: { data: { used: 0, valid_until: null, subscription_feature_tag: 'polls' } },
    });
    const { data: limit } = await api.admin.createSubscriptionFeature({
      params,
      body: { service_feature_code: 'max_storage', value: -1 },
    });
    expect(limit.value).toBe('unlimited');
  });

  test.each([
    [{ service_feature_code: 'teleport', value: '1' }, 'service_feature_code'],
    [{ service_feature_code: 'max_rooms', value: '1' }, 'service_feature_code'],
    [{ service_feature_code: 'max_storage', value: 'much' }, 'value'],
    [{ service_feature_code: 'max_storage', value: 1.5 }, 'value'],
    [{ value: '1' }, 'service_feature_code'],
  ])('%j is rejected, naming %s', async (body, field) => {
    const { params } = await createTestSubscription();
    const refusal = await refusalOf(api.admin.createSubscriptionFeature({ params, body }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [field]]);
  });

  test('change their value and keep their usage and tag', async () => {
    const { params, subscription } = await createTestSubscription();
    await setUsed(subscription, 'max_rooms', 4);
    const feature = await featureOf(params, 'max_rooms');
    const featureParams = { ...params, feature_id: feature.id };
    const { data } = await api.admin.updateSubscriptionFeature({ params: featureParams, body: { value: true } });
    expect(data).toMatchObject({ id: feature.id, value: 'unlimited', usage: { data: { used: 4 } } });
    const audited = await api.app.dependencies.db
      .selectFrom('audit_entries')
      .select(['old_values', 'new_values'])
      .where('resource_id', '=', feature.uuid)
      .where('action', '=', 'subscription_feature.updated')
      .execute();
    expect(audited).toMatchObject([{ old_values: { value: '25' }, new_values: { value: 'unlimited' } }]);
    const body = { tag: 'polls' } as never;
    const refusal = await refusalOf(api.admin.updateSubscriptionFeature({ params: featureParams, body }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['tag']]);
  });

  test('are removed with their usage', async () => {
    const { params } = await createTestSubscription();
    const { id } = await featureOf(params, 'recording');
    await api.admin.deleteSubscriptionFeature({ params: { ...params, feature_id: id } });
    const { data } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
    expect(data.map(({ tag }) => tag)).not.toContain('recording');
    const second = api.admin.deleteSubscriptionFeature({ params: { ...params, feature_id: id } });
    expect((await refusalOf(second)).status).toBe(404);
  });

  test('of another subscription are not found below this one', async () => {
    const { params } = await createTestSubscription();
    const other = await createTestSubscription();
    const { id } = await featureOf(other.params, 'max_rooms');
    const call = api.admin.readSubscriptionFeature({ params: { ...params, feature_id: id } });
    expect((await refusalOf(call)).status).toBe(404);
  });

  test('are synchronized with the package: kept features keep their ids and usage, and other features are removed', async () => {
    const { params, servicePackage, subscription } = await createTestSubscription({
      features: { max_rooms: '2', polls: 'true' },
    });
    await setUsed(subscription, 'max_rooms', 2);
    const before = await featureOf(params, 'max_rooms');
    await api.admin.createSubscriptionFeature({ params, body: { service_feature_code: 'captions', value: true } });
    const packageParams = { service_package_id: servicePackage.id };
    const { data: sold } = await api.admin.listServicePackageFeatures({ params: packageParams });
    const idOf = (tag: string) => sold.find((feature) => feature.tag === tag)?.id ?? '';
    await api.admin.updateServicePackageFeature({
      params: { ...packageParams, feature_id: idOf('max_rooms') },
      body: { value: 5 },
    });
    await api.admin.deleteServicePackageFeature({ params: { ...packageParams, feature_id: idOf('polls') } });
    await api.admin.createServicePackageFeature({ params: packageParams, body: { tag: 'webcams', value: true } });
    expect((await featureOf(params, 'max_rooms')).value).toBe('2');

    const { data: untouched } = await api.admin.syncSubscriptionFeatures({ params, body: { sync: false } });
    expect(untouched.id).toBe(subscription.id);
    expect((await featureOf(params, 'max_rooms')).value).toBe('2');

    const { data } = await api.admin.syncSubscriptionFeatures({ params, body: { sync: true } });
    expect(data.id).toBe(subscription.id);
    const { data: features } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
    expect(Object.fromEntries(features.map(({ tag, value }) => [tag, value]))).toEqual({
      max_rooms: '5',
      webcams: 'true',
    });
    expect(await featureOf(params, 'max_rooms')).toMatchObject({ id: before.id, usage: { data: { used: 2 } } });
  });
});

test('usage returns each id in both fields of the contract', async () => {
  const { params, subscription, servicePackage } = await createTestSubscription();
  const { data: sold } = await api.admin.listServicePackageFeatures({
    params: { service_package_id: servicePackage.id },
    query: { limit: 0 },
  });
  const { data } = await api.admin.readSubscriptionUsage({ params, query: { limit: 0 } });
  expect(data).toHaveLength(sold.length);
  for (const feature of data) {
    const id = sold.find(({ tag }) => tag === feature.tag)?.id;
    expect(feature).toMatchObject({
      subscription_id: subscription.id,
      service_subscription_id: subscription.id,
      package_feature_id: id,
      service_feature_id: id,
      usage: { data: { plan_subscription_feature_id: feature.id, subscription_feature_tag: feature.tag } },
    });
  }
});

describe('providers', () => {
  async function createWithTwoProviders() {
    const subscription = await createTestSubscription();
    const second = await makeProvider(api);
    const { data: packageProvider } = await api.admin.createServicePackageProvider({
      params: { service_package_id: subscription.servicePackage.id },
      body: { service_provider_id: second.id },
    });
    return { ...subscription, second, packageProvider };
  }

  const list = async (params: { subscription_id: string }) =>
    (await api.admin.listSubscriptionProviders({ params })).data;

  test('are added next to the default provider, or replace it', async () => {
    const { params, packageProvider, second } = await createWithTwoProviders();
    const { data } = await api.admin.createSubscriptionProvider({
      params,
      body: { package_provider_id: packageProvider.id, default: true, settings: { a: 1 }, metadata: { b: 2 } },
    });
    expect(data).toMatchObject({
      object: 'ServicePackageProvider',
      default: true,
      active: true,
      package_provider_id: packageProvider.id,
      service_provider_id: second.id,
      settings: { a: 1 },
      metadata: { b: 2 },
    });
    const rows = await list(params);
    expect(rows.filter((row) => row.default).map(({ id }) => id)).toEqual([data.id]);
    expect(rows).toHaveLength(2);
  });

  test('must be attached to the package, and not yet to the subscription', async () => {
    const { params } = await createWithTwoProviders();
    const other = await createWithTwoProviders();
    const [row] = await list(params);
    for (const id of [other.packageProvider.id, row?.package_provider_id ?? '', 'pkgprov_01jd0000000000000000000000']) {
      const refusal = await refusalOf(
        api.admin.createSubscriptionProvider({ params, body: { package_provider_id: id } }),
      );
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['package_provider_id']]);
    }
  });

  test('always have one default, also with concurrent requests', async () => {
    const { params, packageProvider } = await createWithTwoProviders();
    await api.admin.createSubscriptionProvider({ params, body: { package_provider_id: packageProvider.id } });
    const rows = await list(params);
    await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        api.admin.updateSubscriptionProvider({
          params: { ...params, provider_id: rows[index % 2]?.id ?? '' },
          body: { default: true },
        }),
      ),
    );
    const current = (await list(params)).filter((row) => row.default);
    expect(current).toHaveLength(1);
    const refusal = await refusalOf(
      api.admin.updateSubscriptionProvider({
        params: { ...params, provider_id: current[0]?.id ?? '' },
        body: { default: false },
      }),
    );
    expect([refusal.status, refusal.code]).toEqual([409, 'default-provider-required']);
  });

  test('are removed only when inactive and not the default', async () => {
    const { params, packageProvider } = await createWithTwoProviders();
    const { data: second } = await api.admin.createSubscriptionProvider({
      params,
      body: { package_provider_id: packageProvider.id },
    });
    const first = (await list(params)).find((row) => row.default);
    const remove = (id: string | undefined) =>
      api.admin.deleteSubscriptionProvider({ params: { ...params, provider_id: id ?? '' } });
    const update = (id: string | undefined, body: { active?: boolean; default?: boolean }) =>
      api.admin.updateSubscriptionProvider({ params: { ...params, provider_id: id ?? '' }, body });
    expect((await refusalOf(remove(second.id))).code).toBe('provider-active-or-default');
    await update(first?.id, { active: false });
    expect((await refusalOf(remove(first?.id))).code).toBe('provider-active-or-default');
    await update(second.id, { default: true });
    await remove(first?.id);
    expect((await list(params)).map(({ id }) => id)).toEqual([second.id]);
    expect((await refusalOf(remove(first?.id))).status).toBe(404);
  });

  test('cannot change their service provider', async () => {
    const { params, packageProvider } = await createWithTwoProviders();
    const [row] = await list(params);
    const body = { package_provider_id: packageProvider.id } as never;
    const refusal = await refusalOf(
      api.admin.updateSubscriptionProvider({ params: { ...params, provider_id: row?.id ?? '' }, body }),
    );
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['package_provider_id']]);
  });
});

describe('over time', () => {
  test('an expired subscription is shown as suspended before the job runs, and cannot be used', async () => {
    const fixture = await makeAccount(api, { body: { grace_period: 2 } });
    const params = { subscription_id: fixture.subscription.id };
    const makeRoom = () => api.admin.createRoom({ body: { room_name: 'Late', account_id: fixture.account.id } });
    setDay('2026-04-12');
    expect(await read(params)).toMatchObject({ status: 'active', is_active: true });
    await makeRoom();
    setDay('2026-04-13');
    expect(await read(params)).toMatchObject({ status: 'suspended', is_active: false });
    expect((await refusalOf(makeRoom())).code).toBe('subscription-not-usable');
    expect(await eventsOf(fixture.subscription)).not.toContain('subscription.suspended');
  });

  test('the job suspends exactly the expired subscriptions, in batches, idempotently and on any number of nodes', async () => {
    const lasting = await createTestSubscription({ body: { periodicity_type: 'year' } });
    const { subscription } = await createTestSubscription();
    const { db } = api.app.dependencies;
    await sql`insert into subscriptions
      select (jsonb_populate_record(model, jsonb_build_object('id', gen_random_uuid(), 'tag', 'copy' || lpad(n::text, 4, '0')))).*
      from subscriptions model, generate_series(1, 450) n where model.id = ${subscription.uuid}`.execute(db);
    setDay('2026-04-11');
    const second = await api.another();
    onTestFinished(() => second.close());
    await Promise.all([run('expire-subscriptions'), run('expire-subscriptions', second), run('expire-subscriptions')]);
    expect(await run('expire-subscriptions')).toBe(0);
    const { rows } = await sql<{ status: string; events: number; count: number }>`
      select subscriptions.status, (select count(*) from events where resource_id = subscriptions.id
        and events.name = 'subscription.suspended') as events, count(*) as count
      from subscriptions where tag like 'copy%'
      group by 1, 2`.execute(db);
    expect(rows).toEqual([{ status: 'suspended', events: 1, count: 450 }]);
    expect(await read(lasting.params)).toMatchObject({ status: 'active' });
    expect((await eventsOf(subscription)).at(-1)).toBe('subscription.suspended');
  });

  test('the event of an expired subscription has the former values of all members that the expiry changed, from the job and from a request before the job', async () => {
    const [ofJob, ofRequest] = [await createTestSubscription(), await createTestSubscription()];
    setDay('2026-04-11');
    await api.admin.updateSubscription({ params: ofRequest.params, body: { name: 'Renamed' } });
    await run('expire-subscriptions');
    for (const { subscription } of [ofJob, ofRequest]) {
      const query = {
        search: `resource_id:${subscription.id};name:subscription.suspended`,
        searchJoin: 'and',
      } as const;
      const { data } = await api.admin.listEvents({ query });
      expect(data).toEqual([
        expect.objectContaining({
          data: expect.objectContaining({ status: 'suspended', is_usable: false, unusable_because: 'subscription' }),
          previous: {
            status: 'active',
            is_active: true,
            is_usable: true,
            unusable_because: null,
            last_day_of_use: subscription.last_day_of_use,
          },
        }),
      ]);
    }
  });

  test('usage is zero in a new usage period, before and after the job runs', async () => {
    const { params, subscription } = await createTestSubscription({ features: { participant_minutes: '100' } });
    expect((await featureOf(params, 'participant_minutes')).usage.data).toMatchObject({
      used: 0,
      valid_until: day('2026-04-10'),
    });
    await setUsed(subscription, 'participant_minutes', 60);
    setDay('2026-04-09');
    expect((await featureOf(params, 'participant_minutes')).usage.data.used).toBe(60);
    setDay('2026-06-20');
    const afterReset = { used: 0, valid_until: day('2026-07-10') };
    expect((await featureOf(params, 'participant_minutes')).usage.data).toMatchObject(afterReset);
    await Promise.all([run('reset-usage'), run('reset-usage')]);
    expect(await run('reset-usage')).toBe(0);
    expect((await featureOf(params, 'participant_minutes')).usage.data).toMatchObject(afterReset);
    const { rows } = await sql<{ used: number; valid_until: string }>`
      select used, valid_until from subscription_usages where subscription_id = ${subscription.uuid}`.execute(
      api.app.dependencies.db,
    );
    expect(rows).toEqual([{ used: 0, valid_until: '2026-07-10' }]);
  });

  test('usage that drifted is counted again and reported once', async () => {
    const fixture = await makeAccount(api);
    await api.admin.createRoom({ body: { room_name: 'One', account_id: fixture.account.id } });
    await setUsed(fixture.subscription, 'max_rooms', 9);
    await setUsed(fixture.subscription, 'max_accounts', 0);
    await Promise.all([run('reconcile-usage'), run('reconcile-usage')]);
    const params = { subscription_id: fixture.subscription.id };
    expect((await featureOf(params, 'max_rooms')).usage.data.used).toBe(1);
    expect((await featureOf(params, 'max_accounts')).usage.data.used).toBe(1);
    expect(await run('reconcile-usage')).toBe(0);
    const reported = (await eventsOf(fixture.subscription)).filter((name) => name === 'subscription.usage_reconciled');
    expect(reported).toHaveLength(2);
    const audited = await api.app.dependencies.db
      .selectFrom('audit_entries')
      .select(['old_values', 'new_values'])
      .where('resource_id', '=', fixture.subscription.uuid)
      .where('action', '=', 'subscription.usage_reconciled')
      .execute();
    expect(audited).toContainEqual({ old_values: { max_rooms: 9 }, new_values: { max_rooms: 1 } });
  });
});
