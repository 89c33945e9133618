import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, refusalOf, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

let api: TestApi;
let provider: string;
const start = '2026-03-10T12:00:00Z';
const day = (text: string) => `${text}T00:00:00.000000Z`;
const setDay = (text: string) => api.clock.set(`${text}T09:00:00Z`);

beforeAll(async () => {
  api = await startApi({ now: start });
  provider = (await makeProvider(api)).id;
});
afterAll(() => api.close());
beforeEach(() => api.clock.set(start));

const small = { max_accounts: '2', max_rooms: '2', max_participants: '10' };
const large = { max_accounts: '10', max_rooms: '10', max_participants: '100', recording: 'true' };

async function createTestPackage(
  tier: number | null,
  features: Readonly<Record<string, string>>,
  body: Record<string, unknown> = {},
) {
  return await makePackage(api, {
    provider,
    features,
    body: { tier, currency: 'EUR', price: (tier ?? 1) * 10, ...body },
  });
}

async function subscribe(packageId: string) {
  const customer = await makeCustomer(api);
  const { data } = await api.admin.createSubscription({ body: { package_id: packageId, subscriber_id: customer.id } });
  return { subscription: data, params: { subscription_id: data.id } };
}

type Params = { subscription_id: string };

async function makeRooms(params: Params, count: number) {
  const { data: account } = await api.admin.createAccount({ body: { account_name: unique('Account'), ...params } });
  const rooms = [];
  for (let created = 0; created < count; created++) {
    rooms.push((await api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } })).data);
  }
  return rooms;
}

async function read(params: Params) {
  return (await api.admin.readSubscription({ params })).data;
}

async function featuresOf(params: Params) {
  const { data } = await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } });
  return new Map(data.map((feature) => [feature.tag, feature]));
}

async function changesOf(params: Params) {
  return (await api.admin.listPackageChanges({ params, query: { limit: 0 } })).data;
}

async function stockOf(id: string) {
  return (await api.admin.readServicePackage({ params: { service_package_id: id } })).data.stock_qty;
}

