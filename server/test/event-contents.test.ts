import { endpoints } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { Noun } from '@foyer/contract/conventions/noun.ts';
import { nouns } from '@foyer/contract/resources/nouns.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, makeRoom, unique } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

/** The members of each resource, by its `object`. */
const members = new Map(
  Object.values<Endpoint>(endpoints).flatMap(({ answer }) =>
    answer.kind === 'resource' || answer.kind === 'list'
      ? [[answer.resource.object, Object.keys(answer.resource.fields)] as const]
      : [],
  ),
);

test('the events of every resource have all members that the API returns, also events of resources that are deleted with their parent', async () => {
  const { admin } = api;
  const { room, account, customer, subscription } = await makeRoom(api);
  const [roomParams, accountParams, customerParams] = [
    { room_id: room.id },
    { account_id: account.id },
    { customer_id: customer.id },
  ];
  const subscriptionParams = { subscription_id: subscription.id };
  const { data: token } = await admin.createRoomToken({ params: roomParams, body: { role: 'guest' } });
  await admin.updateRoomToken({ params: { ...roomParams, token_id: token.id }, body: { name: 'Anna' } });
  const { data: code } = await admin.createRoomAccessCode({
    params: roomParams,
    body: { role: 'guest', code: 'sesame' },
  });
  await admin.updateRoomAccessCode({ params: { ...roomParams, code_id: code.id }, body: { role: 'attendee' } });
  await admin.createRoomTokenBatch({ params: roomParams, body: { tokens: [{ role: 'guest' }] } });
  const person = { email: `${unique('person')}@example.com`, first_name: 'Pe', last_name: 'Rson' };
  const { data: user } = await admin.createUser({ body: person });
  await admin.createCustomerUser({
    params: customerParams,
    body: { user_id: user.id, permissions: ['read-customer'] },
  });
  await admin.updateCustomerUser({ params: { ...customerParams, user_id: user.id }, body: { permissions: [] } });
  await admin.createAccountUser({ params: accountParams, body: { user_id: user.id, permissions: ['read-account'] } });
  await admin.createRoomUser({ params: roomParams, body: { user_id: user.id, permissions: ['read-room'] } });
  await admin.updateUser({ params: { user_id: user.id }, body: { first_name: 'Petra' } });
  await admin.deleteCustomerUser({ params: { ...customerParams, user_id: user.id } });
  await admin.deleteUser({ params: { user_id: user.id } });
  const { data: features } = await admin.listSubscriptionFeatures({ params: subscriptionParams });
  const feature = features.find(({ tag }) => tag === 'max_rooms');
  await admin.updateSubscriptionFeature({
    params: { ...subscriptionParams, feature_id: feature?.id ?? '' },
    body: { value: '900' },
  });
  await admin.updateSubscription({ params: subscriptionParams, body: { name: 'Another name' } });
  await admin.renewSubscription({ params: subscriptionParams, body: { renew: true } });
  await admin.updateAccount({ params: accountParams, body: { account_name: 'Another name' } });
  await admin.updateCustomer({ params: customerParams, body: { first_name: 'Augusta' } });
  const provider = await makeProvider(api);
  await admin.updateServiceProvider({ params: { service_provider_id: provider.id }, body: { provider_name: 'Other' } });
  const sellable = await makePackage(api, { provider: provider.id });
  const packageParams = { service_package_id: sellable.id };
  const { data: sold } = await admin.listServicePackageFeatures({ params: packageParams });
  await admin.deleteServicePackageFeature({ params: { ...packageParams, feature_id: sold[0]?.id ?? '' } });
  await admin.updateServicePackage({ params: packageParams, body: { name: 'Another name' } });
  const { data: role } = await admin.createRole({ body: { name: unique('role') } });
  await admin.deleteRole({ params: { role_id: role.id } });
  await makeCustomer(api);
  await admin.updateSubscription({ params: subscriptionParams, body: { status: 'inactive' } });
  await admin.deleteSubscription({ params: subscriptionParams });
  const { data: events } = await admin.listEvents({ query: { limit: 0 } });
  const types = events.flatMap(({ name, resource_type: type }) => {
    const { object = type }: Noun = nouns[name.split('.')[0] as keyof typeof nouns];
    return object === type ? [] : [`${name} of ${type}`];
  });
  expect(types).toEqual([]);
  // Sign-ins need no additional queries. The providers of packages and of subscriptions have the same `object`.
  const changes = events.filter(({ name }) => !/^(?:subscription|service_package)_provider|\.logged_in$/.test(name));
  const incomplete = changes.flatMap(({ name, data }) => {
    const missing = (members.get(String(data['object'])) ?? []).filter((member) => !(member in data));
    return missing.length === 0 ? [] : [`${name} lacks ${missing.join(', ')}`];
  });
  expect([...new Set(incomplete)].toSorted()).toEqual([]);
  const details = new Set(['automatic']);
  const surplus = changes.flatMap(({ name, data }) => {
    const declaredMembers = members.get(String(data['object']));
    const undeclared = declaredMembers
      ? Object.keys(data).filter((member) => !declaredMembers.includes(member) && !details.has(member))
      : [];
    return undeclared.length === 0 ? [] : [`${name} has ${undeclared.join(', ')}`];
  });
  expect([...new Set(surplus)].toSorted()).toEqual([]);
});
