import { endpoints, type EndpointName } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { generateSync } from 'otplib/functional';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, makeRoom, refusalOf } from './factories.ts';
import { startFakeMediaServer } from './fake-media-server.ts';
import { askToPublish, makeBroadcastRoom } from './broadcast-rooms.ts';
import { insertRecording } from './recorded-rooms.ts';
import { makeVideoRoom, sendVideoState } from './video-rooms.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

interface RecordCounts {
  readonly events: number;
  readonly entries: number;
}

async function countRecords(): Promise<RecordCounts> {
  const { rows } = await api.app.connection.pool.query<RecordCounts>(
    'select (select count(*)::int from events) as events, (select count(*)::int from audit_entries) as entries',
  );
  return rows[0] ?? { events: 0, entries: 0 };
}

/** Writes without events. Logins and tokens have their own tests. */
const writesWithoutEvents = new Set<EndpointName>([
  'issueToken',
  'introspectToken',
  'refreshAdmin',
  'refreshUser',
  'loginUser',
  'checkServiceProvider',
  'checkRoomEntry',
  // Stores nothing.
  'createRecordingLink',
  'previewNewSubscription',
  'previewSubscription',
  'previewPackageChange',
  'joinRoom',
  // Deliveries of events have no events themselves.
  'testWebhook',
  'recoverWebhook',
  'resendWebhookDelivery',
  // The event follows when the worker has looked up the email.
  'forgotUserPassword',
  'forgotAdminPassword',
]);

