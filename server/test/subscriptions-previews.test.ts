import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, refusalOf } from './factories.ts';

let api: TestApi;
const start = '2026-03-10T12:00:00Z';
const day = (text: string) => `${text}T00:00:00.000000Z`;
const setDay = (text: string) => api.clock.set(`${text}T09:00:00Z`);

beforeAll(async () => {
  api = await startApi({ now: start });
});
afterAll(() => api.close());
beforeEach(() => api.clock.set(start));

async function createTestSubscription(body: Record<string, unknown> = {}) {
  const servicePackage = await makePackage(api, { body });
  const customer = await makeCustomer(api);
  const { data: subscription } = await api.admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: customer.id },
  });
  return { servicePackage, customer, subscription, params: { subscription_id: subscription.id } };
}

async function countRecords() {
  const { rows } = await api.app.connection.pool.query(
    `select (select count(*) from subscriptions) as subscriptions,
      (select count(*) from events where resource_type = 'ServicePackageSubscription') as events,
      (select sum(stock_qty) from service_packages) as stock`,
  );
  return rows;
}

test('a feature is added by its tag or its code, but not by a tag and a code that differ', async () => {
  const { params } = await createTestSubscription();
  const add = (body: Record<string, string | number>) =>
    api.admin.createSubscriptionFeature({ params, body: { value: 5, ...body } });
  expect((await add({ tag: 'max_duration' })).data.tag).toBe('max_duration');
  expect((await add({ service_feature_code: 'max_storage' })).data.tag).toBe('max_storage');
  expect((await refusalOf(add({ tag: 'max_duration' }))).errors).toHaveProperty('tag');
  expect((await refusalOf(add({}))).errors).toHaveProperty('service_feature_code');
  expect((await refusalOf(add({ tag: 'polls', service_feature_code: 'captions' }))).errors).toHaveProperty('tag');
});

describe('undoing a cancellation', () => {
  test('leaves the dates unchanged and costs nothing; a cancellation that has taken effect cannot be undone', async () => {
    const { params, subscription } = await createTestSubscription({ trial_period: 14, trial_interval: 'day' });
    await api.admin.renewSubscription({ params, body: { renew: true } });
    const { data: before } = await api.admin.readSubscription({ params });
    await api.admin.cancelSubscription({ params, body: { cancel: true } });
    const { data } = await api.admin.uncancelSubscription({ params });
    expect(data).toMatchObject({
      status: 'active',
      is_active: true,
      cancels_at: null,
      canceled_at: null,
      starts_at: before.starts_at,
      ends_at: before.ends_at,
      trial_ends_at: before.trial_ends_at,
    });
    const { rows } = await api.app.connection.pool.query(
      'select name from events where resource_id = $1 order by sequence desc limit 1',
      [subscription.uuid],
    );
    expect(rows).toEqual([{ name: 'subscription.uncanceled' }]);
    const uncancel = () => refusalOf(api.admin.uncancelSubscription({ params }));
    expect(await uncancel()).toMatchObject({ status: 409, code: 'cancellation-not-taken-back' });
    await api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
    expect((await uncancel()).errors).toEqual({ allowed_moves: ['uncancel', 'set-terminated'] });
  });
});