async function run(job: string, node = api): Promise<number> {
  return (await runJob(node.app.dependencies, job)) ?? Number.NaN;
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

describe('an upgrade', () => {
  test('takes effect immediately: terms and features are those of the new package; ids, usage and dates stay', async () => {
    const from = await createTestPackage(1, { ...small, polls: 'true' });
    const to = await createTestPackage(2, large, { grace_period: 9, grace_interval: 'day', periodicity_type: 'year' });
    const { subscription, params } = await subscribe(from.id);
    await makeRooms(params, 2);
    const before = await featuresOf(params);
    const { data } = await api.admin.changePackage({ params, body: { package_id: to.id } });
    expect(data).toMatchObject({
      id: subscription.id,
      package_id: to.id,
      name: `${to.name} - ${subscription.tag}`,
      tier: 2,
      price: 20,
      periodicity_type: 'year',
      grace_period: 9,
      starts_at: subscription.starts_at,
      ends_at: subscription.ends_at,
    });
    const after = await featuresOf(params);
    expect(Object.fromEntries([...after].map(([tag, { value }]) => [tag, value]))).toEqual(large);
    for (const tag of Object.keys(small)) {
      expect([after.get(tag)?.id, after.get(tag)?.usage.data.used]).toEqual([
        before.get(tag)?.id,
        before.get(tag)?.usage.data.used,
      ]);
    }
    expect(await changesOf(params)).toMatchObject([
      {
        from_package_id: from.id,
        to_package_id: to.id,
        direction: 'upgrade',
        status: 'done',
        effective_at: day('2026-03-10'),
      },
    ]);
    expect(await eventsOf(subscription)).toContain('subscription.package_changed');
    const { data: renewed } = await api.admin.renewSubscription({ params, body: { renew: true } });
    expect(renewed.ends_at).toBe(day('2027-04-10'));
  });

  test('keeps a custom name, and providers that the new package also has', async () => {
    const second = (await makeProvider(api)).id;
    const from = await createTestPackage(1, small);
    const to = await makePackage(api, { provider: second, features: large, body: { tier: 2, currency: 'EUR' } });
    const { params } = await subscribe(from.id);
    await api.admin.updateSubscription({ params, body: { name: 'Ours' } });
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    const { data: providers } = await api.admin.listSubscriptionProviders({ params });
    expect(providers).toMatchObject([{ service_provider_id: second, default: true, active: true, package_id: to.id }]);
    expect((await read(params)).name).toBe('Ours');
    const third = await createTestPackage(3, large);
    await api.admin.createServicePackageProvider({
      params: { service_package_id: third.id },
      body: { service_provider_id: second },
    });
    await api.admin.changePackage({ params, body: { package_id: third.id } });
    const listed = await api.admin.listSubscriptionProviders({ params });
    expect(listed.data.map(({ id, default: isDefault }) => [id, isDefault])).toEqual([[providers[0]?.id, true]]);
  });

  test('events of the features and providers that stay have the former values as the API printed them', async () => {
    const [from, to] = [await createTestPackage(1, small), await createTestPackage(2, large)];
    const { params } = await subscribe(from.id);
    const readAll = async () =>
      [
        ...(await api.admin.listSubscriptionFeatures({ params, query: { limit: 0 } })).data,
        ...(await api.admin.listSubscriptionProviders({ params })).data,
      ] as unknown as { readonly id: string; readonly [member: string]: unknown }[];
    const before = new Map((await readAll()).map((resource) => [resource.id, resource]));
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    for (const { id, ...after } of await readAll()) {
      if (!before.has(id)) continue;
      const { data } = await api.admin.listEvents({ query: { search: `resource_id:${id}` } });
      const isChanged = ([name, value]: [string, unknown]) =>
        name !== 'id' && !/updated_at$|^usage$/.test(name) && JSON.stringify(value) !== JSON.stringify(after[name]);
      const changed = Object.fromEntries(Object.entries(before.get(id) ?? {}).filter(isChanged));
      expect([data[0]?.name.split('.')[1], data[0]?.previous]).toEqual(['updated', changed]);
      expect(Object.keys(changed)).toContain('service_feature_id' in after ? 'service_feature_id' : 'package_id');
    }
  });

  test('never exceeds the stock of the new package under concurrency', async () => {
    const to = await createTestPackage(2, large, { has_stock: true, stock_qty: 3 });
    const from = await createTestPackage(1, small);
    const subscriptions = await Promise.all(Array.from({ length: 6 }, () => subscribe(from.id)));
    const outcomes = await Promise.allSettled(
      subscriptions.map(({ params }) => api.admin.changePackage({ params, body: { package_id: to.id } })),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await stockOf(to.id)).toBe(0);
  });
});

describe('a downgrade', () => {
  test('waits for the end of the period, is listed, and takes effect on the next day', async () => {
    const from = await createTestPackage(2, large, { grace_period: 5, grace_interval: 'day' });
    const to = await createTestPackage(1, small);
    const { subscription, params } = await subscribe(from.id);
    const { data } = await api.admin.changePackage({ params, body: { package_id: to.id } });
    expect(data).toMatchObject({ package_id: from.id, price: 20 });
    expect(data.package_changes).toMatchObject({
      data: [{ status: 'scheduled', direction: 'downgrade', to_package_id: to.id, effective_at: day('2026-04-11') }],
    });
    setDay('2026-04-10');
    expect(await run('change-packages')).toBe(0);
    expect((await read(params)).package_id).toBe(from.id);
    setDay('2026-04-11');
    const second = await api.another();
    onTestFinished(() => second.close());
    const counts = await Promise.all([run('change-packages'), run('change-packages', second), run('change-packages')]);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await read(params)).toMatchObject({ package_id: to.id, price: 10, tier: 1, ends_at: subscription.ends_at });
    expect(await changesOf(params)).toMatchObject([{ status: 'done' }]);
  });

  test('is rejected now with the exceeded limits, and changes nothing', async () => {
    const from = await createTestPackage(2, large);
    const to = await createTestPackage(1, small, { has_stock: true, stock_qty: 1 });
    const { params } = await subscribe(from.id);
    await makeRooms(params, 3);
    const body = { package_id: to.id, when: 'now' } as const;
    const before = await read(params);
    const refusal = await refusalOf(api.admin.changePackage({ params, body }));
    expect([refusal.status, refusal.code, refusal.errors]).toEqual([
      409,
      'package-limits-exceeded',
      { max_rooms: ['3 are used, the new package allows 2.'] },
    ]);
    expect([await read(params), await changesOf(params), await stockOf(to.id)]).toEqual([before, [], 1]);
    const { data: preview } = await api.admin.previewPackageChange({ params, body });
    expect(preview).toMatchObject({ allowed: false, direction: 'downgrade', when: 'now', to: { price: 10 } });
    expect(preview.features).toContainEqual(
      expect.objectContaining({ tag: 'max_rooms', from: '10', to: '2', used: 3, over: true }),
    );
    expect(preview.features).toContainEqual(
      expect.objectContaining({ tag: 'recording', from: 'true', to: null, used: 0, over: false }),
    );
  });

  test('that exceeds a limit on its effective day fails with an event, and returns its stock', async () => {
    const from = await createTestPackage(2, large, { grace_period: 5, grace_interval: 'day' });
    const to = await createTestPackage(1, small, { has_stock: true, stock_qty: 1 });
    const { subscription, params } = await subscribe(from.id);
    await makeRooms(params, 3);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    expect(await stockOf(to.id)).toBe(0);
    setDay('2026-04-12');
    expect(await run('change-packages')).toBe(1);
    expect((await read(params)).package_id).toBe(from.id);
    expect(await changesOf(params)).toMatchObject([
      { status: 'failed', failure: 'max_rooms: 3 are used, the new package allows 2.', done_at: null },
    ]);
    expect(await stockOf(to.id)).toBe(1);
    expect((await eventsOf(subscription)).at(-1)).toBe('subscription.package_change_failed');
    expect(await run('change-packages')).toBe(0);
  });

  test('waits for the end of the trial while on trial', async () => {
    const from = await createTestPackage(2, large, { trial_period: 7, trial_interval: 'day' });
    const to = await createTestPackage(1, small);
    const { params } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    expect(await changesOf(params)).toMatchObject([{ effective_at: day('2026-03-18') }]);
  });

  test('can be withdrawn, which returns its stock; a completed change cannot', async () => {
    const from = await createTestPackage(2, large);
    const to = await createTestPackage(1, small, { has_stock: true, stock_qty: 1 });
    const { subscription, params } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    const [scheduled] = await changesOf(params);
    const changeParams = { ...params, package_change_id: scheduled?.id ?? '' };
    expect((await api.admin.readPackageChange({ params: changeParams })).data).toEqual(scheduled);
    await api.admin.withdrawPackageChange({ params: changeParams });
    expect([(await changesOf(params)).map(({ status }) => status), await stockOf(to.id)]).toEqual([['withdrawn'], 1]);
    expect((await eventsOf(subscription)).at(-1)).toBe('subscription.package_change_withdrawn');
    await api.admin.changePackage({ params, body: { package_id: to.id, when: 'now' } });
    const [done] = await changesOf(params);
    const refusal = await refusalOf(
      api.admin.withdrawPackageChange({ params: { ...params, package_change_id: done?.id ?? '' } }),
    );
    expect([refusal.status, refusal.code]).toEqual([409, 'package-change-not-scheduled']);
  });

  test('is replaced by the next change, which returns its stock', async () => {
    const from = await createTestPackage(3, large);
    const first = await createTestPackage(1, small, { has_stock: true, stock_qty: 1 });
    const second = await createTestPackage(2, large);
    const { params } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: first.id } });
    await api.admin.changePackage({ params, body: { package_id: first.id } });
    expect(await stockOf(first.id)).toBe(0);
    await api.admin.changePackage({ params, body: { package_id: second.id } });
    expect(await stockOf(first.id)).toBe(1);
    expect((await changesOf(params)).map(({ to_package_id: id, status }) => [id, status])).toEqual([
      [second.id, 'scheduled'],
      [first.id, 'withdrawn'],
      [first.id, 'withdrawn'],
    ]);
  });

  test('prevents deletion of its package, and is deleted with its subscription', async () => {
    const from = await createTestPackage(2, large);
    const to = await createTestPackage(1, small, { has_stock: true, stock_qty: 1 });
    const { params } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    const remove = () => api.admin.deleteServicePackage({ params: { service_package_id: to.id } });
    expect((await refusalOf(remove())).code).toBe('package-in-use');
    await api.admin.updateSubscription({ params, body: { status: 'inactive' } });
    await api.admin.deleteSubscription({ params });
    expect(await stockOf(to.id)).toBe(1);
    await remove();
  });
});