test('every write of every endpoint creates an event and an audit entry in its own transaction', async () => {
  const { admin } = api;
  const testedEndpoints = new Set<EndpointName>();
  async function write<Answer>(name: EndpointName, call: Promise<Answer>): Promise<Answer> {
    const answer = await call;
    testedEndpoints.add(name);
    return answer;
  }
  async function expectRecorded<Answer>(name: EndpointName, call: () => Promise<Answer>): Promise<Answer> {
    const before = await countRecords();
    const answer = await write(name, call());
    const after = await countRecords();
    expect([name, after.events > before.events, after.entries > before.entries]).toEqual([name, true, true]);
    expect(after.entries - before.entries).toBe(after.events - before.events);
    return answer;
  }
  await expectRecorded('loginAdmin', () =>
    api.anyone.loginAdmin({ body: { username: 'root', password: 'a long enough password' } }),
  );
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: 'root', password: 'a long enough password' },
  });
  await expectRecorded('logout', () => api.clientWith(token).logout());
  await changeSecondFactors(expectRecorded);
  await changeClientsAndTokens(expectRecorded);
  await changeWebhooks(expectRecorded);
  await changeStreams(expectRecorded);
  await expectRecorded('updateSettings', () => admin.updateSettings({ body: { platform_name: 'Other' } }));
  const provider = (await expectRecorded('createServiceProvider', async () => ({ data: await makeProvider(api) })))
    .data;
  const providerParams = { service_provider_id: provider.id };
  await expectRecorded('updateServiceProvider', () =>
    admin.updateServiceProvider({ params: providerParams, body: { provider_name: 'Renamed' } }),
  );
  const servicePackage = (
    await expectRecorded('createServicePackage', () => admin.createServicePackage({ body: { name: 'Told' } }))
  ).data;
  const packageParams = { service_package_id: servicePackage.id };
  await expectRecorded('updateServicePackage', () =>
    admin.updateServicePackage({ params: packageParams, body: { name: 'Told again' } }),
  );
  const feature = (
    await expectRecorded('createServicePackageFeature', () =>
      admin.createServicePackageFeature({ params: packageParams, body: { tag: 'max_rooms', value: 5 } }),
    )
  ).data;
  await admin.createServicePackageFeature({ params: packageParams, body: { tag: 'max_accounts', value: 5 } });
  const packageFeatureParams = { ...packageParams, feature_id: feature.id };
  await expectRecorded('updateServicePackageFeature', () =>
    admin.updateServicePackageFeature({ params: packageFeatureParams, body: { value: 6 } }),
  );
  const attached = (
    await expectRecorded('createServicePackageProvider', () =>
      admin.createServicePackageProvider({ params: packageParams, body: { service_provider_id: provider.id } }),
    )
  ).data;
  const second = await makeProvider(api);
  const other = (
    await admin.createServicePackageProvider({ params: packageParams, body: { service_provider_id: second.id } })
  ).data;
  const packageProviderParams = { ...packageParams, provider_id: other.id };
  await expectRecorded('updateServicePackageProvider', () =>
    admin.updateServicePackageProvider({ params: packageProviderParams, body: { metadata: { a: 1 } } }),
  );
  const customer = (await expectRecorded('createCustomer', async () => ({ data: await makeCustomer(api) }))).data;
  const customerParams = { customer_id: customer.id };
  await expectRecorded('updateCustomer', () =>
    admin.updateCustomer({ params: customerParams, body: { external_id: 'x' } }),
  );
  await changeRecords(expectRecorded, customerParams);
  await inviteAndReset(expectRecorded, customerParams);
  await changeAdminsAndRoles(expectRecorded);
  const user = (
    await expectRecorded('createUser', () =>
      admin.createUser({
        body: { email: 'told@example.com', first_name: 'T', last_name: 'D', password: 'told and told again' },
      }),
    )
  ).data;
  const self = api.clientWith(
    (await api.anyone.loginUser({ body: { username: user.email, password: 'told and told again' } })).access_token,
  );
  await expectRecorded('updateCallingUser', () => self.updateCallingUser({ body: { first_name: 'Told' } }));
  await expectRecorded('changeOwnPassword', () =>
    self.changeOwnPassword({ body: { current_password: 'told and told again', password: 'told for the last time' } }),
  );
  await expectRecorded('updateUser', () =>
    admin.updateUser({ params: { user_id: user.id }, body: { last_name: 'Again' } }),
  );
  await expectRecorded('endUserSessions', () => admin.endUserSessions({ params: { user_id: user.id } }));
  const member = { user_id: user.id };
  await expectRecorded('createCustomerUser', () => admin.createCustomerUser({ params: customerParams, body: member }));
  await expectRecorded('updateCustomerUser', () =>
    admin.updateCustomerUser({ params: { ...customerParams, ...member }, body: { permissions: ['read-room'] } }),
  );
  const sold = (
    await expectRecorded('createSubscription', () =>
      admin.createSubscription({ body: { package_id: servicePackage.id, subscriber_id: customer.id } }),
    )
  ).data;
  const subscriptionParams = { subscription_id: sold.id };
  await expectRecorded('updateSubscription', () =>
    admin.updateSubscription({ params: subscriptionParams, body: { name: 'Sold' } }),
  );
  await expectRecorded('renewSubscription', () =>
    admin.renewSubscription({ params: subscriptionParams, body: { renew: true } }),
  );
  const better = await makePackage(api, { body: { currency: sold.currency } });
  const packageChangeBody = { package_id: better.id, when: 'period_end' } as const;
  const changedSubscription = (
    await expectRecorded('changePackage', () =>
      admin.changePackage({ params: subscriptionParams, body: packageChangeBody }),
    )
  ).data;
  const [packageChange] = (await admin.listPackageChanges({ params: { subscription_id: changedSubscription.id } }))
    .data;
  await expectRecorded('withdrawPackageChange', () =>
    admin.withdrawPackageChange({ params: { ...subscriptionParams, package_change_id: packageChange?.id ?? '' } }),
  );
  const added = (
    await expectRecorded('createSubscriptionFeature', () =>
      admin.createSubscriptionFeature({
        params: subscriptionParams,
        body: { service_feature_code: 'polls', value: true },
      }),
    )
  ).data;
  const subscriptionFeatureParams = { ...subscriptionParams, feature_id: added.id };
  await expectRecorded('updateSubscriptionFeature', () =>
    admin.updateSubscriptionFeature({ params: subscriptionFeatureParams, body: { value: false } }),
  );
  await expectRecorded('deleteSubscriptionFeature', () =>
    admin.deleteSubscriptionFeature({ params: subscriptionFeatureParams }),
  );
  await admin.updateServicePackageFeature({ params: packageFeatureParams, body: { value: 7 } });
  await expectRecorded('syncSubscriptionFeatures', () =>
    admin.syncSubscriptionFeatures({ params: subscriptionParams, body: { sync: true } }),
  );
  const provided = (
    await expectRecorded('createSubscriptionProvider', () =>
      admin.createSubscriptionProvider({ params: subscriptionParams, body: { package_provider_id: other.id } }),
    )
  ).data;
  const subscriptionProviderParams = { ...subscriptionParams, provider_id: provided.id };
  await expectRecorded('updateSubscriptionProvider', () =>
    admin.updateSubscriptionProvider({ params: subscriptionProviderParams, body: { active: false } }),
  );
  await expectRecorded('deleteSubscriptionProvider', () =>
    admin.deleteSubscriptionProvider({ params: subscriptionProviderParams }),
  );
  const account = (
    await expectRecorded('createAccount', () =>
      admin.createAccount({ body: { account_name: 'Told', subscription_id: sold.id } }),
    )
  ).data;
  const accountParams = { account_id: account.id };
  const room = (
    await expectRecorded('createRoom', () => admin.createRoom({ body: { room_name: 'Told', account_id: account.id } }))
  ).data;
  const params = { room_id: room.id };
  await expectRecorded('createAccountUser', () => admin.createAccountUser({ params: accountParams, body: member }));
  await expectRecorded('updateAccountUser', () =>
    admin.updateAccountUser({ params: { ...accountParams, ...member }, body: { permissions: ['read-room'] } }),
  );
  await expectRecorded('deleteAccountUser', () => admin.deleteAccountUser({ params: { ...accountParams, ...member } }));
  await expectRecorded('createRoomUser', () => admin.createRoomUser({ params, body: member }));
  await expectRecorded('updateRoomUser', () =>
    admin.updateRoomUser({ params: { ...params, ...member }, body: { permissions: ['read-room'] } }),
  );
  await expectRecorded('deleteRoomUser', () => admin.deleteRoomUser({ params: { ...params, ...member } }));
  await expectRecorded('deleteCustomerUser', () =>
    admin.deleteCustomerUser({ params: { ...customerParams, ...member } }),
  );
  await expectRecorded('deleteUser', () => admin.deleteUser({ params: member }));
  await expectRecorded('updateRoom', () => admin.updateRoom({ params, body: { room_name: 'Told again' } }));
  const { data: otherAccount } = await admin.createAccount({
    body: { account_name: 'Elsewhere', subscription_id: sold.id },
  });
  await expectRecorded('transferRoom', () => admin.transferRoom({ params, body: { account_id: otherAccount.id } }));
  const roomToken = (
    await expectRecorded('createRoomToken', () => admin.createRoomToken({ params, body: { role: 'guest' } }))
  ).data;
  await expectRecorded('updateRoomToken', () =>
    admin.updateRoomToken({ params: { ...params, token_id: roomToken.id }, body: { name: 'x' } }),
  );
  await expectRecorded('inviteToRoom', () =>
    admin.inviteToRoom({ params, body: { to: ['guest@example.com'], role: 'guest' } }),
  );
  const { data: batch } = await expectRecorded('createRoomTokenBatch', () =>
    admin.createRoomTokenBatch({ params, body: { tokens: [{ role: 'guest' }] } }),
  );
  await expectRecorded('deleteRoomTokenBatch', () =>
    admin.deleteRoomTokenBatch({ params: { ...params, batch_id: batch.id } }),
  );
  await expectRecorded('deleteRoomToken', () =>
    admin.deleteRoomToken({ params: { ...params, token_id: roomToken.id } }),
  );
  const code = (
    await expectRecorded('createRoomAccessCode', () =>
      admin.createRoomAccessCode({ params, body: { role: 'guest', code: 'SECRET-CODE' } }),
    )
  ).data;
  await expectRecorded('updateRoomAccessCode', () =>
    admin.updateRoomAccessCode({ params: { ...params, code_id: code.id }, body: { code: 'SECRET-CODE-2' } }),
  );
  await expectRecorded('deleteRoomAccessCode', () =>
    admin.deleteRoomAccessCode({ params: { ...params, code_id: code.id } }),
  );
  const { rows: meetings } = await api.app.connection.pool.query<{ id: string }>(
    `insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, created_at,
      updated_at)
    select gen_random_uuid(), id, customer_id, subscription_id, id, 'open', now(), now(), now() from rooms returning id`,
  );
  await expectRecorded('endMeeting', () => admin.endMeeting({ params: { meeting_id: meetings[0]?.id ?? '' } }));
  const recordingParams = { recording_id: (await insertRecording(api, room)).id };
  await expectRecorded('updateRecording', () =>
    admin.updateRecording({ params: recordingParams, body: { name: 'Told' } }),
  );
  await expectRecorded('deleteRecording', () => admin.deleteRecording({ params: recordingParams }));
  await changeVideos(expectRecorded);
  await expectRecorded('deleteRoom', () => admin.deleteRoom({ params }));
  await expectRecorded('updateAccount', () =>
    admin.updateAccount({ params: accountParams, body: { status: 'inactive' } }),
  );
  await expectRecorded('deleteAccount', () => admin.deleteAccount({ params: accountParams }));
  await expectRecorded('cancelSubscription', () =>
    admin.cancelSubscription({ params: subscriptionParams, body: { cancel: true } }),
  );
  await expectRecorded('uncancelSubscription', () => admin.uncancelSubscription({ params: subscriptionParams }));
  await admin.updateSubscription({ params: subscriptionParams, body: { status: 'terminated' } });
  await admin.updateSubscription({ params: subscriptionParams, body: { status: 'inactive' } });
  await expectRecorded('deleteSubscription', () => admin.deleteSubscription({ params: subscriptionParams }));
  await admin.updateCustomer({ params: customerParams, body: { status: 'terminated' } });
  await expectRecorded('deleteCustomer', () => admin.deleteCustomer({ params: customerParams }));
  await admin.updateServicePackageProvider({ params: packageProviderParams, body: { active: false } });
  await expectRecorded('deleteServicePackageProvider', () =>
    admin.deleteServicePackageProvider({ params: packageProviderParams }),
  );
  await expectRecorded('deleteServicePackageFeature', () =>
    admin.deleteServicePackageFeature({ params: packageFeatureParams }),
  );
  await expectRecorded('deleteServicePackage', () => admin.deleteServicePackage({ params: packageParams }));
  await expectRecorded('deleteServiceProvider', () => admin.deleteServiceProvider({ params: providerParams }));
  expect(attached.default).toBe(true);
  const writes = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(
    ([name, { method }]) => method !== 'GET' && !writesWithoutEvents.has(name),
  );
  expect(writes.map(([name]) => name).filter((name) => !testedEndpoints.has(name))).toEqual([]);
});

