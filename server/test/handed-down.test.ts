import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { inTransaction, system } from '../src/events/change.ts';
import { recordUsage } from '../src/modules/subscriptions/index.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, refusalOf, unique } from './factories.ts';
import { runJob } from '../src/modules.ts';

const password = 'difference engine no. 2';

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function signInUser(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

const packageFeatures = {
  max_accounts: '10',
  max_rooms: '10',
  max_participants: '50',
  max_concurrent_participants: '100',
  guest_access: 'true',
  recording: 'false',
};

/** Creates a reseller that is subscribed to a package, with two customers below it. */
async function makeReseller(features: Readonly<Record<string, string>> = packageFeatures) {
  const { admin } = api;
  const servicePackage = await makePackage(api, { features });
  const reseller = await makeCustomer(api, { is_reseller: true });
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: reseller.id },
  });
  const owner = await signInUser(reseller.email);
  const [firstCustomer, secondCustomer] = [
    await makeCustomer(api, { parent_customer_id: reseller.id }),
    await makeCustomer(api, { parent_customer_id: reseller.id }),
  ];
  const resell = (subscriber: string, features: Record<string, string | number | boolean> = {}) =>
    owner.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: subscriber, features } });
  return { reseller, owner, servicePackage, subscription, firstCustomer, secondCustomer, resell };
}

async function featuresOf(subscriptionId: string) {
  const { data } = await api.admin.readSubscriptionUsage({ params: { subscription_id: subscriptionId } });
  return new Map(data.map((feature) => [feature.tag, { ...feature, ...feature.usage.data, id: feature.id }]));
}

async function createRooms(subscriptionId: string, count: number) {
  const { data: account } = await api.admin.createAccount({
    body: { account_name: unique('Account'), subscription_id: subscriptionId },
  });
  const createRoom = () => api.admin.createRoom({ body: { room_name: unique('Room'), account_id: account.id } });
  for (let index = 0; index < count; index++) await createRoom();
  return createRoom;
}

test('a reseller can resell its whole subscription, and the resold amount is reserved in it', async () => {
  const { subscription, firstCustomer, secondCustomer, resell } = await makeReseller();
  const { data: first } = await resell(firstCustomer.id, { max_rooms: 6, max_accounts: 1 });
  expect(first).toMatchObject({ parent_subscription_id: subscription.id, package_id: subscription.package_id });
  expect((await featuresOf(first.id)).get('max_rooms')).toMatchObject({ value: '6', used: 0, handed_down: 0 });
  expect((await featuresOf(subscription.id)).get('max_rooms')).toMatchObject({ value: '10', used: 0, handed_down: 6 });
  const refusal = await refusalOf(
    resell(secondCustomer.id, { max_rooms: 5, max_accounts: 1, max_concurrent_participants: 0 }),
  );
  expect(refusal).toMatchObject({ status: 422, code: 'feature-limit-reached' });
  expect(refusal.errors).toEqual({
    max_rooms: ['The reseller has 10 of max_rooms, but 0 are used and 11 would be allocated.'],
  });
  const { data: second } = await resell(secondCustomer.id, { max_accounts: 1 });
  expect((await featuresOf(second.id)).get('max_rooms')).toMatchObject({ value: '4' });
  const createRoom = await createRooms(subscription.id, 0);
  expect(await refusalOf(createRoom())).toMatchObject({
    code: 'feature-limit-reached',
    message: expect.stringContaining('10 of 10 are used'),
  });
});

test('a preview of reselling reserves nothing', async () => {
  const { owner, subscription, firstCustomer, servicePackage, resell } = await makeReseller();
  await resell(firstCustomer.id, { max_rooms: 8, max_accounts: 1 });
  const body = { package_id: servicePackage.id, subscriber_id: firstCustomer.id };
  const { data } = await owner.previewNewSubscription({ body });
  expect(data.features).toContainEqual(expect.objectContaining({ tag: 'max_rooms', value: '2' }));
  expect((await refusalOf(owner.previewNewSubscription({ body: { ...body, features: { max_rooms: 3 } } }))).code).toBe(
    'feature-limit-reached',
  );
  expect((await featuresOf(subscription.id)).get('max_rooms')?.handed_down).toBe(8);
});

test('a reseller cannot resell what it uses itself', async () => {
  const { subscription, firstCustomer, resell } = await makeReseller();
  const createRoom = await createRooms(subscription.id, 7);
  const { data: child } = await resell(firstCustomer.id, { max_accounts: 2 });
  expect((await featuresOf(child.id)).get('max_rooms')?.value).toBe('3');
  expect((await refusalOf(createRoom())).code).toBe('feature-limit-reached');
  const createRoomBelow = await createRooms(child.id, 3);
  expect((await refusalOf(createRoomBelow())).code).toBe('feature-limit-reached');
});