describe('an overdue package change', () => {
  test('is applied before the expiry, even months later and by several nodes at the same time', async () => {
    const from = await createTestPackage(2, large, { grace_period: 2, grace_interval: 'day' });
    const to = await createTestPackage(1, small, { grace_period: 1, grace_interval: 'year' });
    const strict = await createTestPackage(1, small, { grace_period: 0 });
    const graceful = await Promise.all(Array.from({ length: 12 }, () => subscribe(from.id)));
    const withoutGrace = await subscribe(from.id);
    for (const { params } of graceful) await api.admin.changePackage({ params, body: { package_id: to.id } });
    await api.admin.changePackage({ params: withoutGrace.params, body: { package_id: strict.id } });
    setDay('2026-09-01');
    const second = await api.another();
    onTestFinished(() => second.close());
    const names = ['expire-subscriptions', 'change-packages', 'reset-usage'];
    await Promise.all([...names, ...names].map((name, index) => run(name, index % 2 ? second : api)));
    await Promise.all(names.map((name) => run(name)));
    for (const { params, subscription } of graceful) {
      expect(await read(params)).toMatchObject({ status: 'active', package_id: to.id });
      const changeEvents = (await eventsOf(subscription)).filter((name) => name === 'subscription.package_changed');
      expect(changeEvents).toHaveLength(1);
    }
    expect(await read(withoutGrace.params)).toMatchObject({ status: 'suspended', package_id: strict.id });
    const { rows } = await sql<{ waiting: number }>`
      select count(*)::int as waiting from subscription_package_changes
      where status = 'scheduled' and effective_at <= '2026-09-01' and subscription_id in (
        select id from subscriptions where status = 'active')`.execute(api.app.dependencies.db);
    expect(rows).toEqual([{ waiting: 0 }]);
  });

  test('that fails with an internal error does not block other changes, is retried and finally fails', async () => {
    const from = await createTestPackage(2, large, { grace_period: 2, grace_interval: 'day' });
    const to = await createTestPackage(1, small, { grace_period: 2, grace_interval: 'day' });
    const [bad, good] = [await subscribe(from.id), await subscribe(from.id)];
    for (const { params } of [bad, good]) await api.admin.changePackage({ params, body: { package_id: to.id } });
    const { db } = api.app.dependencies;
    await sql`create function refuse_move() returns trigger language plpgsql as $$
      begin raise exception 'no'; end $$`.execute(db);
    await sql`create trigger refuse_move before update of package_id on subscriptions for each row
      when (new.id = ${sql.lit(bad.subscription.uuid)}::uuid and new.package_id <> old.package_id)
      execute function refuse_move()`.execute(db);
    onTestFinished(async () => {
      await sql`drop function refuse_move cascade`.execute(db);
    });
    setDay('2026-04-11');
    expect(await run('change-packages')).toBe(1);
    expect((await read(good.params)).package_id).toBe(to.id);
    expect(await changesOf(bad.params)).toMatchObject([
      { status: 'scheduled', failure: expect.stringContaining('failed 1 time') },
    ]);
    expect((await eventsOf(bad.subscription)).at(-1)).toBe('subscription.package_change_failed');
    for (let attempt = 1; attempt < 5; attempt++) await run('change-packages');
    expect(await changesOf(bad.params)).toMatchObject([{ status: 'failed' }]);
    const { data } = await api.admin.renewSubscription({ params: bad.params, body: { renew: true } });
    expect([data.status, data.package_id]).toEqual(['active', from.id]);
  });

  test('waits while the subscription is suspended by request, and is applied with its renewal', async () => {
    const from = await createTestPackage(2, large, { grace_period: 10, grace_interval: 'day' });
    const to = await createTestPackage(1, small, { periodicity: 2, grace_period: 10, grace_interval: 'day' });
    const { params } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    await api.admin.updateSubscription({ params, body: { status: 'suspended' } });
    setDay('2026-04-15');
    await Promise.all([run('change-packages'), run('expire-subscriptions')]);
    expect(await read(params)).toMatchObject({ status: 'suspended', package_id: from.id });
    const body = { renew: true };
    const { data: preview } = await api.admin.previewSubscription({ params, body });
    const { data } = await api.admin.renewSubscription({ params, body });
    expect(data).toMatchObject({ status: 'active', package_id: to.id, ends_at: day('2026-06-10') });
    const { price, periodicity, starts_at, ends_at, package_id, name } = data;
    expect(preview).toMatchObject({ price, periodicity, starts_at, ends_at, package_id, name });
  });

  test('is applied before a renewal, as its preview shows', async () => {
    const from = await createTestPackage(2, large, { grace_period: 10, grace_interval: 'day' });
    const to = await createTestPackage(1, small, { periodicity: 3, grace_period: 10, grace_interval: 'day' });
    const { params } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    setDay('2026-04-12');
    const { data: preview } = await api.admin.previewSubscription({ params, body: { renew: true } });
    expect(preview).toMatchObject({ package_id: to.id, price: 10, periodicity: 3, ends_at: day('2026-07-10') });
    expect([(await read(params)).package_id, (await changesOf(params))[0]?.status]).toEqual([from.id, 'scheduled']);
    const { data } = await api.admin.renewSubscription({ params, body: { renew: true } });
    const { updated_at: _, readable_updated_at: __, ...done } = data;
    expect(preview).toMatchObject(done);
  });
});

