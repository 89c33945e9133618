import { endpoints, type EndpointName } from '@foyer/contract';
import { type Endpoint, isTextParam, prefixesOf } from '@foyer/contract/conventions/endpoint.ts';
import { exampleBody } from '@foyer/contract/openapi/examples/example.ts';
import { identifierPrefixOf } from '@foyer/contract/conventions/resource.ts';
import type { Client, RawAnswer } from '@foyer/sdk';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, makePackage, makeProvider, unique } from './factories.ts';

const password = 'a password of two tenants';

/** A reseller with every kind of resource, and a customer below it, all with one word in their names. */
interface Tenant {
  readonly word: string;
  readonly owner: Client;
  /** The owner's access token, for raw requests. */
  readonly token: string;
  /** The tenant's resource by identifier prefix. */
  readonly ids: ReadonlyMap<string, { id: string; uuid: string; ulid: string }>;
  /** The resources of the customer below it, by identifier prefix. */
  readonly subResources: ReadonlyMap<string, { id: string; uuid: string; ulid: string }>;
  /** Texts that other tenants must never see: identifiers in each form, tokens, codes, the word. */
  readonly secretTexts: readonly string[];
}

let api: TestApi;
let ownTenant: Tenant;
let otherTenant: Tenant;

const operations = Object.entries(endpoints) as [EndpointName, Endpoint][];
/** The operations that users may call, according to the contract. */
const userOperations = operations.filter(([, { access }]) => {
  if (access.kind === 'permission') return access.users !== null;
  return access.kind === 'optional-token' || (access.kind === 'authenticated' && access.population !== 'admins');
});
/** Operations that would end the session or the account of the caller. */
const callerOperations = new Set(['logout', 'changeOwnPassword', 'changeUserPassword', 'revokeOtherOauthTokens']);
const operationsWithParams = userOperations.filter(([, { params }]) => Object.keys(params ?? {}).length > 0);
const listOperations = userOperations.filter(([, { answer }]) => answer.kind === 'list');

beforeAll(async () => {
  api = await startApi();
  const servicePackage = await makePackage(api, {
    features: {
      max_accounts: '100',
      max_rooms: '100',
      guest_access: 'true',
      allow_create_account: 'true',
      allow_delete_account: 'true',
    },
  });
  ownTenant = await makeTenant('quokka', servicePackage.id);
  otherTenant = await makeTenant('zebrafish', servicePackage.id);
});
afterAll(() => api.close());