test('concurrent subscriptions never exceed the limit of the reseller', async () => {
  const { reseller, subscription, resell } = await makeReseller();
  const customers = await Promise.all(
    Array.from({ length: 8 }, () => makeCustomer(api, { parent_customer_id: reseller.id })),
  );
  const outcomes = await Promise.allSettled(
    customers.map(({ id }) => resell(id, { max_rooms: 3, max_accounts: 1, max_concurrent_participants: 1 })),
  );
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
  expect((await featuresOf(subscription.id)).get('max_rooms')?.handed_down).toBe(9);
});

test('join checks count limits that the reseller allocated to customers as used', async () => {
  const { subscription, firstCustomer, resell } = await makeReseller();
  await resell(firstCustomer.id, { max_rooms: 1, max_accounts: 1, max_concurrent_participants: 100 });
  const { data: account } = await api.admin.createAccount({
    body: { account_name: 'Own', subscription_id: subscription.id },
  });
  const { data: room } = await api.admin.createRoom({ body: { room_name: 'Own', account_id: account.id } });
  const { data } = await api.admin.checkRoomEntry({ params: { room_id: room.id }, body: { role: 'moderator' } });
  expect(JSON.stringify(data)).toContain('concurrent-participants-reached');
});

test('a reseller can change a resold limit between its usage and the limit of the reseller', async () => {
  const { owner, firstCustomer, resell, subscription } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 4, max_accounts: 2 });
  const rooms = (await featuresOf(child.id)).get('max_rooms');
  const params = { subscription_id: child.id, feature_id: rooms?.id ?? '' };
  const set = (value: string) => owner.updateSubscriptionFeature({ params, body: { value } });
  for (const value of ['11', 'unlimited']) expect((await refusalOf(set(value))).errors).toHaveProperty('max_rooms');
  await set('10');
  await createRooms(child.id, 3);
  expect(await refusalOf(set('2'))).toMatchObject({
    message: 'More is used or resold than the new limits allow: max_rooms.',
    errors: { max_rooms: ['max_rooms cannot be lower than 3, the amount that is used or resold.'] },
  });
  await set('3');
  expect((await featuresOf(subscription.id)).get('max_rooms')?.handed_down).toBe(3);
  expect((await refusalOf(owner.deleteSubscriptionFeature({ params }))).code).toBe('feature-limit-reached');
});

test('resold flags and limits per room cannot exceed those of the reseller', async () => {
  const { owner, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 1, max_accounts: 1 });
  const features = await featuresOf(child.id);
  const change = (tag: string, value: string) =>
    owner.updateSubscriptionFeature({
      params: { subscription_id: child.id, feature_id: features.get(tag)?.id ?? '' },
      body: { value },
    });
  expect((await refusalOf(change('recording', 'true'))).errors).toHaveProperty('recording');
  expect((await refusalOf(change('max_participants', '51'))).errors).toHaveProperty('max_participants');
  await change('max_participants', '20');
  await change('guest_access', 'false');
  const extra = { service_feature_code: 'breakout_rooms', value: 'true' };
  expect(
    (await refusalOf(owner.createSubscriptionFeature({ params: { subscription_id: child.id }, body: extra }))).errors,
  ).toHaveProperty('breakout_rooms');
  const participantsParams = {
    subscription_id: child.id,
    feature_id: features.get('max_concurrent_participants')?.id ?? '',
  };
  expect((await refusalOf(owner.deleteSubscriptionFeature({ params: participantsParams }))).status).toBe(422);
});

test('administrators can resell within the same limits, or sell independently of the reseller', async () => {
  const { admin } = api;
  const { servicePackage, subscription, firstCustomer } = await makeReseller();
  const body = { package_id: servicePackage.id, subscriber_id: firstCustomer.id };
  const { data: independent } = await admin.createSubscription({ body });
  expect(independent.parent_subscription_id).toBeNull();
  expect((await featuresOf(subscription.id)).get('max_rooms')?.handed_down).toBe(0);
  const resoldBody = { ...body, parent_subscription_id: subscription.id };
  expect(
    (await refusalOf(admin.createSubscription({ body: { ...resoldBody, features: { max_rooms: 11 } } }))).status,
  ).toBe(422);
  const { data: resold } = await admin.createSubscription({ body: { ...resoldBody, features: { max_rooms: 2 } } });
  expect(resold.parent_subscription_id).toBe(subscription.id);
  expect(
    (await refusalOf(admin.createSubscription({ body: { ...resoldBody, parent_subscription_id: independent.id } })))
      .errors,
  ).toHaveProperty('parent_subscription_id');
});