async function changeStreams(expectRecorded: ExpectRecorded): Promise<void> {
  const { admin } = api;
  const media = await startFakeMediaServer(() => api.clock.nowMs());
  onTestFinished(() => media.close());
  const fixture = await makeBroadcastRoom(api, { media, type: 'simulcast' });
  const { params } = fixture;
  await expectRecorded('updateStream', () => admin.updateStream({ params, body: { record: true } }));
  await expectRecorded('rotateStreamKey', () => admin.rotateStreamKey({ params }));
  const { data: stream } = await expectRecorded('revealStreamKey', () => admin.revealStreamKey({ params }));
  await askToPublish(api, fixture, stream.ingest.stream_key);
  await expectRecorded('endStream', () => admin.endStream({ params }));
  const { data: output } = await expectRecorded('createOutput', () =>
    admin.createOutput({ params, body: { name: 'Told', platform: 'youtube', stream_key: 'abcd' } }),
  );
  const outputParams = { ...params, output_id: output.id };
  await expectRecorded('updateOutput', () =>
    admin.updateOutput({ params: outputParams, body: { name: 'Told again' } }),
  );
  await expectRecorded('deleteOutput', () => admin.deleteOutput({ params: outputParams }));
  await admin.deleteRoom({ params });
}

async function changeRecords(expectRecorded: ExpectRecorded, customerParams: { customer_id: string }): Promise<void> {
  const { admin } = api;
  const { data: address } = await expectRecorded('createCustomerAddress', () =>
    admin.createCustomerAddress({
      params: customerParams,
      body: { address_type: 'PostalAddress', country: 'GB', city: 'London', po_box: '1' },
    }),
  );
  const addressParams = { ...customerParams, address_id: address.id };
  await expectRecorded('updateCustomerAddress', () =>
    admin.updateCustomerAddress({ params: addressParams, body: { city: 'Leeds' } }),
  );
  await expectRecorded('deleteCustomerAddress', () => admin.deleteCustomerAddress({ params: addressParams }));
  const { data: telephone } = await expectRecorded('createCustomerTelephone', () =>
    admin.createCustomerTelephone({
      params: customerParams,
      body: { telephone_type: 'landline', number: '+442079460958' },
    }),
  );
  const telephoneParams = { ...customerParams, telephone_id: telephone.id };
  await expectRecorded('updateCustomerTelephone', () =>
    admin.updateCustomerTelephone({ params: telephoneParams, body: { telephone_extension: '7' } }),
  );
  await expectRecorded('deleteCustomerTelephone', () => admin.deleteCustomerTelephone({ params: telephoneParams }));
  const { data: document } = await expectRecorded('createCustomerLegalDocument', () =>
    admin.createCustomerLegalDocument({ params: customerParams, body: { type: 'other', value: 'Told' } }),
  );
  const documentParams = { ...customerParams, legal_document_id: document.id };
  await expectRecorded('updateCustomerLegalDocument', () =>
    admin.updateCustomerLegalDocument({ params: documentParams, body: { value: 'Told again' } }),
  );
  await expectRecorded('deleteCustomerLegalDocument', () =>
    admin.deleteCustomerLegalDocument({ params: documentParams }),
  );
}