describe('a preview', () => {
  test('has the price of the added periods, and whether a scheduled package change is applied or withdrawn', async () => {
    const body = { tier: 2, price: 99, currency: 'EUR' };
    const { params } = await createTestSubscription(body);
    const lite = await makePackage(api, { body: { tier: 1, price: 9, currency: 'EUR' } });
    const yearly = await makePackage(api, { body: { tier: 1, price: 90, currency: 'EUR', periodicity_type: 'year' } });
    const readFigures = async (changes: Record<string, unknown>) =>
      (await api.admin.previewSubscription({ params, body: changes })).meta.custom.figures;
    expect(await readFigures({ cycles: 3 })).toMatchObject({ cycles: 3, price: 99, amount: 297, package_change: null });
    await api.admin.changePackage({ params, body: { package_id: lite.id } });
    expect(await readFigures({ cycles: 3 })).toMatchObject({
      package_id: lite.id,
      price: 9,
      amount: 27,
      package_change: { to_package_id: lite.id, effective_at: day('2026-04-11'), status: 'scheduled' },
    });
    expect(await readFigures({ cancel: true })).toMatchObject({
      cycles: 0,
      amount: 0,
      package_change: { to_package_id: lite.id, status: 'withdrawn' },
    });
    await api.admin.changePackage({ params, body: { package_id: yearly.id } });
    expect(await readFigures({ cycles: 1 })).toMatchObject({ price: 90, periodicity_type: 'year', amount: null });
    await api.admin.cancelSubscription({ params, body: { cancel: true } });
    const { data } = await api.admin.listPackageChanges({ params });
    expect(data.map(({ status }) => status)).toEqual(['withdrawn', 'withdrawn']);
  });

  test.each([
    ['renewal', { renew: true, cycles: 2 }],
    ['renewal of many cycles', { cycles: 5 }],
    ['cancellation', { cancel: true }],
    ['cancellation now', { cancel: true, cancel_now: true }],
    ['renewal with renew: false', { renew: false }],
    ['cancellation with cancel: false', { cancel: false }],
  ])('of a %s equals the result, and stores nothing', async (_, body) => {
    const { params } = await createTestSubscription({ trial_period: 3, trial_interval: 'day' });
    setDay('2026-03-20');
    const before = await countRecords();
    const { data: preview } = await api.admin.previewSubscription({ params, body });
    expect(await countRecords()).toEqual(before);
    const { cycles, cancel_now } = body as { cycles?: number; cancel_now?: boolean };
    const { data: done } =
      'cancel' in body
        ? await api.admin.cancelSubscription({
            params,
            body: { cancel: body.cancel ?? false, ...(cancel_now === undefined ? {} : { cancel_now }) },
          })
        : await api.admin.renewSubscription({
            params,
            body: {
              renew: 'renew' in body ? (body.renew ?? true) : true,
              ...(cycles === undefined ? {} : { cycles }),
            },
          });
    const withoutUpdateTimes = ({
      updated_at: _at,
      readable_updated_at: _readable,
      canceled_at,
      ...rest
    }: typeof done) => ({
      ...rest,
      canceled_at: canceled_at?.slice(0, 19),
    });
    expect(withoutUpdateTimes(preview)).toEqual(withoutUpdateTimes(done));
  });

  test('is rejected like the renewal, with the allowed moves', async () => {
    const { params } = await createTestSubscription();
    await api.admin.cancelSubscription({ params, body: { cancel: true } });
    const refusal = await refusalOf(api.admin.previewSubscription({ params, body: { renew: true } }));
    expect([refusal.status, refusal.code]).toEqual([409, 'subscription-canceled']);
    expect(refusal.errors).toEqual({ allowed_moves: ['uncancel', 'take-back', 'set-terminated'] });
    const { data } = await api.admin.previewSubscription({ params, body: { renew: true, uncancel: true } });
    expect(data).toMatchObject({ status: 'active', cancels_at: null, canceled_at: null, ends_at: day('2026-05-10') });
  });

  test.each([
    [{}, 'renew'],
    [{ renew: true, cancel: true }, 'cancel'],
    [{ cycles: 0 }, 'cycles'],
    [{ cycles: -3 }, 'cycles'],
    [{ cycles: 1_000_000_000 }, 'cycles'],
    [{ cycles: 1.5 }, 'cycles'],
  ])('that is invalid is rejected: %j', async (body, field) => {
    const { params } = await createTestSubscription();
    const refusal = await refusalOf(api.admin.previewSubscription({ params, body }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, [field]]);
  });

  test('of a new subscription shows its dates, price and features, and does not reduce the stock', async () => {
    const servicePackage = await makePackage(api, {
      features: { max_rooms: '3' },
      body: {
        price: 20,
        currency: 'EUR',
        signup_fee: 5,
        has_stock: true,
        stock_qty: 1,
        trial_period: 1,
        trial_interval: 'week',
        grace_period: 2,
        grace_interval: 'day',
      },
    });
    const customer = await makeCustomer(api);
    const body = { package_id: servicePackage.id, subscriber_id: customer.id, price: 18 };
    const before = await countRecords();
    const { data: preview } = await api.admin.previewNewSubscription({ body });
    expect(await countRecords()).toEqual(before);
    expect(preview).toMatchObject({
      object: 'SubscriptionPreview',
      package_id: servicePackage.id,
      subscriber_id: customer.id,
      trial_ends_at: day('2026-03-17'),
      starts_at: day('2026-03-17'),
      ends_at: day('2026-04-17'),
      grace_ends_at: day('2026-04-19'),
      price: 18,
      currency: 'EUR',
      signup_fee: 5,
      features: [{ tag: 'max_rooms', value: '3' }],
    });
    const { data: subscription } = await api.admin.createSubscription({ body });
    const { starts_at, ends_at, trial_ends_at, price, currency, tier } = preview;
    expect(subscription).toMatchObject({ starts_at, ends_at, trial_ends_at, price, currency, tier });
    expect((await refusalOf(api.admin.previewNewSubscription({ body }))).code).toBe('package-not-available');
  });
});