test('a reseller manages the subscriptions that it resold, but not its own and not those that the platform sold to its customers', async () => {
  const { admin } = api;
  const { owner, servicePackage, subscription, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 1, max_accounts: 1 });
  const params = { subscription_id: child.id };
  expect((await owner.updateSubscription({ params, body: { price: 12.5, name: 'Small' } })).data).toMatchObject({
    price: 12.5,
  });
  expect((await owner.renewSubscription({ params, body: { renew: true } })).data.status).toBe('active');
  expect((await owner.cancelSubscription({ params, body: { cancel: true } })).data.status).toBe('canceled');
  const { data: soldByPlatform } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: firstCustomer.id },
  });
  for (const { id } of [subscription, soldByPlatform]) {
    expect(
      await refusalOf(owner.updateSubscription({ params: { subscription_id: id }, body: { price: 0 } })),
    ).toMatchObject({
      status: 403,
      message: 'This needs the right manage-subscriptions.',
    });
  }
  const childOwner = await signInUser(firstCustomer.email);
  expect((await refusalOf(childOwner.updateSubscription({ params, body: { price: 0 } }))).status).toBe(403);
  expect(
    (await refusalOf(admin.changePackage({ params, body: { package_id: (await makePackage(api)).id } }))).status,
  ).toBe(409);
});

test('a reseller cannot subscribe customers to a package that it lacks, subscribe itself, or subscribe a customer that is not below it', async () => {
  const { owner, reseller, firstCustomer, servicePackage } = await makeReseller();
  const otherPackage = await makePackage(api);
  const subscribe = (package_id: string, subscriber_id: string) =>
    refusalOf(owner.createSubscription({ body: { package_id, subscriber_id } }));
  expect((await subscribe(otherPackage.id, firstCustomer.id)).errors).toEqual({
    package_id: ['The reseller is not subscribed to this package.'],
  });
  expect(await subscribe(servicePackage.id, reseller.id)).toMatchObject({ status: 403 });
  const unrelatedCustomer = await makeCustomer(api);
  expect((await subscribe(servicePackage.id, unrelatedCustomer.id)).errors).toHaveProperty('subscriber_id');
});

test('resold subscriptions are usable as long as the subscription of the reseller is, and again after its renewal', async () => {
  const { admin } = api;
  const { subscription, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 5, max_accounts: 1 });
  const createRoom = await createRooms(child.id, 1);
  const { data: room } = await createRoom();
  const check = async () =>
    JSON.stringify((await admin.checkRoomEntry({ params: { room_id: room.id }, body: { role: 'moderator' } })).data);
  expect(await check()).not.toContain('subscription');
  await admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'suspended' } });
  expect(await refusalOf(createRoom())).toMatchObject({ status: 409, code: 'subscription-not-usable' });
  expect(await check()).toContain('subscription');
  await admin.renewSubscription({ params: { subscription_id: subscription.id }, body: { renew: true } });
  await createRoom();
  expect(await check()).not.toContain('subscription');
});

test('a resold subscription shows that it is not usable while its parent subscription or its customer is not, and shows the reason', async () => {
  const { admin } = api;
  const { owner, subscription, reseller, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 2, max_accounts: 1 });
  const params = { subscription_id: child.id };
  const readUsability = async () => {
    const { data } = await owner.readSubscription({ params });
    const { data: matches } = await admin.listSubscriptions({
      query: { search: `id:${child.id};is_usable:${String(data.is_usable)}`, searchJoin: 'and' },
    });
    expect(matches).toMatchObject([{ id: child.id, unusable_because: data.unusable_because }]);
    return [data.status, data.is_usable, data.unusable_because];
  };
  const countActive = async () => {
    const [row] = (await owner.readSubscriptionsReport({})).data;
    return [row?.active ?? 0, row?.expiring ?? 0];
  };
  expect([await readUsability(), (await countActive())[0]]).toEqual([['active', true, null], 1]);
  await admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'suspended' } });
  expect([await readUsability(), await countActive()]).toEqual([
    ['active', false, 'parent-subscription'],
    [0, 0],
  ]);
  const account = owner.createAccount({ body: { account_name: 'Below', subscription_id: child.id } });
  expect((await refusalOf(account)).errors).toEqual({ allowed_moves: [] });
  await admin.updateSubscription({ params: { subscription_id: subscription.id }, body: { status: 'active' } });
  await admin.updateCustomer({ params: { customer_id: firstCustomer.id }, body: { status: 'inactive' } });
  expect(await readUsability()).toEqual(['active', false, 'customer']);
  await admin.updateCustomer({ params: { customer_id: firstCustomer.id }, body: { status: 'active' } });
  await owner.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
  expect(await readUsability()).toEqual(['canceled', false, 'subscription']);
  expect(reseller.is_reseller).toBe(true);
});