async function inviteAndReset(expectRecorded: ExpectRecorded, customerParams: { customer_id: string }): Promise<void> {
  const { admin, anyone } = api;
  const password = 'analytical engine no. 1';
  const tokenOf = (url: string | null) => url?.split('/').at(-1) ?? '';
  const { data: invitation } = await expectRecorded('createInvitation', () =>
    admin.createInvitation({ params: customerParams, body: { email: 'invited@example.com' } }),
  );
  const params = { ...customerParams, invitation_id: invitation.id };
  await expectRecorded('deleteInvitation', () => admin.deleteInvitation({ params }));
  const { data: second } = await expectRecorded('resendInvitation', () => admin.resendInvitation({ params }));
  const { data: user } = await expectRecorded('acceptInvitation', () =>
    anyone.acceptInvitation({
      body: { token: tokenOf(second.url), first_name: 'Grace', last_name: 'Hopper', password },
    }),
  );
  const { data: reset } = await expectRecorded('createUserPasswordReset', () =>
    admin.createUserPasswordReset({ params: { user_id: user.id } }),
  );
  await expectRecorded('resetUserPassword', () =>
    anyone.resetUserPassword({ body: { token: tokenOf(reset.url), password } }),
  );
  const { data: other } = await admin.createAdmin({
    body: { username: 'reset-me', email: 'reset-me@example.com', first_name: 'Re', last_name: 'Set', password },
  });
  const { data: link } = await expectRecorded('createAdminPasswordReset', () =>
    admin.createAdminPasswordReset({ params: { admin_id: other.id } }),
  );
  await expectRecorded('resetAdminPassword', () =>
    anyone.resetAdminPassword({ body: { token: tokenOf(link.url), password } }),
  );
}

