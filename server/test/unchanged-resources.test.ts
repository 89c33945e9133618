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

/** Writes nothing, and then the members with their current values. */
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

test('a write that changes nothing has no event and leaves updated_at as it is, for every resource', async () => {
  const { admin } = api;
  const { room, account, customer, subscription, servicePackage } = await makeRoom(api);
  const inRoom = { room_id: room.id };
  const { data: token } = await admin.createRoomToken({ params: inRoom, body: { role: 'guest', name: 'Anna' } });
  await expectUnchanged('updateRoomToken', { ...inRoom, token_id: token.id }, token, ['role', 'name', 'expires_at']);
  const { data: code } = await admin.createRoomAccessCode({ params: inRoom, body: { role: 'guest', code: 'sesame' } });
  await expectUnchanged('updateRoomAccessCode', { ...inRoom, code_id: code.id }, code, ['role', 'code', 'expires_at']);
  await expectUnchanged('updateRoom', inRoom, room, [
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
  const inSubscription = { subscription_id: subscription.id };
  const { data: sold } = await admin.readSubscription({ params: inSubscription });
  await expectUnchanged('updateSubscription', inSubscription, sold, [
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
  await admin.syncSubscriptionFeatures({ params: inSubscription, body: { sync: true } });
  expect(await countEvents()).toBe(before);
  const [feature] = (await admin.listSubscriptionFeatures({ params: inSubscription })).data;
  const subfeat = { ...inSubscription, feature_id: feature?.id ?? '' };
  await expectUnchanged('updateSubscriptionFeature', subfeat, feature as never, ['value', 'name', 'sort_order']);
  const [provided] = (await admin.listSubscriptionProviders({ params: inSubscription })).data;
  const subprov = { ...inSubscription, provider_id: provided?.id ?? '' };
  await expectUnchanged('updateSubscriptionProvider', subprov, provided as never, ['active', 'default', 'metadata']);
  const inPackage = { service_package_id: servicePackage.id };
  const { data: packed } = await admin.readServicePackage({ params: inPackage });
  await expectUnchanged('updateServicePackage', inPackage, packed, ['name', 'tag', 'price', 'package_metadata']);
  const [offered] = (await admin.listServicePackageFeatures({ params: inPackage })).data;
  const pkgfeat = { ...inPackage, feature_id: offered?.id ?? '' };
  await expectUnchanged('updateServicePackageFeature', pkgfeat, offered as never, ['value', 'description']);
  const [attached] = (await admin.listServicePackageProviders({ params: inPackage })).data;
  const pkgprov = { ...inPackage, provider_id: attached?.id ?? '' };
  await expectUnchanged('updateServicePackageProvider', pkgprov, attached as never, ['active', 'metadata']);
  const provider = await makeProvider(api, { apiUrl: 'http://127.0.0.1:9', secret: 'the-shared-secret' });
  const prov = { service_provider_id: provider.id };
  const { data: shown } = await admin.readServiceProvider({ params: prov });
  await expectUnchanged('updateServiceProvider', prov, shown, ['provider_name', 'properties', 'tags', 'metadata']);
  const recording = (await insertRecording(api, room)).id;
  const { data: recorded } = await admin.readRecording({ params: { recording_id: recording } });
  await expectUnchanged('updateRecording', { recording_id: recorded.id }, recorded, ['name', 'recording_metadata']);
});

test('a write that changes nothing of people, clients, webhooks and settings has no event', async () => {
  const { admin } = api;
  const { room, account, customer } = await makeRoom(api);
  const inCustomer = { customer_id: customer.id };
  const person = { email: `${unique('person')}@example.com`, first_name: 'Pe', last_name: 'Rson' };
  const { data: user } = await admin.createUser({ body: person });
  const member = { user_id: user.id };
  await expectUnchanged('updateUser', member, user, ['first_name', 'email', 'user_settings', 'user_metadata']);
  const permissions = ['read-room'] as const;
  const { data: inTenant } = await admin.createCustomerUser({
    params: inCustomer,
    body: { ...member, permissions: [...permissions] },
  });
  await expectUnchanged('updateCustomerUser', { ...inCustomer, ...member }, inTenant, ['permissions', 'owner']);
  const inAccount = { account_id: account.id };
  const { data: holder } = await admin.createAccountUser({ params: inAccount, body: { ...member, permissions: [] } });
  await expectUnchanged('updateAccountUser', { ...inAccount, ...member }, holder, ['permissions', 'owner']);
  const inRoom = { room_id: room.id };
  const { data: guest } = await admin.createRoomUser({
    params: inRoom,
    body: { ...member, permissions: ['read-room', 'moderate'] },
  });
  await expectUnchanged('updateRoomUser', { ...inRoom, ...member }, guest, ['permissions', 'owner']);
  const { data: phone } = await admin.createCustomerTelephone({
    params: inCustomer,
    body: { telephone_type: 'mobile', number: '+351912345678' },
  });
  await expectUnchanged('updateCustomerTelephone', { ...inCustomer, telephone_id: phone.id }, phone, ['number']);
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

test('a write that changes nothing of videos, streams and outputs has no event', async () => {
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