test('a reseller cannot change when a resold feature is reset', async () => {
  const { owner, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 4, max_accounts: 1 });
  const params = { subscription_id: child.id, feature_id: (await featuresOf(child.id)).get('max_rooms')?.id ?? '' };
  const body = { resettable_period: 1, resettable_interval: 'day' as const };
  expect(Object.keys((await refusalOf(owner.updateSubscriptionFeature({ params, body }))).errors)).toEqual([
    'resettable_period',
    'resettable_interval',
  ]);
});

test('minutes are charged to every parent subscription, and stay charged after the subscription that used them is deleted', async () => {
  const { admin } = api;
  const { owner, subscription, firstCustomer, secondCustomer, resell } = await makeReseller({
    ...packageFeatures,
    participant_minutes: '100',
  });
  const { data: first } = await resell(firstCustomer.id, { max_rooms: 2, max_accounts: 1 });
  const { data: second } = await resell(secondCustomer.id, { max_rooms: 2, max_accounts: 1 });
  expect((await featuresOf(first.id)).get('participant_minutes')).toMatchObject({ value: '100', used: 0 });
  await inTransaction(api.app.dependencies, system, (change) =>
    recordUsage(change, first.uuid, 'participant_minutes', 100),
  );
  expect((await featuresOf(first.id)).get('participant_minutes')?.used).toBe(100);
  expect((await featuresOf(subscription.id)).get('participant_minutes')).toMatchObject({ used: 100, handed_down: 0 });
  const createRoom = await createRooms(second.id, 0);
  const { data: room } = await createRoom();
  const { data } = await admin.checkRoomEntry({ params: { room_id: room.id }, body: { role: 'moderator' } });
  expect(JSON.stringify(data)).toContain('minutes');
  const params = { subscription_id: first.id };
  await owner.updateSubscription({ params, body: { status: 'inactive' } });
  await owner.deleteSubscription({ params });
  expect((await featuresOf(subscription.id)).get('participant_minutes')?.used).toBe(100);
  const tomorrow = { starts_at: '2026-03-11' };
  await owner.updateSubscription({ params: { subscription_id: second.id }, body: tomorrow });
  expect((await featuresOf(subscription.id)).get('participant_minutes')?.used).toBe(100);
});

test('a limit cannot be lowered below the resold amount; other values are also lowered in the resold subscriptions', async () => {
  const { admin } = api;
  const { subscription, firstCustomer, resell, servicePackage } = await makeReseller({
    ...packageFeatures,
    recording: 'true',
  });
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 8, max_accounts: 1 });
  const features = await featuresOf(subscription.id);
  const set = (tag: string, value: string) =>
    admin.updateSubscriptionFeature({
      params: { subscription_id: subscription.id, feature_id: features.get(tag)?.id ?? '' },
      body: { value },
    });
  expect((await refusalOf(set('max_rooms', '7'))).errors).toEqual({
    max_rooms: ['0 of max_rooms are used and 8 are allocated, which is more than 7.'],
  });
  await set('max_rooms', '8');
  await set('recording', 'false');
  await set('max_participants', '5');
  const childFeatures = await featuresOf(child.id);
  expect([childFeatures.get('recording')?.value, childFeatures.get('max_participants')?.value]).toEqual(['false', '5']);
  const rooms = { subscription_id: subscription.id, feature_id: features.get('max_rooms')?.id ?? '' };
  expect((await refusalOf(admin.deleteSubscriptionFeature({ params: rooms }))).code).toBe('feature-limit-reached');
  const smaller = await makePackage(api, { features: { ...packageFeatures, max_rooms: '7' } });
  expect(
    await refusalOf(
      admin.changePackage({
        params: { subscription_id: subscription.id },
        body: { package_id: smaller.id, when: 'now' },
      }),
    ),
  ).toMatchObject({ status: 409, code: 'package-limits-exceeded' });
  expect(servicePackage.id).not.toBe(smaller.id);
});