type ExpectRecorded = <Answer>(name: EndpointName, call: () => Promise<Answer>) => Promise<Answer>;

async function changeAdminsAndRoles(expectRecorded: ExpectRecorded): Promise<void> {
  const { admin } = api;
  const password = 'analytical engine no. 2';
  const { data: role } = await expectRecorded('createRole', () => admin.createRole({ body: { name: 'told' } }));
  const params = { role_id: role.id };
  await expectRecorded('updateRole', () => admin.updateRole({ params, body: { display_name: 'Told' } }));
  const { data: permissions } = await admin.listPermissions({ query: { search: 'name:rooms' } });
  const body = { role_id: role.id, permissions_ids: permissions.map(({ id }) => id) };
  await expectRecorded('attachPermissions', () => admin.attachPermissions({ body }));
  await expectRecorded('detachPermissions', () => admin.detachPermissions({ body }));
  await expectRecorded('syncPermissions', () => admin.syncPermissions({ body }));
  const person = { username: 'told', email: 'told.admin@example.com', first_name: 'T', last_name: 'D', password };
  const { data: other } = await expectRecorded('createAdmin', () => admin.createAdmin({ body: person }));
  const access = { body: { admin_id: other.id, roles_ids: [role.id] } };
  await expectRecorded('assignRoles', () => admin.assignRoles(access));
  await expectRecorded('revokeRoles', () => admin.revokeRoles(access));
  await expectRecorded('syncRoles', () => admin.syncRoles(access));
  const self = api.clientWith((await api.anyone.loginAdmin({ body: { username: 'told', password } })).access_token);
  await expectRecorded('updateCallingAdmin', () => self.updateCallingAdmin({ body: { first_name: 'Told' } }));
  await expectRecorded('changeCallingAdminPassword', () =>
    self.changeCallingAdminPassword({ body: { current_password: password, password: 'analytical engine no. 3' } }),
  );
  const target = { admin_id: other.id };
  await expectRecorded('updateAdmin', () => admin.updateAdmin({ params: target, body: { last_name: 'Again' } }));
  await expectRecorded('endAdminSessions', () => admin.endAdminSessions({ params: target }));
  await expectRecorded('deleteAdmin', () => admin.deleteAdmin({ params: target }));
  await expectRecorded('deleteRole', () => admin.deleteRole({ params }));
}

