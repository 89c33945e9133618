import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { EndpointName } from '@foyer/contract';
import { startApi, type TestApi } from './api.ts';
import { makeProvider, makeRoom, unique } from './factories.ts';
import { startFakeMediaServer } from './fake-media-server.ts';
import { makeBroadcastRoom } from './broadcast-rooms.ts';
import { insertRecording } from './recorded-rooms.ts';
import { makeVideoRoom } from './video-rooms.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface Resource {
  readonly [member: string]: unknown;
  readonly updated_at: string;
}

async function countEvents(): Promise<number> {
  const { rows } = await api.app.connection.pool.query<{ count: number }>('select count(*)::int from events');
  return rows[0]?.count ?? 0;
}

/** Sends an empty update, and then one with the current values of the members. */
async function expectUnchanged(
  name: EndpointName,
  params: Record<string, string>,
  resource: Resource,
  members: readonly string[],
): Promise<void> {
  const before = await countEvents();
  api.clock.advance({ minutes: 1 });
  const same = Object.fromEntries(members.map((member) => [member, resource[member]]));
  for (const body of [{}, same]) {
    const { status, body: answer } = await api.admin.request(name, { params, body });
    expect([name, body, status, answer]).toMatchObject([name, body, 200, {}]);
    expect([name, body, (answer as { data: Resource }).data.updated_at]).toEqual([name, body, resource.updated_at]);
  }
  expect([name, (await countEvents()) - before]).toEqual([name, 0]);
}

test('an update without changes of rooms, subscriptions, packages and providers has no event and keeps updated_at', async () => {
  const { admin } = api;
  const { room, account, customer, subscription, servicePackage } = await makeRoom(api);
  const roomParams = { room_id: room.id };
  const { data: token } = await admin.createRoomToken({ params: roomParams, body: { role: 'guest', name: 'Anna' } });
  await expectUnchanged('updateRoomToken', { ...roomParams, token_id: token.id }, token, [
    'role',
    'name',
    'expires_at',
  ]);
  const { data: code } = await admin.createRoomAccessCode({
    params: roomParams,
    body: { role: 'guest', code: 'sesame' },
  });
  await expectUnchanged('updateRoomAccessCode', { ...roomParams, code_id: code.id }, code, [
    'role',
    'code',
    'expires_at',
  ]);
  await expectUnchanged('updateRoom', roomParams, room, [
    'room_name',
    'slug',
    'status',
    'is_public',
    'room_features',
    'room_settings',
    'room_metadata',
  ]);
  await expectUnchanged('updateAccount', { account_id: account.id }, account, ['account_name', 'account_metadata']);
  await expectUnchanged('updateCustomer', { customer_id: customer.id }, customer, [
    'first_name',
    'email',
    'status',
    'country',
    'customer_settings',
    'customer_metadata',
    'allowed_domains_origins',
  ]);
  const subscriptionParams = { subscription_id: subscription.id };
  const { data: currentSubscription } = await admin.readSubscription({ params: subscriptionParams });
  await expectUnchanged('updateSubscription', subscriptionParams, currentSubscription, [
    'name',
    'price',
    'tier',
    'starts_at',
    'ends_at',
    'status',
    'auto_renew',
    'subscription_metadata',
  ]);
  const before = await countEvents();
  await admin.syncSubscriptionFeatures({ params: subscriptionParams, body: { sync: true } });
  expect(await countEvents()).toBe(before);
  const [feature] = (await admin.listSubscriptionFeatures({ params: subscriptionParams })).data;
  const subscriptionFeatureParams = { ...subscriptionParams, feature_id: feature?.id ?? '' };
  await expectUnchanged('updateSubscriptionFeature', subscriptionFeatureParams, feature as never, [
    'value',
    'name',
    'sort_order',
  ]);
  const [subscriptionProvider] = (await admin.listSubscriptionProviders({ params: subscriptionParams })).data;
  const subscriptionProviderParams = { ...subscriptionParams, provider_id: subscriptionProvider?.id ?? '' };
  await expectUnchanged('updateSubscriptionProvider', subscriptionProviderParams, subscriptionProvider as never, [
    'active',
    'default',
    'metadata',
  ]);
  const packageParams = { service_package_id: servicePackage.id };
  const { data: currentPackage } = await admin.readServicePackage({ params: packageParams });
  await expectUnchanged('updateServicePackage', packageParams, currentPackage, [
    'name',
    'tag',
    'price',
    'package_metadata',
  ]);
  const [packageFeature] = (await admin.listServicePackageFeatures({ params: packageParams })).data;
  const packageFeatureParams = { ...packageParams, feature_id: packageFeature?.id ?? '' };
  await expectUnchanged('updateServicePackageFeature', packageFeatureParams, packageFeature as never, [
    'value',
    'description',
  ]);
  const [packageProvider] = (await admin.listServicePackageProviders({ params: packageParams })).data;
  const packageProviderParams = { ...packageParams, provider_id: packageProvider?.id ?? '' };
  await expectUnchanged('updateServicePackageProvider', packageProviderParams, packageProvider as never, [
    'active',
    'metadata',
  ]);
  const provider = await makeProvider(api, { apiUrl: 'http://127.0.0.1:9', secret: 'the-shared-secret' });
  const providerParams = { service_provider_id: provider.id };
  const { data: currentProvider } = await admin.readServiceProvider({ params: providerParams });
  await expectUnchanged('updateServiceProvider', providerParams, currentProvider, [
    'provider_name',
    'properties',
    'tags',
    'metadata',
  ]);
  const recording = (await insertRecording(api, room)).id;
  const { data: currentRecording } = await admin.readRecording({ params: { recording_id: recording } });
  await expectUnchanged('updateRecording', { recording_id: currentRecording.id }, currentRecording, [
    'name',
    'recording_metadata',
  ]);
});