test('an unlimited value that was resold cannot become limited, not even by a package change', async () => {
  const { admin } = api;
  const { subscription, firstCustomer, resell } = await makeReseller({ ...packageFeatures, max_rooms: 'unlimited' });
  await resell(firstCustomer.id, { max_accounts: 1 });
  const id = (await featuresOf(subscription.id)).get('max_rooms')?.id ?? '';
  const params = { subscription_id: subscription.id };
  expect(
    (await refusalOf(admin.updateSubscriptionFeature({ params: { ...params, feature_id: id }, body: { value: '50' } })))
      .errors,
  ).toEqual({ max_rooms: ['A resold subscription has unlimited max_rooms.'] });
  const { id: packageId } = await makePackage(api, { features: packageFeatures });
  expect((await refusalOf(admin.changePackage({ params, body: { package_id: packageId, when: 'now' } }))).code).toBe(
    'package-limits-exceeded',
  );
});

test('a package change with limits below the resold amount is not allowed in the preview, fails on its day, and does not block other package changes', async () => {
  const { admin } = api;
  const daily = { periodicity_type: 'day', grace_period: 1, grace_interval: 'day', currency: 'EUR' };
  const { provider } = { provider: (await makeProvider(api)).id };
  const limits = { max_accounts: '10', max_rooms: '10' };
  const larger = await makePackage(api, { provider, features: limits, body: { ...daily, tier: 2 } });
  const smaller = await makePackage(api, {
    provider,
    features: { ...limits, max_concurrent_meetings: '2' },
    body: { ...daily, tier: 1 },
  });
  const reseller = await makeCustomer(api, { is_reseller: true });
  const owner = await signInUser(reseller.email);
  const subscribe = async (subscriber: string) =>
    (await admin.createSubscription({ body: { package_id: larger.id, subscriber_id: subscriber } })).data;
  const [parent, independent] = [await subscribe(reseller.id), await subscribe((await makeCustomer(api)).id)];
  const customerBelow = await makeCustomer(api, { parent_customer_id: reseller.id });
  const { data: child } = await owner.createSubscription({
    body: { package_id: larger.id, subscriber_id: customerBelow.id, features: { max_rooms: 5, max_accounts: 5 } },
  });
  const params = { subscription_id: parent.id };
  const now = { package_id: smaller.id, when: 'now' } as const;
  const { data: unlimited } = await admin.previewPackageChange({ params, body: now });
  expect(unlimited.allowed).toBe(false);
  expect(unlimited.features.find(({ tag }) => tag === 'max_concurrent_meetings')).toMatchObject({
    used: 0,
    over: true,
    unlimited_below: [child.id],
  });
  expect((await refusalOf(admin.changePackage({ params, body: now }))).errors).toEqual({
    max_concurrent_meetings: [`The resold subscription ${child.id} has no limit, the new package allows 2.`],
  });
  await owner.createSubscriptionFeature({
    params: { subscription_id: child.id },
    body: { service_feature_code: 'max_concurrent_meetings', value: 3 },
  });
  const { data: preview } = await admin.previewPackageChange({ params, body: now });
  expect(preview).toMatchObject({ allowed: false, refusal: expect.stringContaining('max_concurrent_meetings') });
  expect(preview.features.find(({ tag }) => tag === 'max_concurrent_meetings')).toMatchObject({
    used: 3,
    handed_down: 3,
    over: true,
  });
  expect(await refusalOf(admin.changePackage({ params, body: now }))).toMatchObject({
    status: 409,
    code: 'package-limits-exceeded',
  });
  for (const id of [parent.id, independent.id])
    await admin.changePackage({
      params: { subscription_id: id },
      body: { package_id: smaller.id, when: 'period_end' },
    });
  const startTime = api.clock.now();
  onTestFinished(() => api.clock.set(startTime));
  api.clock.advance({ days: 2 });
  expect(await runJob(api.app.dependencies, 'change-packages')).toBe(2);
  const changesOf = async (id: string) => (await admin.listPackageChanges({ params: { subscription_id: id } })).data;
  expect(await changesOf(parent.id)).toMatchObject([
    { status: 'failed', failure: expect.stringContaining('3 are used, the new package allows 2') },
  ]);
  expect(await changesOf(independent.id)).toMatchObject([{ status: 'done' }]);
  for (const body of [{ name: 'x' }, { status: 'suspended' }, { status: 'active' }] as const)
    await admin.updateSubscription({ params, body });
  await admin.renewSubscription({ params, body: { renew: true } });
  const { data } = await admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
  expect(data.status).toBe('canceled');
});