async function changeClientsAndTokens(expectRecorded: ExpectRecorded): Promise<void> {
  const { admin } = api;
  const login = { username: 'root', password: 'a long enough password' };
  const { data: client } = await expectRecorded('createOauthClient', () =>
    admin.createOauthClient({
      body: { name: 'Told', population: 'admins', grants: ['password'], scopes: ['*'], first_party: true },
    }),
  );
  const params = { client_id: client.id };
  await expectRecorded('updateOauthClient', () => admin.updateOauthClient({ params, body: { name: 'Told again' } }));
  const { data: renewed } = await expectRecorded('rotateOauthClientSecret', () =>
    admin.rotateOauthClientSecret({ params }),
  );
  const credentials = { client_id: client.id, client_secret: renewed.secret ?? '' };
  const { access_token: token } = await api.anyone.issueToken({
    body: { grant_type: 'password', ...login, ...credentials },
  });
  await expectRecorded('revokeToken', () => api.anyone.revokeToken({ body: { token, ...credentials } }));
  await expectRecorded('deleteOauthClient', () => admin.deleteOauthClient({ params }));
  const { data: personal } = await expectRecorded('createPersonalAccessToken', () =>
    admin.createPersonalAccessToken({ body: { name: 'Told', scopes: ['*'] } }),
  );
  await expectRecorded('deletePersonalAccessToken', () =>
    admin.deletePersonalAccessToken({ params: { token_id: personal.id } }),
  );
  await api.anyone.loginAdmin({ body: login });
  const { data: sessions } = await admin.listOauthTokens({ query: { limit: 1 } });
  await expectRecorded('deleteOauthToken', () =>
    admin.deleteOauthToken({ params: { token_id: sessions[0]?.id ?? '' } }),
  );
  await api.anyone.loginAdmin({ body: login });
  await expectRecorded('deleteOtherOauthTokens', () => admin.deleteOtherOauthTokens());
}

