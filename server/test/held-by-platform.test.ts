import type { Client } from '@foyer/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, refusalOf } from './factories.ts';
import { runJob } from '../src/modules.ts';

const password = 'difference engine no. 2';
const heldByPlatform = { status: 409, code: 'held-by-platform' };
const soldByPlatform = { status: 409, code: 'sold-by-platform' };

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function signInUser(email: string): Promise<Client> {
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

/** Creates a reseller, a client of its owner, and a customer below with a resold subscription. */
async function makeBranch() {
  const { admin } = api;
  const servicePackage = await makePackage(api);
  const reseller = await makeCustomer(api, { is_reseller: true });
  await admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: reseller.id } });
  const owner = await signInUser(reseller.email);
  const child = await makeCustomer(api, { parent_customer_id: reseller.id });
  const { data: resoldSubscription } = await owner.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: child.id, features: { max_rooms: 2, max_accounts: 1 } },
  });
  return { servicePackage, reseller, owner, child, customer: { customer_id: child.id }, resoldSubscription };
}

test('users cannot terminate a customer with a running subscription from the platform', async () => {
  const { admin } = api;
  const { servicePackage, owner, customer, child } = await makeBranch();
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: child.id },
  });
  const params = { subscription_id: subscription.id };
  const terminate = () => owner.updateCustomer({ params: customer, body: { status: 'terminated' } });
  expect(await refusalOf(terminate())).toMatchObject(soldByPlatform);
  await admin.cancelSubscription({ params, body: { cancel: true } });
  expect(await refusalOf(terminate())).toMatchObject(soldByPlatform);
  expect((await admin.readCustomer({ params: customer })).data.status).toBe('active');
  for (const status of ['terminated', 'inactive'] as const) {
    await admin.updateSubscription({ params, body: { status } });
    expect(await refusalOf(terminate())).toMatchObject(heldByPlatform);
  }
  await admin.deleteSubscription({ params });
  expect((await terminate()).data.status).toBe('terminated');
  await owner.deleteCustomer({ params: customer });
});

test('a subscription that the platform holds cannot be ended or deleted through its customer, and its dates and features cannot be changed', async () => {
  const { admin } = api;
  const { owner, customer, resoldSubscription } = await makeBranch();
  const params = { subscription_id: resoldSubscription.id };
  await admin.updateSubscription({ params, body: { status: 'suspended' } });
  const { data: features } = await admin.listSubscriptionFeatures({ params });
  const featureParams = { ...params, feature_id: features[0]?.id ?? '' };
  const refusals = [
    owner.updateCustomer({ params: customer, body: { status: 'terminated' } }),
    owner.updateSubscription({ params, body: { ends_at: '2027-12-01' } }),
    owner.updateSubscription({ params, body: { price: 1 } }),
    owner.updateSubscriptionFeature({ params: featureParams, body: { value: 1 } }),
    owner.deleteSubscriptionFeature({ params: featureParams }),
    owner.createSubscriptionFeature({ params, body: { service_feature_code: 'max_duration', value: 1 } }),
    owner.syncSubscriptionFeatures({ params, body: { sync: true } }),
  ].map(refusalOf);
  for (const refusal of await Promise.all(refusals)) expect(refusal).toMatchObject(heldByPlatform);
  await admin.updateSubscription({ params, body: { status: 'active' } });
  await owner.updateCustomer({ params: customer, body: { status: 'terminated' } });
  await admin.updateSubscription({ params, body: { status: 'inactive' } });
  expect(await refusalOf(owner.deleteCustomer({ params: customer }))).toMatchObject(heldByPlatform);
  expect((await admin.readSubscription({ params })).data.status).toBe('inactive');
});

test('if an administrator cancels a subscription that the reseller has canceled, the platform holds it, and its end does not change', async () => {
  const { admin } = api;
  const { owner, resoldSubscription } = await makeBranch();
  const params = { subscription_id: resoldSubscription.id };
  const { data: before } = await owner.cancelSubscription({ params, body: { cancel: true } });
  const { data } = await admin.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
  expect(data).toMatchObject({ status: 'canceled', cancels_at: before.cancels_at, held_by_platform: true });
  const renewal = { params, body: { renew: true, uncancel: true } };
  expect(await refusalOf(owner.renewSubscription(renewal))).toMatchObject(heldByPlatform);
});