test('reselling is limited by the package to which the reseller will change', async () => {
  const { admin } = api;
  const { owner, subscription, firstCustomer, secondCustomer, resell } = await makeReseller({
    ...packageFeatures,
    max_rooms: '10',
  });
  const { id: smaller } = await makePackage(api, {
    features: { max_accounts: '10', max_rooms: '4', max_concurrent_meetings: '2' },
  });
  const { data: child } = await resell(firstCustomer.id, {
    max_rooms: 1,
    max_accounts: 1,
    max_concurrent_participants: 5,
  });
  const { data: meetings } = await owner.createSubscriptionFeature({
    params: { subscription_id: child.id },
    body: { service_feature_code: 'max_concurrent_meetings', value: 1 },
  });
  await admin.changePackage({
    params: { subscription_id: subscription.id },
    body: { package_id: smaller, when: 'period_end' },
  });
  const rooms = (await featuresOf(child.id)).get('max_rooms')?.id ?? '';
  const set = (id: string, value: number) =>
    owner.updateSubscriptionFeature({ params: { subscription_id: child.id, feature_id: id }, body: { value } });
  expect((await refusalOf(set(meetings.id, 3))).errors).toEqual({
    max_concurrent_meetings: [
      'From 2026-04-11 the reseller has 2 of max_concurrent_meetings, but 0 are used and 3 would be allocated.',
    ],
  });
  await set(meetings.id, 2);
  expect((await refusalOf(set(rooms, 5))).errors).toHaveProperty('max_rooms');
  await set(rooms, 3);
  const { data: second } = await resell(secondCustomer.id, { max_accounts: 1 });
  const features = await featuresOf(second.id);
  expect([features.get('max_rooms')?.value, features.get('max_concurrent_meetings')?.value]).toEqual(['1', '0']);
});

test('limits that a reseller loses are lowered at every level below it', async () => {
  const { admin } = api;
  const { owner, firstCustomer, resell, servicePackage } = await makeReseller({
    ...packageFeatures,
    recording: 'true',
  });
  await admin.updateCustomer({ params: { customer_id: firstCustomer.id }, body: { is_reseller: true } });
  const { data: middle } = await resell(firstCustomer.id, { max_rooms: 6, max_accounts: 4 });
  const bottom = await makeCustomer(api, { parent_customer_id: firstCustomer.id });
  const middleOwner = await signInUser(firstCustomer.email);
  const { data: lowest } = await middleOwner.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: bottom.id, features: { max_rooms: 5, max_accounts: 1 } },
  });
  const features = await featuresOf(middle.id);
  const set = (tag: string, value: string) =>
    owner.updateSubscriptionFeature({
      params: { subscription_id: middle.id, feature_id: features.get(tag)?.id ?? '' },
      body: { value },
    });
  await set('recording', 'false');
  await set('max_participants', '9');
  expect((await refusalOf(set('max_rooms', '4'))).errors).toHaveProperty('max_rooms');
  const childFeatures = await featuresOf(lowest.id);
  expect([childFeatures.get('recording')?.value, childFeatures.get('max_participants')?.value]).toEqual(['false', '9']);
});