test('an update without changes of users, clients, webhooks and settings has no event', async () => {
  const { admin } = api;
  const { room, account, customer } = await makeRoom(api);
  const customerParams = { customer_id: customer.id };
  const person = { email: `${unique('person')}@example.com`, first_name: 'Pe', last_name: 'Rson' };
  const { data: user } = await admin.createUser({ body: person });
  const userParams = { user_id: user.id };
  await expectUnchanged('updateUser', userParams, user, ['first_name', 'email', 'user_settings', 'user_metadata']);
  const permissions = ['read-room'] as const;
  const { data: customerUser } = await admin.createCustomerUser({
    params: customerParams,
    body: { ...userParams, permissions: [...permissions] },
  });
  await expectUnchanged('updateCustomerUser', { ...customerParams, ...userParams }, customerUser, [
    'permissions',
    'owner',
  ]);
  const accountParams = { account_id: account.id };
  const { data: accountUser } = await admin.createAccountUser({
    params: accountParams,
    body: { ...userParams, permissions: [] },
  });
  await expectUnchanged('updateAccountUser', { ...accountParams, ...userParams }, accountUser, [
    'permissions',
    'owner',
  ]);
  const roomParams = { room_id: room.id };
  const { data: roomUser } = await admin.createRoomUser({
    params: roomParams,
    body: { ...userParams, permissions: ['read-room', 'moderate'] },
  });
  await expectUnchanged('updateRoomUser', { ...roomParams, ...userParams }, roomUser, ['permissions', 'owner']);
  const { data: phone } = await admin.createCustomerTelephone({
    params: customerParams,
    body: { telephone_type: 'mobile', number: '+351912345678' },
  });
  await expectUnchanged('updateCustomerTelephone', { ...customerParams, telephone_id: phone.id }, phone, ['number']);
  const { data: webhook } = await admin.createWebhook({
    body: { url: 'https://example.com/hook', events: ['room.*', 'meeting.ended'] },
  });
  await expectUnchanged('updateWebhook', { webhook_id: webhook.id }, webhook, [
    'url',
    'events',
    'description',
    'active',
    'customer_id',
  ]);
  const { data: client } = await admin.createOauthClient({
    body: { name: 'Told', population: 'admins', grants: ['client_credentials'], scopes: ['rooms:read'] },
  });
  await expectUnchanged('updateOauthClient', { client_id: client.id }, client, ['name', 'grants', 'scopes']);
  const { data: role } = await admin.createRole({ body: { name: unique('role'), display_name: 'Staff' } });
  await expectUnchanged('updateRole', { role_id: role.id }, role, ['name', 'display_name', 'description']);
  const { data: other } = await admin.createAdmin({
    body: {
      username: unique('admin'),
      email: `${unique('admin')}@example.com`,
      first_name: 'Ad',
      last_name: 'Min',
      password: 'a long enough password',
    },
  });
  await expectUnchanged('updateAdmin', { admin_id: other.id }, other, ['first_name', 'status', 'admin_metadata']);
  const before = await countEvents();
  const { data: settings } = await admin.readSettings();
  await admin.updateSettings({ body: { platform_name: settings.platform_name } });
  expect(await countEvents()).toBe(before);
});

test('an update without changes of videos, streams and outputs has no event', async () => {
  const { admin } = api;
  const media = await startFakeMediaServer(() => api.clock.nowMs());
  onTestFinished(() => media.close());
  const { params } = await makeVideoRoom(api, media);
  const { data: video } = await admin.createVideo({ params, body: { name: 'Told', size_bytes: 100 } });
  await expectUnchanged('updateVideo', { video_id: video.id }, video, ['name', 'description', 'published']);
  const broadcast = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  const { data: stream } = await admin.readStream({ params: broadcast.params });
  await expectUnchanged('updateStream', broadcast.params, stream, ['record', 'latency_mode']);
  const { data: output } = await admin.createOutput({
    params: broadcast.params,
    body: { name: 'Told', platform: 'custom', url: 'rtmps://a.rtmp.example.com/live', stream_key: 'a-key' },
  });
  await expectUnchanged('updateOutput', { ...broadcast.params, output_id: output.id }, output, [
    'name',
    'url',
    'stream_key',
    'enabled',
  ]);
});