test('users cannot delete a customer whose subscription from the platform was reactivated', async () => {
  const { admin } = api;
  const { servicePackage, owner, customer, child } = await makeBranch();
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: servicePackage.id, subscriber_id: child.id },
  });
  const params = { subscription_id: subscription.id };
  const database = api.app.dependencies.db;
  await database
    .updateTable('subscriptions')
    .set({ status: 'terminated', usable_until: null })
    .where('tag', '=', subscription.tag)
    .execute();
  await owner.updateCustomer({ params: customer, body: { status: 'terminated' } });
  await admin.updateSubscription({ params, body: { status: 'inactive' } });
  await database
    .updateTable('subscriptions')
    .set({ status: 'suspended', held_by_platform: false })
    .where('tag', '=', subscription.tag)
    .execute();
  expect(await refusalOf(owner.deleteCustomer({ params: customer }))).toMatchObject(soldByPlatform);
  await admin.deleteCustomer({ params: customer });
});

test('a subscription below a sub-reseller also prevents terminating the sub-reseller', async () => {
  const { admin } = api;
  const { servicePackage, owner, child, customer } = await makeBranch();
  await admin.updateCustomer({ params: customer, body: { is_reseller: true } });
  const grandchild = await makeCustomer(api, { parent_customer_id: child.id });
  await admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: grandchild.id } });
  for (const customer_id of [grandchild.id, child.id]) {
    const ending = owner.updateCustomer({ params: { customer_id }, body: { status: 'terminated' } });
    expect((await refusalOf(ending)).code).toBe(customer_id === child.id ? 'has-sub-customers' : 'sold-by-platform');
  }
});

test.each(['suspended', 'inactive'] as const)(
  'the resellers above cannot change a customer that an administrator set to %s',
  async (status) => {
    const { admin } = api;
    const { owner, customer } = await makeBranch();
    const setStatus = (newStatus: 'active' | 'suspended' | 'inactive' | 'terminated') =>
      owner.updateCustomer({ params: customer, body: { status: newStatus } });
    expect((await admin.updateCustomer({ params: customer, body: { status } })).data).toMatchObject({
      status,
      held_by_platform: true,
    });
    expect((await owner.readCustomer({ params: customer })).data.held_by_platform).toBe(true);
    for (const newStatus of ['active', status === 'inactive' ? 'suspended' : 'inactive', 'terminated'] as const)
      expect(await refusalOf(setStatus(newStatus))).toMatchObject(heldByPlatform);
    const { data: renamed } = await owner.updateCustomer({ params: customer, body: { first_name: 'Mary', status } });
    expect(renamed).toMatchObject({ first_name: 'Mary', status, held_by_platform: true });

    const { data: reactivated } = await admin.updateCustomer({ params: customer, body: { status: 'active' } });
    expect(reactivated.held_by_platform).toBe(false);
    expect((await setStatus(status)).data).toMatchObject({ status, held_by_platform: false });
    expect((await setStatus('active')).data).toMatchObject({ status: 'active', held_by_platform: false });
  },
);

test('the platform also holds resources that were already suspended, and resources that are created inactive', async () => {
  const { admin } = api;
  const { owner, customer } = await makeBranch();
  await owner.updateCustomer({ params: customer, body: { status: 'suspended' } });
  await admin.updateCustomer({ params: customer, body: { status: 'suspended' } });
  expect(await refusalOf(owner.updateCustomer({ params: customer, body: { status: 'active' } }))).toMatchObject(
    heldByPlatform,
  );
  expect(await makeCustomer(api, { status: 'inactive' })).toMatchObject({ held_by_platform: true });
  expect(await makeCustomer(api, { status: 'active' })).toMatchObject({ held_by_platform: false });
});

test('only administrators can delete a customer that an administrator terminated', async () => {
  const { admin } = api;
  const { owner, customer } = await makeBranch();
  await admin.updateCustomer({ params: customer, body: { status: 'terminated' } });
  expect(await refusalOf(owner.deleteCustomer({ params: customer }))).toMatchObject(heldByPlatform);
  await admin.deleteCustomer({ params: customer });
});