test('a limit that is lowered or added in a resold subscription has an event that contains the feature as the API returns it', async () => {
  const { max_participants: limit, ...others } = { ...packageFeatures, recording: 'true' };
  const { subscription, firstCustomer, resell } = await makeReseller(others);
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 6, max_accounts: 4 });
  const params = { subscription_id: subscription.id };
  const features = await featuresOf(subscription.id);
  await api.admin.updateSubscriptionFeature({
    params: { ...params, feature_id: features.get('recording')?.id ?? '' },
    body: { value: 'false' },
  });
  await api.admin.createSubscriptionFeature({ params, body: { tag: 'max_participants', value: limit } });
  const { data: childFeatures } = await api.admin.listSubscriptionFeatures({ params: { subscription_id: child.id } });
  for (const [tag, name, previous] of [
    ['recording', 'updated', { value: 'true' }],
    ['max_participants', 'created', null],
  ] as const) {
    const feature = childFeatures.find((row) => row.tag === tag);
    const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${feature?.id}` } });
    expect(events[0]).toMatchObject({
      name: `subscription_feature.${name}`,
      resource_type: feature?.object,
      customer_id: firstCustomer.id,
      data: feature,
      previous,
    });
  }
});

test('a suspended reseller can neither sell subscriptions nor change those that it sold', async () => {
  const { reseller, owner, firstCustomer, secondCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 2, max_accounts: 1 });
  await api.admin.updateCustomer({ params: { customer_id: reseller.id }, body: { status: 'suspended' } });
  const params = { subscription_id: child.id };
  expect((await refusalOf(owner.renewSubscription({ params, body: { renew: true } }))).status).toBe(403);
  expect((await refusalOf(owner.updateSubscription({ params, body: { price: 1 } }))).status).toBe(403);
  expect((await refusalOf(resell(secondCustomer.id))).status).toBe(403);
  expect((await owner.readSubscription({ params })).data.id).toBe(child.id);
});

test('package features are not copied if they are below the resold amount', async () => {
  const { admin } = api;
  const { subscription, servicePackage, firstCustomer, resell, owner } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 4, max_accounts: 1 });
  const { data: features } = await admin.listServicePackageFeatures({
    params: { service_package_id: servicePackage.id },
  });
  const rooms = features.find(({ tag }) => tag === 'max_rooms')?.id ?? '';
  await admin.deleteServicePackageFeature({ params: { service_package_id: servicePackage.id, feature_id: rooms } });
  const sync = admin.syncSubscriptionFeatures({ params: { subscription_id: subscription.id }, body: { sync: true } });
  expect(await refusalOf(sync)).toMatchObject({
    status: 422,
    code: 'feature-limit-reached',
    errors: { max_rooms: ['0 of max_rooms are used and 4 are allocated, which is more than 0.'] },
  });
  const featureId = (await featuresOf(child.id)).get('max_rooms')?.id ?? '';
  const params = { subscription_id: child.id, feature_id: featureId };
  expect((await owner.updateSubscriptionFeature({ params, body: { sort_order: 4 } })).data.sort_order).toBe(4);
});

test('used minutes stay used if the package is changed and changed back', async () => {
  const { admin } = api;
  const { subscription, servicePackage } = await makeReseller({ max_rooms: '3', participant_minutes: '100' });
  const { id: packageWithoutMinutes } = await makePackage(api, { features: { max_rooms: '3' } });
  const params = { subscription_id: subscription.id };
  const readSpentMinutes = async () => (await featuresOf(subscription.id)).get('participant_minutes')?.used;
  const changeTo = (package_id: string) => admin.changePackage({ params, body: { package_id, when: 'now' } });
  await inTransaction(api.app.dependencies, system, (change) =>
    recordUsage(change, subscription.uuid, 'participant_minutes', 100),
  );
  await changeTo(packageWithoutMinutes);
  expect(await readSpentMinutes()).toBeUndefined();
  await changeTo(servicePackage.id);
  expect(await readSpentMinutes()).toBe(100);
  await changeTo(packageWithoutMinutes);
  const startTime = api.clock.now();
  onTestFinished(() => api.clock.set(startTime));
  await admin.renewSubscription({ params, body: { renew: true } });
  api.clock.advance({ days: 32 });
  await changeTo(servicePackage.id);
  expect(await readSpentMinutes()).toBe(0);
});

test("concurrent changes of a reseller's and its customers' subscriptions are serialized, without deadlock errors", async () => {
  const { admin } = api;
  const { subscription, owner, firstCustomer, secondCustomer, resell } = await makeReseller();
  const children = [];
  for (const { id } of [firstCustomer, secondCustomer])
    children.push((await resell(id, { max_rooms: 2, max_accounts: 1, max_concurrent_participants: 9 })).data);
  const featureId = (await featuresOf(subscription.id)).get('max_participants')?.id ?? '';
  const rooms = await Promise.all(
    children.map(async ({ id }) => ({
      subscription_id: id,
      feature_id: (await featuresOf(id)).get('max_rooms')?.id ?? '',
    })),
  );
  const spend = (id: string) =>
    inTransaction(api.app.dependencies, system, (change) => recordUsage(change, id, 'participant_minutes', 1));
  for (let round = 0; round < 8; round++)
    await Promise.all([
      ...[1, 2].map((turn) =>
        admin.updateSubscriptionFeature({
          params: { subscription_id: subscription.id, feature_id: featureId },
          body: { value: 40 - round - turn },
        }),
      ),
      ...rooms.map((params) => owner.updateSubscriptionFeature({ params, body: { value: 2 + (round % 2) } })),
      ...children.map(({ uuid }) => spend(uuid)),
    ]);
  expect((await featuresOf(children[0]?.id ?? '')).get('max_participants')?.value).toMatch(/^3\d$/);
});

test('a suspended reseller can read the resources below it, but neither change nor delete them', async () => {
  const { admin } = api;
  const { reseller, owner, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 2, max_accounts: 1 });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Below', subscription_id: child.id },
  });
  const { data: room } = await owner.createRoom({ body: { room_name: 'Below', account_id: account.id } });
  const customer = { customer_id: firstCustomer.id };
  await admin.updateCustomer({ params: { customer_id: reseller.id }, body: { status: 'suspended' } });
  const refusals = [
    owner.updateCustomer({ params: customer, body: { status: 'suspended' } }),
    owner.updateCustomer({ params: customer, body: { first_name: 'Mary' } }),
    owner.updateAccount({ params: { account_id: account.id }, body: { account_name: 'Other' } }),
    owner.updateRoom({ params: { room_id: room.id }, body: { room_name: 'Other' } }),
    owner.deleteRoom({ params: { room_id: room.id } }),
    owner.cancelSubscription({ params: { subscription_id: child.id }, body: { cancel: true } }),
    owner.deleteCustomer({ params: customer }),
  ].map(refusalOf);
  for (const refusal of await Promise.all(refusals)) expect(refusal.status).toBe(403);
  expect((await owner.readCustomer({ params: customer })).data.first_name).toBe('Ada');
  expect((await owner.readRoom({ params: { room_id: room.id } })).data.room_name).toBe('Below');
  const ownUpdate = { params: { customer_id: reseller.id }, body: { first_name: 'Mary' } };
  expect((await owner.updateCustomer(ownUpdate)).data.first_name).toBe('Mary');
});

test('a feature that is removed and added again counts the existing rooms', async () => {
  const { admin } = api;
  const { subscription } = await makeReseller();
  const createRoom = await createRooms(subscription.id, 9);
  const id = (await featuresOf(subscription.id)).get('max_rooms')?.id ?? '';
  const params = { subscription_id: subscription.id };
  await admin.deleteSubscriptionFeature({ params: { ...params, feature_id: id } });
  await admin.createSubscriptionFeature({ params, body: { service_feature_code: 'max_rooms', value: '10' } });
  expect((await featuresOf(subscription.id)).get('max_rooms')?.used).toBe(9);
  await createRoom();
  expect((await refusalOf(createRoom())).code).toBe('feature-limit-reached');
});

test('reselling does not lower the limits per room', async () => {
  const { admin } = api;
  const { subscription, firstCustomer, resell } = await makeReseller();
  await resell(firstCustomer.id, { max_rooms: 1, max_accounts: 1, max_concurrent_participants: 60 });
  const { data: account } = await admin.createAccount({
    body: { account_name: 'Own', subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({
    body: { room_name: 'Own', account_id: account.id, room_features: { max_concurrent_participants: 5 } },
  });
  const { data } = await admin.checkRoomEntry({ params: { room_id: room.id }, body: { role: 'moderator' } });
  expect(JSON.stringify(data)).not.toContain('concurrent-participants-reached');
});

test('deleting a resold subscription releases its allocation; a subscription with resold subscriptions below it cannot be deleted', async () => {
  const { admin } = api;
  const { owner, subscription, firstCustomer, resell } = await makeReseller();
  const { data: child } = await resell(firstCustomer.id, { max_rooms: 5, max_accounts: 1 });
  const [parentParams, childParams] = [{ subscription_id: subscription.id }, { subscription_id: child.id }];
  await admin.updateSubscription({ params: parentParams, body: { status: 'inactive' } });
  expect(await refusalOf(admin.deleteSubscription({ params: parentParams }))).toMatchObject({
    status: 409,
    code: 'has-sub-subscriptions',
  });
  await owner.updateSubscription({ params: childParams, body: { status: 'inactive' } });
  await owner.deleteSubscription({ params: childParams });
  expect((await featuresOf(subscription.id)).get('max_rooms')?.handed_down).toBe(0);
  await admin.deleteSubscription({ params: parentParams });
});

test('reconciliation corrects the stored allocations', async () => {
  const { subscription, firstCustomer, resell } = await makeReseller();
  await resell(firstCustomer.id, { max_rooms: 5, max_accounts: 1 });
  await api.app.connection.pool.query(
    `update subscription_usages usage set handed_down = 1 from subscription_features feature
     where feature.id = usage.subscription_feature_id and feature.subscription_id = $1 and feature.tag = 'max_rooms'`,
    [subscription.uuid],
  );
  await runJob(api.app.dependencies, 'reconcile-usage');
  expect((await featuresOf(subscription.id)).get('max_rooms')?.handed_down).toBe(5);
});

test('initial feature values must be valid features of the package', async () => {
  const { servicePackage, firstCustomer } = await makeReseller();
  const refusal = await refusalOf(
    api.admin.createSubscription({
      body: {
        package_id: servicePackage.id,
        subscriber_id: firstCustomer.id,
        features: { max_rooms: 'many', polls: true, nonsense: 1 },
      },
    }),
  );
  expect(Object.keys(refusal.errors)).toEqual(['features.max_rooms', 'features.polls', 'features.nonsense']);
});