describe('a preview of a new subscription', () => {
  /** Previews a subscription, creates it with the same body, and expects both to be equal. */
  async function previewAndCreate(body: Parameters<typeof api.admin.createSubscription>[0]['body']) {
    const before = await countRecords();
    const { data: preview } = await api.admin.previewNewSubscription({ body });
    expect(await countRecords()).toEqual(before);
    const { data: subscription } = await api.admin.createSubscription({ body });
    const { data: features } = await api.admin.listSubscriptionFeatures({
      params: { subscription_id: subscription.id },
      query: { limit: 0 },
    });
    const { object: _, grace_ends_at: __, signup_fee: ___, features: previewFeatures, ...rest } = preview;
    expect(subscription).toMatchObject(rest);
    const byTag = (rows: readonly { tag: string; name: string; value: string }[]) =>
      Object.fromEntries(rows.map(({ tag, name, value }) => [tag, [name, value]]));
    expect(byTag(previewFeatures)).toEqual(byTag(features));
    return preview;
  }

  async function expectSameRefusal(body: Parameters<typeof api.admin.createSubscription>[0]['body']) {
    const [previewRefusal, refusal] = [
      await refusalOf(api.admin.previewNewSubscription({ body })),
      await refusalOf(api.admin.createSubscription({ body })),
    ];
    expect([previewRefusal.status, previewRefusal.code, previewRefusal.message, previewRefusal.errors]).toEqual([
      refusal.status,
      refusal.code,
      refusal.message,
      refusal.errors,
    ]);
    return refusal;
  }

  test('shows the initial values, and rejects invalid ones', async () => {
    const { id } = await makePackage(api, { features: { max_rooms: '5', recording: 'false' } });
    const customer = await makeCustomer(api);
    const body = { package_id: id, subscriber_id: customer.id };
    const preview = await previewAndCreate({ ...body, features: { max_rooms: 2, recording: true } });
    expect(preview.features).toMatchObject([
      { tag: 'max_rooms', value: '2' },
      { tag: 'recording', value: 'true' },
    ]);
    const refusal = await expectSameRefusal({ ...body, features: { max_rooms: 'many', polls: true } });
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['features.max_rooms', 'features.polls']]);
    await expectSameRefusal({ ...body, package_id: 'pkg_01jd0000000000000000000000' });
    await expectSameRefusal({ ...body, price: 0.001 });
  });

  test('shows the remaining limits of the parent subscription, and rejects higher values', async () => {
    const { id } = await makePackage(api, { features: { max_rooms: '5' } });
    const reseller = await makeCustomer(api, { is_reseller: true });
    const { data: source } = await api.admin.createSubscription({
      body: { package_id: id, subscriber_id: reseller.id },
    });
    const createBody = async () => ({
      package_id: id,
      subscriber_id: (await makeCustomer(api, { parent_customer_id: reseller.id })).id,
      parent_subscription_id: source.id,
    });
    await previewAndCreate({ ...(await createBody()), features: { max_rooms: 3 } });
    const remaining = await previewAndCreate(await createBody());
    expect(remaining.features).toMatchObject([{ tag: 'max_rooms', value: '2' }]);
    const refusal = await expectSameRefusal({ ...(await createBody()), features: { max_rooms: 1 } });
    expect([refusal.status, refusal.code]).toEqual([422, 'feature-limit-reached']);
    await expectSameRefusal({ ...(await createBody()), parent_subscription_id: 'sub_01jd0000000000000000000000' });
    await api.admin.updateServicePackage({ params: { service_package_id: id }, body: { retired: true } });
    await previewAndCreate(await createBody());
    await api.admin.updateSubscription({ params: { subscription_id: source.id }, body: { status: 'suspended' } });
    expect((await expectSameRefusal(await createBody())).code).toBe('subscription-not-usable');
  });
});