async function makeTenant(word: string, packageId: string): Promise<Tenant> {
  const { admin } = api;
  const label = (noun: string) => `${word} ${noun}`;
  const customer = await makeCustomer(api, {
    first_name: label('owner'),
    last_name: label('family'),
    email: `owner@${word}.example`,
    company_name: label('company'),
    is_reseller: true,
    password,
    external_id: label('external'),
  });
  const { data: subscription } = await admin.createSubscription({
    body: { package_id: packageId, subscriber_id: customer.id, name: label('subscription') },
  });
  const { data: account } = await admin.createAccount({
    body: { account_name: label('account'), subscription_id: subscription.id },
  });
  const { data: room } = await admin.createRoom({ body: { room_name: label('room'), account_id: account.id } });
  const params = { room_id: room.id };
  const { data: token } = await admin.createRoomToken({ params, body: { role: 'guest', name: label('token') } });
  const { data: tokenBatch } = await admin.createRoomTokenBatch({
    params,
    body: { name: label('batch'), tokens: [{ role: 'guest', name: label('batched') }] },
  });
  const { data: code } = await admin.createRoomAccessCode({
    params,
    body: { role: 'moderator', code: unique(`${word}-code`) },
  });
  const { data: user } = await admin.createUser({
    body: { email: `${word}.member@example.com`, first_name: label('member'), last_name: 'Member', password },
  });
  const user_id = user.id;
  const { data: customerUser } = await admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { user_id, permissions: ['read-customer'] },
  });
  const { data: accountUser } = await admin.createAccountUser({
    params: { account_id: account.id },
    body: { user_id, permissions: ['read-account'] },
  });
  const { data: roomUser } = await admin.createRoomUser({ params, body: { user_id, permissions: ['read-room'] } });
  const { data: invitation } = await admin.createInvitation({
    params: { customer_id: customer.id },
    body: { email: `invited@${word}.example`, permissions: ['read-customer'] },
  });
  const customerParams = { customer_id: customer.id };
  const { data: address } = await admin.createCustomerAddress({
    params: customerParams,
    body: { address_type: 'PostalAddress', country: 'PT', city: label('city'), address_line1: label('street') },
  });
  const { data: telephone } = await admin.createCustomerTelephone({
    params: customerParams,
    body: { telephone_type: 'mobile', number: '+351 912 345 678' },
  });
  const { data: document } = await admin.createCustomerLegalDocument({
    params: customerParams,
    body: { type: 'other', value: label('document') },
  });
  const { access_token: bearer } = await api.anyone.loginUser({
    body: { username: `owner@${word}.example`, password },
  });
  const owner = api.clientWith(bearer);
  const { data: personal } = await owner.createPersonalAccessToken({
    body: { name: label('personal'), scopes: ['rooms:read'] },
  });
  const { data: sessions } = await owner.listOauthTokens();
  const childCustomer = await makeCustomer(api, { email: `below@${word}.example`, parent_customer_id: customer.id });
  const { data: handedDown } = await owner.createSubscription({
    body: {
      package_id: packageId,
      subscriber_id: childCustomer.id,
      name: label('handed down'),
      features: { max_rooms: 5, max_accounts: 5 },
    },
  });
  const { data: features } = await admin.listSubscriptionFeatures({ params: { subscription_id: subscription.id } });
  const otherProvider = await makeProvider(api);
  const { data: other } = await admin.createServicePackage({ body: { name: label('package') } });
  await admin.createServicePackageProvider({
    params: { service_package_id: other.id },
    body: { service_provider_id: otherProvider.id },
  });
  await admin.changePackage({
    params: { subscription_id: subscription.id },
    body: { package_id: other.id, when: 'period_end' },
  });
  const { data: packageChanges } = await admin.listPackageChanges({ params: { subscription_id: subscription.id } });
  const { data: featuresBelow } = await admin.listSubscriptionFeatures({
    params: { subscription_id: handedDown.id },
  });
  const recordingId = newUuid();
  await api.app.connection.pool.query(
    `insert into recordings (id, room_id, customer_id, subscription_id, provider_recording_id, name, state, playback,
      created_at, updated_at)
    values ($1, $2, $3, $4, $5, $5, 'published', '[{"type":"video","length":1}]', now(), now())`,
    [recordingId, room.uuid, customer.uuid, subscription.uuid, label('recording')],
  );
  const meetingId = newUuid();
  await api.app.connection.pool.query(
    `insert into meetings (id, room_id, customer_id, subscription_id, provider_meeting_id, state, started_at, created_at,
      updated_at)
    select $1, id, customer_id, subscription_id, id, 'open', now(), now(), now() from rooms where id = $2`,
    [meetingId, room.uuid],
  );
  await api.app.connection.pool.query(
    `insert into room_entries (id, room_id, meeting_id, subscription_id, role, full_name, expires_at, joined_at, created_at)
    values ($1, $2, $3, $4, 'guest', $5, now(), now(), now())`,
    [newUuid(), room.uuid, meetingId, subscription.uuid, label('participant')],
  );
  const videoId = newUuid();
  await api.app.connection.pool.query(
    `insert into videos (id, room_id, customer_id, subscription_id, service_provider_id, name, state, size_bytes,
      upload_expires_at, created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, 'ready', 1, now(), now(), now())`,
    [videoId, room.uuid, customer.uuid, subscription.uuid, otherProvider.uuid, label('video')],
  );
  const { data: video } = await admin.readVideo({ params: { video_id: videoId } });
  const outputId = newUuid();
  await api.app.connection.pool.query(`update rooms set room_type = 'simulcast' where id = $1`, [room.uuid]);
  await api.app.connection.pool.query(
    `insert into outputs (id, room_id, subscription_id, name, platform, url, enabled, created_at, updated_at)
    values ($1, $2, $3, $4, 'custom', 'rtmp://192.0.1.1/live', true, now(), now())`,
    [outputId, room.uuid, subscription.uuid, label('output')],
  );
  const { data: stream } = await admin.readStream({ params });
  const { data: output } = await admin.readOutput({ params: { ...params, output_id: outputId } });
  const { data: meeting } = await admin.readMeeting({ params: { meeting_id: meetingId } });
  const { data: participants } = await admin.listMeetingParticipants({ params: { meeting_id: meetingId } });
  const { data: recording } = await admin.readRecording({ params: { recording_id: recordingId } });
  const { data: webhook } = await admin.createWebhook({
    body: { url: 'https://192.0.1.1/', events: ['*'], customer_id: customer.id, description: label('webhook') },
  });
  await api.app.connection.pool.query(
    `insert into webhook_deliveries (id, webhook_id, event_id, event_name, resource_id, position, state, created_at, updated_at)
    values ($1, $2, $1, $3, $1, 1, 'failed', now(), now())`,
    [newUuid(), webhook.uuid, label('event')],
  );
  const { data: deliveries } = await admin.listWebhookDeliveries({ params: { webhook_id: webhook.id } });
  const { data: events } = await admin.listEvents({ query: { search: `resource_id:${room.id}` } });
  // Of several resources with the same prefix, the last one is used.
  const createdResources = [
    childCustomer,
    handedDown,
    ...featuresBelow.slice(0, 1),
    customer,
    subscription,
    account,
    room,
    token,
    tokenBatch,
    code,
    recording,
    video,
    stream,
    output,
    meeting,
    ...participants,
    user,
    customerUser,
    accountUser,
    roomUser,
    invitation,
    address,
    telephone,
    document,
    personal,
    ...sessions.slice(0, 1),
    ...features.slice(0, 1),
    ...packageChanges,
    ...events,
    webhook,
    ...deliveries,
  ];
  return {
    word,
    owner,
    token: bearer,
    ids: indexByPrefix(createdResources),
    subResources: indexByPrefix([handedDown, ...featuresBelow.slice(0, 1)]),
    secretTexts: [word, token.token, ...createdResources.flatMap(({ id, uuid, ulid }) => [id, uuid, ulid])],
  };
}