describe('a scheduled change is withdrawn and its stock returned', () => {
  const patch = (status: 'active' | 'inactive' | 'suspended' | 'terminated') => (params: Params) =>
    api.admin.updateSubscription({ params, body: { status } });
  const cancel = (cancel_now: boolean) => (params: Params) =>
    api.admin.cancelSubscription({ params, body: { cancel: true, cancel_now } });

  async function scheduleChange() {
    const from = await createTestPackage(2, large, { grace_period: 0 });
    const to = await createTestPackage(1, small, { has_stock: true, stock_qty: 1 });
    const { params, subscription } = await subscribe(from.id);
    await api.admin.changePackage({ params, body: { package_id: to.id } });
    expect(await stockOf(to.id)).toBe(0);
    return { from, to, params, subscription };
  }

  async function expectWithdrawn({ to, params, subscription }: Awaited<ReturnType<typeof scheduleChange>>) {
    expect([(await changesOf(params)).map(({ status }) => status), await stockOf(to.id)]).toEqual([['withdrawn'], 1]);
    const changeEvents = (await eventsOf(subscription)).filter(
      (name) => name === 'subscription.package_change_withdrawn',
    );
    expect(changeEvents).toHaveLength(1);
    await api.admin.deleteServicePackage({ params: { service_package_id: to.id } });
  }

  test.each([
    ['canceled at once', cancel(true)],
    ['canceled for the end of its period', cancel(false)],
    ['inactive', patch('inactive')],
    ['terminated', patch('terminated')],
  ])('when the subscription is %s', async (_, change) => {
    const scheduled = await scheduleChange();
    await change(scheduled.params);
    await expectWithdrawn(scheduled);
  });

  test('when the subscription expires, on any number of nodes, and a later renewal uses the old terms', async () => {
    const scheduledChanges = [await scheduleChange(), await scheduleChange(), await scheduleChange()];
    setDay('2026-04-11');
    const second = await api.another();
    onTestFinished(() => second.close());
    const jobNames = ['expire-subscriptions', 'change-packages'];
    await Promise.all([...jobNames, ...jobNames].map((name, index) => run(name, index % 2 ? second : api)));
    await run('expire-subscriptions');
    for (const scheduled of scheduledChanges) {
      const { params, from } = scheduled;
      expect((await read(params)).status).toBe('suspended');
      await expectWithdrawn(scheduled);
      const { data } = await api.admin.renewSubscription({ params, body: { renew: true } });
      expect(data).toMatchObject({ status: 'active', package_id: from.id });
    }
  });

  test('when the subscription is renewed or changed after its end, even if the job has not run yet', async () => {
    for (const change of [
      (params: Params) => api.admin.renewSubscription({ params, body: { renew: true } }),
      (params: Params) => api.admin.updateSubscription({ params, body: { name: 'Another' } }),
    ]) {
      api.clock.set(start);
      const scheduled = await scheduleChange();
      setDay('2026-05-20');
      await change(scheduled.params);
      expect((await read(scheduled.params)).package_id).toBe(scheduled.from.id);
      await expectWithdrawn(scheduled);
    }
  });

  test('when the dates of a subscription that was suspended by request have passed, not before', async () => {
    const scheduled = await scheduleChange();
    await patch('suspended')(scheduled.params);
    setDay('2026-04-10');
    expect(await run('change-packages')).toBe(0);
    expect(await changesOf(scheduled.params)).toHaveLength(1);
    setDay('2026-04-11');
    expect(await run('change-packages')).toBe(1);
    expect(await run('change-packages')).toBe(0);
    await expectWithdrawn(scheduled);
  });

  test('but not by a preview of these changes', async () => {
    const { to, from, params, subscription } = await scheduleChange();
    const before = await eventsOf(subscription);
    await api.admin.previewSubscription({ params, body: { cancel: true, cancel_now: true } });
    const { data } = await api.admin.previewPackageChange({ params, body: { package_id: to.id } });
    expect(data).toMatchObject({ allowed: true, from: { package_id: from.id }, to: { package_id: to.id } });
    expect([(await changesOf(params)).length, await stockOf(to.id), await eventsOf(subscription)]).toEqual([
      1,
      0,
      before,
    ]);
  });
});