describe('rejections because of the status', () => {
  test('list the allowed moves', async () => {
    const { params } = await createTestSubscription({ grace_period: 0 });
    const patch = (status: 'active' | 'inactive' | 'suspended' | 'terminated') =>
      api.admin.updateSubscription({ params, body: { status } });
    const moves = async (call: Promise<unknown>) => {
      const refusal = await refusalOf(call);
      return [refusal.status, refusal.code, refusal.errors['allowed_moves']];
    };
    const remove = () => api.admin.deleteSubscription({ params });
    const renew = () => api.admin.renewSubscription({ params, body: { renew: true } });
    const active = ['renew', 'cancel', 'change-package', 'set-inactive', 'set-suspended', 'set-terminated'];
    expect(await moves(remove())).toEqual([409, 'subscription-not-inactive', active]);
    await patch('suspended');
    const suspended = ['renew', 'set-active', 'set-terminated'];
    expect(await moves(patch('inactive'))).toEqual([409, 'status-change-not-allowed', suspended]);
    await patch('terminated');
    expect(await moves(renew())).toEqual([409, 'subscription-terminated', ['set-inactive']]);
    await patch('inactive');
    const inactive = ['set-active', 'set-terminated', 'delete'];
    expect(await moves(renew())).toEqual([409, 'subscription-inactive', inactive]);
    await remove();
  });

  test('do not depend on the job: an active subscription that has expired counts as suspended', async () => {
    const { params } = await createTestSubscription();
    setDay('2026-04-20');
    const refusal = await refusalOf(api.admin.updateSubscription({ params, body: { status: 'inactive' } }));
    expect([refusal.code, refusal.errors['allowed_moves']]).toEqual([
      'status-change-not-allowed',
      ['renew', 'set-terminated'],
    ]);
    const changed = await api.admin.updateSubscription({ params, body: { ends_at: '2026-05-01' } });
    expect(changed.data).toMatchObject({ status: 'suspended', is_active: false, ends_at: day('2026-05-01') });
    const reactivated = await api.admin.updateSubscription({ params, body: { status: 'active' } });
    expect(reactivated.data).toMatchObject({ status: 'active', is_active: true });
  });

  test('list the allowed moves also for resold subscriptions', async () => {
    const { id } = await makePackage(api, { features: { max_rooms: '5' } });
    const other = await makePackage(api, { features: { max_rooms: '5' } });
    const reseller = await makeCustomer(api, { is_reseller: true });
    const customer = await makeCustomer(api, { parent_customer_id: reseller.id });
    const subscribe = async (body: Record<string, string>) =>
      (await api.admin.createSubscription({ body: { package_id: id, subscriber_id: reseller.id, ...body } })).data.id;
    const parentParams = { subscription_id: await subscribe({}) };
    const childParams = {
      subscription_id: await subscribe({
        subscriber_id: customer.id,
        parent_subscription_id: parentParams.subscription_id,
      }),
    };
    const refusalDetails = async (call: Promise<unknown>) => {
      const refusal = await refusalOf(call);
      return [refusal.status, refusal.code, refusal.errors];
    };
    const allowed_moves = ['renew', 'cancel', 'set-inactive', 'set-suspended', 'set-terminated'];
    const body = { package_id: other.id };
    const refusal = [409, 'package-change-not-allowed', { allowed_moves }];
    expect(await refusalDetails(api.admin.changePackage({ params: childParams, body }))).toEqual(refusal);
    expect(await refusalDetails(api.admin.previewPackageChange({ params: childParams, body }))).toEqual(refusal);
    expect(await refusalDetails(api.admin.deleteSubscription({ params: childParams }))).toEqual([
      409,
      'subscription-not-inactive',
      { allowed_moves },
    ]);
    await api.admin.updateSubscription({ params: parentParams, body: { status: 'inactive' } });
    expect(await refusalDetails(api.admin.deleteSubscription({ params: parentParams }))).toEqual([
      409,
      'has-sub-subscriptions',
      { allowed_moves: ['set-active', 'set-terminated'] },
    ]);
    const account = { account_name: 'Ours', ...childParams };
    expect(await refusalDetails(api.admin.createAccount({ body: account }))).toEqual([
      409,
      'subscription-not-usable',
      { allowed_moves: [] },
    ]);
  });

  test('a subscription that ends on the last day of the calendar can be renewed and uncanceled, and keeps its end', async () => {
    const { params } = await createTestSubscription();
    await api.admin.updateSubscription({ params, body: { ends_at: '9999-12-31' } });
    const { data: renewed } = await api.admin.renewSubscription({ params, body: { renew: true } });
    expect(renewed).toMatchObject({ status: 'active', ends_at: day('9999-12-31') });
    await api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
    const body = { renew: true, uncancel: true };
    expect((await api.admin.previewSubscription({ params, body })).data.status).toBe('active');
    const { data: uncanceled } = await api.admin.renewSubscription({ params, body });
    expect(uncanceled).toMatchObject({ status: 'active', cancels_at: null, ends_at: day('9999-12-31') });
  });

  test('a renewal beyond the last day of the calendar is rejected for its cycles', async () => {
    const { params } = await createTestSubscription({ periodicity: 1000, periodicity_type: 'year' });
    const refusal = await refusalOf(api.admin.renewSubscription({ params, body: { renew: true, cycles: 1000 } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['cycles']]);
  });
});

describe('expiring_within', () => {
  test('lists subscriptions that end within this number of days, including those in grace', async () => {
    const namesById: Record<string, string> = {};
    const make = async (name: string, body: Record<string, unknown>) => {
      const { subscription } = await createTestSubscription(body);
      namesById[subscription.id] = name;
      return { subscription_id: subscription.id };
    };
    await make('in a week', { periodicity: 1, periodicity_type: 'week' });
    await make('in a day', { periodicity: 1, periodicity_type: 'day', grace_period: 2, grace_interval: 'day' });
    const canceled = await make('canceled', { periodicity: 1, periodicity_type: 'day' });
    await api.admin.cancelSubscription({ params: canceled, body: { cancel: true } });
    await make('in a year', { periodicity: 1, periodicity_type: 'year' });
    await make('on trial for long', {
      periodicity: 1,
      periodicity_type: 'day',
      trial_period: 20,
      trial_interval: 'day',
      trial_mode: 'inside',
    });
    const listWithin = async (days: number, more: Record<string, unknown> = {}) => {
      const { data } = await api.admin.listSubscriptions({ query: { expiring_within: days, limit: 0, ...more } });
      return data.flatMap(({ id }) => namesById[id] ?? []).toSorted();
    };
    expect(await listWithin(0)).toEqual([]);
    expect(await listWithin(1)).toEqual(['canceled', 'in a day']);
    expect(await listWithin(7)).toEqual(['canceled', 'in a day', 'in a week']);
    expect(await listWithin(20)).toEqual(['canceled', 'in a day', 'in a week', 'on trial for long']);
    setDay('2026-03-13');
    expect(await listWithin(0)).toEqual(['in a day']);
    setDay('2026-03-14');
    expect(await listWithin(3)).toEqual(['in a week']);
    const page = await api.admin.listSubscriptions({ query: { expiring_within: 3, limit: 1 } });
    expect(page.meta.pagination).toMatchObject({ total: 1 });
  });

  test.each(['-1', 'soon', '1.5', '3661', '99999'])('%s days are rejected', async (days) => {
    const refusal = await refusalOf(api.admin.listSubscriptions({ query: { expiring_within: days as never } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['expiring_within']]);
  });
});

describe('near_limit', () => {
  test('lists subscriptions that use at least this percentage of a counted limit, including recordings and storage', async () => {
    const features = { max_accounts: '10', max_rooms: '5', max_recordings: '4', max_storage: 'unlimited' };
    const { id: packageId } = await makePackage(api, { features });
    const make = async (used: Readonly<Record<string, number>>) => {
      const { id: subscriberId } = await makeCustomer(api);
      const { data } = await api.admin.createSubscription({
        body: { package_id: packageId, subscriber_id: subscriberId },
      });
      for (const [tag, count] of Object.entries(used)) {
        await api.app.connection.pool.query(
          `update subscription_usages set used = $3 from subscription_features feature
            where feature.id = subscription_feature_id and feature.tag = $2 and feature.subscription_id = $1`,
          [data.uuid, tag, count],
        );
      }
      return data.id;
    };
    const low = await make({ max_rooms: 1, max_storage: 9_000 });
    const almostFull = await make({ max_rooms: 4 });
    const exceeded = await make({ max_recordings: 6 });
    const inactive = await make({ max_rooms: 5 });
    const params = { subscription_id: inactive };
    await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
    const listNear = async (percent: number, more: Record<string, unknown> = {}) =>
      (await api.admin.listSubscriptions({ query: { near_limit: percent, limit: 0, ...more } })).data
        .map(({ id }) => id)
        .filter((id) => [low, almostFull, exceeded, inactive].includes(id))
        .toSorted();
    expect(await listNear(20)).toEqual([low, almostFull, exceeded].toSorted());
    expect(await listNear(80)).toEqual([almostFull, exceeded].toSorted());
    expect(await listNear(100)).toEqual([exceeded]);
    expect(await listNear(80, { expiring_within: 0 })).toEqual([]);
    // Changed limits apply immediately.
    const setRoomLimit = async (id: string, value: string) => {
      const { data } = await api.admin.listSubscriptionFeatures({
        params: { subscription_id: id },
        query: { limit: 0 },
      });
      const feature_id = data.find(({ tag }) => tag === 'max_rooms')?.id ?? '';
      await api.admin.updateSubscriptionFeature({ params: { subscription_id: id, feature_id }, body: { value } });
    };
    await setRoomLimit(almostFull, '400');
    await setRoomLimit(low, '1');
    expect(await listNear(80)).toEqual([low, exceeded].toSorted());
  });

  test.each(['0', '101', 'full', '1.5', '-1'])('%s percent is rejected', async (percent) => {
    const refusal = await refusalOf(api.admin.listSubscriptions({ query: { near_limit: percent as never } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['near_limit']]);
  });
});