function indexByPrefix<Thing extends { id: string }>(createdResources: readonly Thing[]): Map<string, Thing> {
  return new Map(createdResources.map((thing) => [thing.id.split('_')[0] ?? '', thing]));
}

/** The tenant's own resource for the parameter; of its subscriptions, the one that its users can manage. */
function resourceFor(tenant: Tenant, prefix: string, { access }: Endpoint) {
  const managesSubscriptions = access.kind === 'permission' && access.users?.right === 'manage-subscriptions';
  return (managesSubscriptions ? tenant.subResources.get(prefix) : undefined) ?? tenant.ids.get(prefix);
}

/** Every path of the endpoint with at least one identifier of the other tenant, in each form. */
function foreignParams(endpoint: Endpoint): Record<string, string>[] {
  const params = Object.entries(endpoint.params ?? {});
  const names = params.flatMap(([name, param]) => (isTextParam(param) ? [] : [[name, prefixesOf(param)] as const]));
  const texts = params.flatMap(([name, param]) => (isTextParam(param) ? [[name, param.example]] : []));
  const all: Record<string, string>[] = [];
  for (let pattern = 1; pattern < 2 ** names.length; pattern++) {
    for (const form of ['id', 'uuid', 'ulid'] as const) {
      for (const pick of [0, 1]) {
        const params = names.map(([name, prefixes], index) => {
          const tenant = pattern & (1 << index) ? otherTenant : ownTenant;
          const prefix = prefixes[Math.min(pick, prefixes.length - 1)] ?? '';
          return [name, resourceFor(tenant, prefix, endpoint)?.[form] ?? failMissing(prefix)];
        });
        all.push(Object.fromEntries([...params, ...texts]) as Record<string, string>);
      }
    }
  }
  return all;
}

function failMissing(prefix: string): never {
  throw new Error(`The tenants of this test have no resource with the prefix ${prefix}. Create one in makeTenant.`);
}

function bodyOf(name: EndpointName, endpoint: Endpoint): Record<string, unknown> | undefined {
  return endpoint.body ? { ...exampleBody(name, '', endpoint.body) } : undefined;
}

function expectNoDataOf(tenant: Tenant, { body }: RawAnswer, context: string): void {
  const text = (typeof body === 'string' ? body : JSON.stringify(body ?? null)).toLowerCase();
  const leakedTexts = tenant.secretTexts.filter((secret) => text.includes(secret.toLowerCase()));
  expect(leakedTexts, context).toEqual([]);
}