describe('a change is rejected', () => {
  test.each([
    ['the package that it is in', {}, 'current'],
    ['a retired package', { retired: true }, 'other'],
    ['an inactive package', { status: 'inactive' }, 'other'],
    ['a package that is out of stock', { has_stock: true, stock_qty: 0 }, 'other'],
    ['a package of another currency', { currency: 'USD' }, 'other'],
  ])('to %s', async (_, body, target) => {
    const from = await createTestPackage(1, small);
    const other = await createTestPackage(2, large, body);
    const { params } = await subscribe(from.id);
    const package_id = target === 'current' ? from.id : other.id;
    for (const call of [api.admin.changePackage, api.admin.previewPackageChange]) {
      const refusal = await refusalOf(call({ params, body: { package_id } }));
      expect([refusal.status, refusal.code, Object.keys(refusal.errors)]).toEqual([
        422,
        'package-not-available',
        ['package_id'],
      ]);
    }
  });

  test('with an invalid package or time', async () => {
    const { params } = await subscribe((await createTestPackage(1, small)).id);
    for (const body of [{}, { package_id: 'pkg_01jd0000000000000000000000' }, { package_id: 7 }]) {
      const refusal = await refusalOf(api.admin.changePackage({ params, body: body as never }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['package_id']]);
    }
    const to = await createTestPackage(2, large);
    const refusal = await refusalOf(
      api.admin.changePackage({ params, body: { package_id: to.id, when: 'tomorrow' } as never }),
    );
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['when']]);
  });

  test('if the subscription is canceled or has ended, and the error lists the allowed moves', async () => {
    const to = await createTestPackage(2, large);
    const { params } = await subscribe((await createTestPackage(1, small)).id);
    const change = () => api.admin.changePackage({ params, body: { package_id: to.id } });
    await api.admin.cancelSubscription({ params, body: { cancel: true } });
    const refusal = await refusalOf(change());
    expect([refusal.status, refusal.code, refusal.errors]).toEqual([
      409,
      'package-change-not-allowed',
      { allowed_moves: ['uncancel', 'take-back', 'set-terminated'] },
    ]);
    setDay('2026-08-01');
    expect((await refusalOf(change())).code).toBe('package-change-not-allowed');
  });

  test('a change to a hidden package is accepted', async () => {
    const to = await createTestPackage(2, large, { hidden: true });
    const { params } = await subscribe((await createTestPackage(1, small)).id);
    const { data } = await api.admin.changePackage({ params, body: { package_id: to.id } });
    expect(data.package_id).toBe(to.id);
  });
});