test.each(['suspended', 'inactive', 'terminated'] as const)(
  'the reseller above cannot change, renew or delete a resold subscription that an administrator set to %s',
  async (status) => {
    const { admin } = api;
    const { owner, resoldSubscription } = await makeBranch();
    const params = { subscription_id: resoldSubscription.id };
    await admin.updateSubscription({ params, body: { status } });
    const { data: seen } = await owner.readSubscription({ params });
    expect(seen).toMatchObject({ status, held_by_platform: true });
    const newStatus = status === 'inactive' ? 'terminated' : 'inactive';
    const refusals = [
      owner.updateSubscription({ params, body: { status: 'active' } }),
      owner.updateSubscription({ params, body: { status: newStatus } }),
      owner.renewSubscription({ params, body: { renew: true, uncancel: true } }),
      owner.previewSubscription({ params, body: { renew: true } }),
      ...(status === 'inactive' ? [owner.deleteSubscription({ params })] : []),
    ].map(refusalOf);
    for (const refusal of await Promise.all(refusals)) {
      if (status === 'terminated' && refusal.code === 'status-change-not-allowed') continue;
      expect(refusal).toMatchObject({ ...heldByPlatform, errors: { allowed_moves: [] } });
      expect(refusal.message).toContain(`The platform set the subscription to ${status}`);
    }
    const { data: same } = await owner.updateSubscription({ params, body: { name: 'Renamed', status } });
    expect(same).toMatchObject({ name: 'Renamed', status, held_by_platform: true });
  },
);

test.each([{ cancel_now: true }, { cancel_now: false }])(
  'only administrators can uncancel a subscription that an administrator canceled (%o), also after it has expired',
  async (body) => {
    const { admin } = api;
    const { owner, reseller, resoldSubscription } = await makeBranch();
    const params = { subscription_id: resoldSubscription.id };
    const uncancel = { renew: true, uncancel: true };
    await admin.cancelSubscription({ params, body: { cancel: true, ...body } });
    expect(await refusalOf(owner.renewSubscription({ params, body: uncancel }))).toMatchObject(heldByPlatform);
    api.clock.advance({ days: 40 });
    await runJob(api.app.dependencies, 'expire-subscriptions');
    expect((await admin.readSubscription({ params })).data).toMatchObject({
      status: 'suspended',
      held_by_platform: true,
    });
    const second = await signInUser(reseller.email);
    expect(await refusalOf(second.renewSubscription({ params, body: uncancel }))).toMatchObject(heldByPlatform);
    const { data: renewed } = await admin.renewSubscription({ params, body: uncancel });
    expect(renewed).toMatchObject({ status: 'active', held_by_platform: false });
  },
);

test('a reseller can reactivate subscriptions that it deactivated or canceled itself, and subscriptions that have expired', async () => {
  const { admin } = api;
  const { owner, reseller, resoldSubscription } = await makeBranch();
  const params = { subscription_id: resoldSubscription.id };
  const renew = { renew: true, uncancel: true };
  await owner.cancelSubscription({ params, body: { cancel: true, cancel_now: true } });
  expect((await owner.renewSubscription({ params, body: renew })).data).toMatchObject({ held_by_platform: false });
  await owner.updateSubscription({ params, body: { status: 'suspended' } });
  expect((await owner.updateSubscription({ params, body: { status: 'active' } })).data.status).toBe('active');
  await admin.updateSubscription({ params, body: { status: 'suspended' } });
  await admin.updateSubscription({ params, body: { status: 'active' } });
  await owner.updateSubscription({ params, body: { status: 'inactive' } });
  await owner.updateSubscription({ params, body: { status: 'active' } });
  api.clock.advance({ days: 100 });
  await runJob(api.app.dependencies, 'expire-subscriptions');
  const second = await signInUser(reseller.email);
  expect((await second.readSubscription({ params })).data).toMatchObject({
    status: 'suspended',
    held_by_platform: false,
  });
  expect((await second.renewSubscription({ params, body: renew })).data.status).toBe('active');
});