/** All data of a tenant that an administrator can read. */
async function snapshotOf(tenant: Tenant): Promise<unknown> {
  const include =
    'users,owner,addresses,telephones,legal_documents,accounts.users,accounts.rooms.tokens,rooms.access_codes,rooms.users,subscriptions.features';
  const customerId = tenant.ids.get('cust')?.id ?? '';
  const customer = await api.admin.request('readCustomer', { params: { customer_id: customerId }, query: { include } });
  const memberships = await Promise.all([
    api.admin.request('listCustomerUsers', { params: { customer_id: customerId } }),
    api.admin.request('listAccountUsers', { params: { account_id: tenant.ids.get('acct')?.id ?? '' } }),
    api.admin.request('listRoomUsers', { params: { room_id: tenant.ids.get('room')?.id ?? '' } }),
    api.admin.request('listInvitations', { params: { customer_id: customerId } }),
    tenant.owner.request('listPersonalAccessTokens'),
    tenant.owner.request('readCallingUser'),
  ]);
  return JSON.parse(
    JSON.stringify([customer.body, ...memberships.map(({ body }) => body)]).replaceAll(/"last_used_at":"[^"]*"/g, '""'),
  ) as unknown;
}

test('each tenant sees its own resources, so that the other tests of this file cannot pass by mistake', async () => {
  for (const tenant of [ownTenant, otherTenant]) {
    const { data } = await tenant.owner.listRooms({ query: { include: 'tokens,access_codes,account,customer' } });
    expect(data).toHaveLength(1);
    expect(JSON.stringify(data)).toContain(tenant.word);
  }
});

test('no path gives access to a resource of another tenant, in any form of its identifier, and nothing changes', async () => {
  const otherBefore = await snapshotOf(otherTenant);
  const ownBefore = await snapshotOf(ownTenant);
  for (const [name, endpoint] of operationsWithParams) {
    for (const params of foreignParams(endpoint)) {
      const context = `${name} ${JSON.stringify(params)}`;
      const answer = await ownTenant.owner.request(name, { params, body: bodyOf(name, endpoint) });
      if (endpoint.access.kind === 'optional-token')
        expect([400, 401, 403, 404, 422], context).toContain(answer.status);
      else expect(answer.status, context).toBe(404);
      expectNoDataOf(otherTenant, answer, context);
    }
  }
  expect(await snapshotOf(otherTenant)).toEqual(otherBefore);
  expect(await snapshotOf(ownTenant)).toEqual(ownBefore);
});

test('no body can refer to a resource of another tenant', async () => {
  const before = await snapshotOf(otherTenant);
  for (const [name, endpoint] of userOperations) {
    if (!endpoint.body || callerOperations.has(name)) continue;
    const members = Object.entries({
      ...(endpoint.body.properties as Record<string, TSchema>),
      ...((endpoint.immutable?.properties ?? {}) as Record<string, TSchema>),
    });
    for (const [member, schema] of members) {
      const prefix = identifierPrefixOf(schema);
      if (!prefix || !otherTenant.ids.has(prefix)) continue;
      const params = Object.fromEntries(
        Object.entries(endpoint.params ?? {}).map(([paramName, param]) => [
          paramName,
          isTextParam(param)
            ? param.example
            : (resourceFor(ownTenant, prefixesOf(param)[0] ?? '', endpoint)?.id ?? failMissing(paramName)),
        ]),
      );
      for (const form of ['id', 'uuid', 'ulid'] as const) {
        const context = `${name} ${member} ${form}`;
        const body = { ...bodyOf(name, endpoint), [member]: otherTenant.ids.get(prefix)?.[form] };
        const answer = await ownTenant.owner.request(name, { params, body });
        expect([403, 404, 409, 422], context).toContain(answer.status);
        expectNoDataOf(otherTenant, answer, context);
      }
    }
  }
  expect(await snapshotOf(otherTenant)).toEqual(before);
});

/** All paths of relationships down to the allowed depth. A path ends when it returns to a type. */
function includePaths(object: string, depth: number, ancestors: readonly string[] = []): string[] {
  const resource = resources.get(object);
  if (!resource || depth === 0 || ancestors.includes(object)) return [];
  return Object.entries(resource.includes).flatMap(([name, { object: target }]) => [
    name,
    ...includePaths(target, depth - 1, [...ancestors, object]).map((path) => `${name}.${path}`),
  ]);
}

const resources = new Map(
  operations.flatMap(([, { answer }]) =>
    answer.kind === 'resource' || answer.kind === 'list' ? [[answer.resource.object, answer.resource] as const] : [],
  ),
);

function ownParams(endpoint: Endpoint): Record<string, string> {
  return Object.fromEntries(
    Object.entries(endpoint.params ?? {}).map(([name, param]) => [
      name,
      isTextParam(param) ? param.example : (ownTenant.ids.get(prefixesOf(param)[0] ?? '')?.id ?? failMissing(name)),
    ]),
  );
}