async function changeWebhooks(expectRecorded: ExpectRecorded): Promise<void> {
  const { admin } = api;
  const { data: webhook } = await expectRecorded('createWebhook', () =>
    admin.createWebhook({ body: { url: 'https://192.0.1.1/', events: ['*'] } }),
  );
  const params = { webhook_id: webhook.id };
  await expectRecorded('updateWebhook', () => admin.updateWebhook({ params, body: { events: ['room.*'] } }));
  await expectRecorded('rotateWebhookSecret', () => admin.rotateWebhookSecret({ params, body: {} }));
  await expectRecorded('deleteWebhook', () => admin.deleteWebhook({ params }));
}

async function changeSecondFactors(expectRecorded: ExpectRecorded): Promise<void> {
  const { admin } = api;
  const password = 'a long enough password';
  const { data: enrollment } = await expectRecorded('beginTwoFactor', () =>
    admin.beginTwoFactor({ body: { password } }),
  );
  const code = () => {
    api.clock.advance({ seconds: 60 });
    return generateSync({ secret: enrollment.secret, epoch: Math.floor(api.clock.nowMs() / 1000) });
  };
  await expectRecorded('confirmTwoFactor', () => admin.confirmTwoFactor({ body: { code: code() } }));
  await expectRecorded('renewRecoveryCodes', () => admin.renewRecoveryCodes({ body: { password, code: code() } }));
  await expectRecorded('disableTwoFactor', () => admin.disableTwoFactor({ body: { password, code: code() } }));
  const { rows } = await api.app.connection.pool.query<{ admin_id: string }>(`
    with other as (
      insert into admins (id, username, email, first_name, last_name, locale, timezone, password_hash, created_at, updated_at)
      values (gen_random_uuid(), 'forgetful', 'forgetful@example.com', 'A', 'B', 'en', 'UTC', '', now(), now()) returning id
    )
    insert into admin_two_factor (admin_id, secret_sealed, confirmed_at, created_at, updated_at)
    select id, '', now(), now(), now() from other returning admin_id`);
  await expectRecorded('resetTwoFactor', () => admin.resetTwoFactor({ params: { admin_id: rows[0]?.admin_id ?? '' } }));
}