test('no search, sort order, filter or stream of a list shows rows of another tenant', async () => {
  for (const [name, endpoint] of listOperations) {
    if (endpoint.answer.kind !== 'list') continue;
    const params = ownParams(endpoint);
    const queries: Record<string, string>[] = [
      {},
      { limit: '0' },
      { limit: '1000', skipCache: 'true', count: 'false' },
      { search: 'member', limit: '0' },
      { search: 'e', searchJoin: 'and' },
    ];
    for (const [field, schema] of Object.entries(endpoint.answer.resource.fields as Record<string, TSchema>)) {
      queries.push({ orderBy: field, sortedBy: 'desc' });
      const prefix = identifierPrefixOf(schema);
      const otherId = prefix ? otherTenant.ids.get(prefix) : undefined;
      if (otherId)
        for (const form of ['id', 'uuid', 'ulid'] as const) queries.push({ search: `${field}:${otherId[form]}` });
      else queries.push({ search: `${field}:${otherTenant.word}` });
    }
    queries.push({ search: otherTenant.word }, { search: `${otherTenant.word} ${ownTenant.word}` });
    for (const query of queries) {
      const context = `${name} ${JSON.stringify(query)}`;
      const answer = await ownTenant.owner.request(name, { params, query });
      expect([200, 422], context).toContain(answer.status);
      if (answer.status !== 200) continue;
      const { data, meta } = answer.body as { data: unknown[]; meta: { pagination?: { total?: number } } };
      // Only the data, because the links of a page repeat the request.
      expectNoDataOf(otherTenant, { ...answer, body: data }, context);
      // A total only counts visible rows.
      const queryText = JSON.stringify(query);
      if (queryText.includes(otherTenant.word) || otherTenant.secretTexts.some((secret) => queryText.includes(secret)))
        expect([data.length, meta.pagination?.total ?? 0], context).toEqual([0, 0]);
    }
  }
});

test('no include shows another tenant, at any depth, also through a person who belongs to both', async () => {
  const { data: sharedUser } = await api.admin.createUser({
    body: { email: 'both@example.com', first_name: 'Both', last_name: 'Sides', password },
  });
  for (const tenant of [ownTenant, otherTenant]) {
    const body = { user_id: sharedUser.id, permissions: ['read-customer' as const] };
    await api.admin.createCustomerUser({ params: { customer_id: tenant.ids.get('cust')?.id ?? '' }, body });
    await api.admin.createAccountUser({
      params: { account_id: tenant.ids.get('acct')?.id ?? '' },
      body: { user_id: sharedUser.id, permissions: ['read-account'] },
    });
    await api.admin.createRoomUser({
      params: { room_id: tenant.ids.get('room')?.id ?? '' },
      body: { user_id: sharedUser.id, permissions: ['read-room'] },
    });
  }
  // Includes do not depend on the endpoint, so each is followed once.
  const checkedObjects = new Set<string>();
  for (const [name, endpoint] of userOperations) {
    const { answer } = endpoint;
    if (endpoint.method !== 'GET' || (answer.kind !== 'list' && answer.kind !== 'resource')) continue;
    const { object } = answer.resource;
    const paths = includePaths(object, checkedObjects.has(object) ? 2 : 4);
    checkedObjects.add(object);
    for (let offset = 0; offset < Math.max(1, paths.length); offset += 20) {
      const include = paths.slice(offset, offset + 20).join(',');
      const answer = await ownTenant.owner.request(name, { params: ownParams(endpoint), query: { include } });
      expect(answer.status, `${name} ${include}`).toBe(200);
      expectNoDataOf(otherTenant, answer, `${name} ${include}`);
    }
  }
});

test('tokens of administrators are rejected by endpoints for users, and vice versa', async () => {
  for (const [name, endpoint] of operations) {
    if (endpoint.access.kind !== 'authenticated' || endpoint.access.population === null) continue;
    const other = endpoint.access.population === 'admins' ? ownTenant.owner : api.admin;
    const answer = await other.request(name, { body: bodyOf(name, endpoint) });
    expect([answer.status, answer.body], name).toMatchObject([403, { code: 'wrong-population' }]);
  }
});

test('the owner of one tenant cannot join rooms of another without a token', async () => {
  const answer = await ownTenant.owner.request('joinRoom', {
    params: { room_id: otherTenant.ids.get('room')?.id ?? '' },
    body: { name: 'Spy', role: 'moderator' },
  });
  expect(answer.status).toBe(403);
});