async function changeVideos(expectRecorded: ExpectRecorded): Promise<void> {
  const { admin } = api;
  const media = await startFakeMediaServer();
  const room = await makeVideoRoom(api, media);
  const body = { name: 'Told', size_bytes: 1 };
  const video = (await expectRecorded('createVideo', () => admin.createVideo({ params: room.params, body }))).data;
  const params = { video_id: video.id };
  await expectRecorded('updateVideo', () => admin.updateVideo({ params, body: { name: 'Told again' } }));
  const image = new Blob(['picture'], { type: 'image/webp' });
  await expectRecorded('setVideoPoster', () => admin.setVideoPoster({ params, body: image }));
  const captions = { ...params, language: 'de' };
  const text = new Blob(['WEBVTT'], { type: 'text/vtt' });
  await expectRecorded('setVideoCaptions', () => admin.setVideoCaptions({ params: captions, body: text }));
  await expectRecorded('deleteVideoCaptions', () => admin.deleteVideoCaptions({ params: captions }));
  await sendVideoState(api, room.provider, media.changeVideo(video.uuid, { state: 'failed', received_bytes: 1 }));
  await expectRecorded('retryVideo', () => admin.retryVideo({ params }));
  await expectRecorded('deleteVideo', () => admin.deleteVideo({ params }));
  const recording = await insertRecording(api, room.room, { provider: room.provider });
  await expectRecorded('copyRecordingToRoom', () =>
    admin.copyRecordingToRoom({ params: { recording_id: recording.id }, body: { room_id: room.room.id } }),
  );
  await media.close();
}

test('a rejected request creates neither an event nor an audit entry', async () => {
  const servicePackage = await makePackage(api, { features: {} });
  const before = await countRecords();
  await refusalOf(api.admin.createServicePackage({ body: { name: 'Twin', tag: servicePackage.tag } }));
  await refusalOf(
    api.admin.deleteCustomer({
      params: { customer_id: (await api.admin.listCustomers({ query: { limit: 1 } })).data[0]?.id ?? 'none' },
    }),
  );
  expect(await countRecords()).toEqual(before);
});

test('events of a resource are numbered from one without a gap, even at the same instant', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => api.admin.updateRoom({ params, body: { room_name: `Name ${index}` } })),
  );
  const { rows } = await api.app.connection.pool.query<{ sequence: number }>(
    'select sequence::int from events where resource_id = $1 order by sequence',
    [room.uuid],
  );
  expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 21 }, (_, index) => index + 1));
});

test('an audit entry has actor, action, address, request and changes', async () => {
  const { room } = await makeRoom(api);
  const me = (await api.admin.readCallingAdmin()).data;
  await api.admin.request('updateRoom', {
    params: { room_id: room.id },
    body: { room_name: 'After' },
    headers: { 'x-request-id': 'audit-me' },
  });
  const entry = await api.app.dependencies.db
    .selectFrom('audit_entries')
    .selectAll()
    .where('request_id', '=', 'audit-me')
    .executeTakeFirstOrThrow();
  expect(entry).toMatchObject({
    actor_type: 'admin',
    actor_id: me.uuid,
    actor_name: 'root',
    action: 'room.updated',
    resource_type: 'Room',
    resource_id: room.uuid,
    old_values: { room_name: room.room_name },
    new_values: { room_name: 'After' },
    address: '127.0.0.1',
  });
});

test('no secret is in events, audit entries or logs', async () => {
  const provider = await makeProvider(api, { apiUrl: 'http://127.0.0.1:9', secret: 'the-shared-secret' });
  await api.admin.updateServiceProvider({
    params: { service_provider_id: provider.id },
    body: { properties: { secret: 'another-shared-secret' } },
  });
  const customer = await makeCustomer(api, { password: 'a password of a customer' });
  const { room } = await makeRoom(api);
  const { data: token } = await api.admin.createRoomToken({
    params: { room_id: room.id },
    body: { role: 'moderator' },
  });
  await fetch(`${api.url}/rooms/${room.id}/${room.slug}?token=${token.token}`);
  const { rows } = await api.app.connection.pool.query<{ all: string }>(
    `select coalesce((select string_agg(e::text, '') from events e), '') || coalesce((select string_agg(a::text, '') from audit_entries a), '') as all`,
  );
  const written = (rows[0]?.all ?? '') + api.log();
  for (const secret of [
    'the-shared-secret',
    'another-shared-secret',
    'a password of a customer',
    '$argon2',
    token.token,
    'SECRET-CODE',
  ]) {
    expect([secret, written.includes(secret)]).toEqual([secret, false]);
  }
  expect(customer.email).toContain('@');
});
