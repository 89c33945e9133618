import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAccount, makePackage, makeProvider, openSandbox, refusalOf, unique } from './factories.ts';

let api: TestApi;
let sandbox: Sandbox;
beforeAll(async () => {
  [api, sandbox] = await Promise.all([startApi(), openSandbox()]);
});
afterAll(async () => {
  await Promise.all([api.close(), sandbox.close()]);
});

const mask = '********';

function given(properties: Record<string, unknown>, body: Record<string, unknown> = {}) {
  return {
    provider_name: unique('Given'),
    provider_type: 'bigbluebutton' as const,
    properties: { host_url: 'https://meet.example.com', secret: 's3cret', ...properties },
    ...body,
  };
}

async function create(properties: Record<string, unknown> = {}, body: Record<string, unknown> = {}) {
  const { data } = await api.admin.createServiceProvider({ body: given(properties, body) });
  return data;
}

async function storedProperties(uuid: string): Promise<Record<string, unknown>> {
  const { properties } = await api.house.dependencies.db
    .selectFrom('service_providers')
    .select('properties')
    .where('id', '=', uuid)
    .executeTakeFirstOrThrow();
  return properties;
}

test('a provider is created, read, listed, changed and deleted', async () => {
  const made = await create({}, { settings: { region: 'eu' }, metadata: { rack: 7 }, active: false });
  expect(made).toMatchObject({
    object: 'ServiceProvider',
    id: expect.stringMatching(/^prov_/),
    provider_type: 'bigbluebutton',
    service_type: 'meet',
    active: false,
    properties: { host_url: 'https://meet.example.com/bigbluebutton/api', secret: mask },
    settings: { region: 'eu' },
    metadata: { rack: 7 },
  });
  const params = { service_provider_id: made.id };
  expect((await api.admin.readServiceProvider({ params })).data).toEqual(made);
  const listed = await api.admin.listServiceProviders({ query: { search: `id:${made.id}` } });
  expect(listed.data).toEqual([made]);
  const { data: changed } = await api.admin.updateServiceProvider({
    params,
    body: { provider_name: 'Renamed', active: true, settings: null, metadata: null },
  });
  expect(changed).toMatchObject({ provider_name: 'Renamed', active: true, settings: [], metadata: {} });
  expect(changed.properties).toEqual(made.properties);
  await api.admin.deleteServiceProvider({ params });
  expect((await refusalOf(api.admin.readServiceProvider({ params }))).status).toBe(404);
  expect((await refusalOf(api.admin.updateServiceProvider({ params, body: {} }))).status).toBe(404);
  expect((await refusalOf(api.admin.deleteServiceProvider({ params }))).status).toBe(404);
  expect((await refusalOf(api.admin.checkServiceProvider({ params }))).status).toBe(404);
});

test('a provider is active, without settings and metadata unless it says otherwise', async () => {
  expect(await create()).toMatchObject({ active: true, settings: [], metadata: {} });
});

test('the type bbb is taken for bigbluebutton and printed so, on creation and in a change', async () => {
  const made = await create({}, { provider_type: 'bbb' });
  expect(made.provider_type).toBe('bigbluebutton');
  const { data: changed } = await api.admin.updateServiceProvider({
    params: { service_provider_id: made.id },
    body: { provider_type: 'bbb', service_type: 'meet', provider_name: 'By its old name' } as never,
  });
  expect(changed).toMatchObject({ provider_type: 'bigbluebutton', provider_name: 'By its old name' });
});

test('a scalelite is a provider too', async () => {
  expect(await create({}, { provider_type: 'scalelite' })).toMatchObject({
    provider_type: 'scalelite',
    service_type: 'meet',
    properties: { secret: mask },
  });
});

test('the type of a provider never changes', async () => {
  const made = await create();
  const params = { service_provider_id: made.id };
  const refusal = await refusalOf(
    api.admin.updateServiceProvider({ params, body: { provider_type: 'scalelite', provider_name: 'Lost' } as never }),
  );
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['provider_type']]);
  expect((await api.admin.readServiceProvider({ params })).data).toEqual(made);
});

test.each([
  ['https://meet.example.com', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/', 'https://meet.example.com/bigbluebutton/api'],
  ['  https://meet.example.com/bigbluebutton  ', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton/', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton/api', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com/bigbluebutton/api/', 'https://meet.example.com/bigbluebutton/api'],
  ['https://meet.example.com:8443', 'https://meet.example.com:8443/bigbluebutton/api'],
  ['http://127.0.0.1:8090', 'http://127.0.0.1:8090/bigbluebutton/api'],
  ['http://localhost:8090/bigbluebutton/', 'http://localhost:8090/bigbluebutton/api'],
  ['http://[::1]:8090', 'http://[::1]:8090/bigbluebutton/api'],
])('the address %s is kept as %s', async (host_url, kept) => {
  const made = await create({ host_url });
  expect(made.properties['host_url']).toBe(kept);
});

test.each([
  'http://meet.example.com',
  'http://10.0.0.1',
  'http://127.0.0.1.example.com',
  'ftp://meet.example.com',
  'https://ada:secret@meet.example.com',
  'https://ada@meet.example.com',
  'https://meet.example.com/?x=1',
  'https://meet.example.com/#part',
  'meet.example.com',
  'https://',
  'javascript:alert(1)',
  `https://meet.example.com/${'x'.repeat(2100)}`,
  ['https://meet.example.com'],
  { url: 'https://meet.example.com' },
  true,
])('the address %j is refused under its own name, on creation and in a change', async (host_url) => {
  const created = await refusalOf(api.admin.createServiceProvider({ body: given({ host_url }) }));
  expect([created.status, Object.keys(created.errors)]).toEqual([422, ['properties.host_url']]);
  const made = await create();
  const params = { service_provider_id: made.id };
  const changed = await refusalOf(api.admin.updateServiceProvider({ params, body: { properties: { host_url } } }));
  expect([changed.status, Object.keys(changed.errors)]).toEqual([422, ['properties.host_url']]);
  expect((await api.admin.readServiceProvider({ params })).data).toEqual(made);
});

test('every fault of the properties is named at once', async () => {
  const refusal = await refusalOf(
    api.admin.createServiceProvider({
      body: {
        provider_name: 'Faulty',
        provider_type: 'bigbluebutton',
        properties: { host_url: 'http://meet.example.com', checksum_algorithm: 'md5', host_port: [] },
      },
    }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors).sort()).toEqual([
    'properties.checksum_algorithm',
    'properties.host_port',
    'properties.host_url',
    'properties.secret',
  ]);
  expect(refusal.message).toMatch(/\(and 3 more errors\)$/);
});

test('every fault beside the properties is named at once, and nothing is stored', async () => {
  const total = async () => (await api.admin.listServiceProviders({ query: { limit: 1 } })).meta.pagination?.total;
  const before = await total();
  const refusal = await refusalOf(
    api.admin.createServiceProvider({
      body: { provider_type: 'zoom', active: 'perhaps', properties: 'none', settings: 3, metadata: { a: { b: [1] } } },
    } as never),
  );
  expect(Object.keys(refusal.errors).sort()).toEqual([
    'active',
    'metadata.a',
    'properties',
    'provider_name',
    'provider_type',
    'settings',
  ]);
  expect(await total()).toBe(before);
});

test('a secret cannot be the mask when there is none to leave', async () => {
  const refusal = await refusalOf(api.admin.createServiceProvider({ body: given({ secret: mask }) }));
  expect(Object.keys(refusal.errors)).toEqual(['properties.secret']);
});

test('secrets are masked in every answer, and sealed where they are stored', async () => {
  const secrets = { secret: 'the-shared-secret-of-it', host_key: 'the-old-key-of-it' };
  const made = await create(secrets);
  const params = { service_provider_id: made.id };
  const body = { provider_name: 'Still secret' };
  const { data: servicePackage } = await api.admin.createServicePackage({ body: { name: 'Holder' } });
  await api.admin.createServicePackageProvider({
    params: { service_package_id: servicePackage.id },
    body: { service_provider_id: made.id },
  });
  const answers = [
    made,
    (await api.admin.updateServiceProvider({ params, body })).data,
    (await api.admin.readServiceProvider({ params })).data,
    ...(await api.admin.listServiceProviders({ query: { search: `id:${made.id}` } })).data,
  ];
  expect(answers).toHaveLength(4);
  for (const { properties } of answers) expect(properties).toMatchObject({ secret: mask, host_key: mask });
  const included = await api.admin.readServicePackage({
    params: { service_package_id: servicePackage.id },
    query: { include: 'providers.service_provider' },
  });
  const printed = JSON.stringify([answers, included]);
  expect(printed).toContain(mask);
  const stored = JSON.stringify(await storedProperties(made.uuid));
  for (const secret of Object.values(secrets)) {
    expect(printed).not.toContain(secret);
    expect(stored).not.toContain(secret);
    expect(stored).not.toContain(Buffer.from(secret).toString('base64'));
  }
});

test('the same secret is sealed differently for each provider', async () => {
  const [one, other] = await Promise.all([create({ secret: 'shared by both' }), create({ secret: 'shared by both' })]);
  const [first, second] = await Promise.all([storedProperties(one.uuid), storedProperties(other.uuid)]);
  expect(first['secret']).not.toBe(second['secret']);
});

test('writing the mask back leaves the stored secret, and other properties stay as they are', async () => {
  const made = await create({ host_ip: '10.0.0.7', rack: 'kept, though unknown' });
  const before = await storedProperties(made.uuid);
  const { data: changed } = await api.admin.updateServiceProvider({
    params: { service_provider_id: made.id },
    body: { properties: { ...made.properties, host_url: 'https://other.example.com' } },
  });
  const host_url = 'https://other.example.com/bigbluebutton/api';
  expect(changed.properties).toEqual({ ...made.properties, host_url });
  expect(await storedProperties(made.uuid)).toEqual({ ...before, host_url });
});

test('a change of properties leaves those that it does not name', async () => {
  const made = await create({ checksum_algorithm: 'sha512' });
  const before = await storedProperties(made.uuid);
  const { data: changed } = await api.admin.updateServiceProvider({
    params: { service_provider_id: made.id },
    body: { properties: { secret: 'another one' } },
  });
  expect(changed.properties).toEqual(made.properties);
  const after = await storedProperties(made.uuid);
  expect(after).toEqual({ ...before, secret: after['secret'] });
  expect(after['secret']).not.toBe(before['secret']);
});

test('null clears a property that is not required, and is refused for one that is', async () => {
  const made = await create({ checksum_algorithm: 'sha1', host_key: 'old', rack: 'b' });
  const params = { service_provider_id: made.id };
  const { data: changed } = await api.admin.updateServiceProvider({
    params,
    body: { properties: { checksum_algorithm: null, host_key: null, rack: '' } },
  });
  expect(changed.properties).toEqual({ host_url: made.properties['host_url'], secret: mask });
  const refusal = await refusalOf(
    api.admin.updateServiceProvider({ params, body: { properties: { host_url: null, secret: null } } }),
  );
  expect(Object.keys(refusal.errors).sort()).toEqual(['properties.host_url', 'properties.secret']);
  expect((await api.admin.readServiceProvider({ params })).data).toEqual(changed);
});

test('a provider that is the default of a package or a subscription cannot be switched off', async () => {
  const provider = await makeProvider(api);
  const params = { service_provider_id: provider.id };
  const { servicePackage } = await makeAccount(api, { provider: provider.id });
  const refusal = await refusalOf(api.admin.updateServiceProvider({ params, body: { active: false } }));
  expect([refusal.status, refusal.code]).toEqual([409, 'provider-is-default']);
  expect((await api.admin.readServiceProvider({ params })).data.active).toBe(true);
  const other = await makeProvider(api);
  await api.admin.createServicePackageProvider({
    params: { service_package_id: servicePackage.id },
    body: { service_provider_id: other.id, default: true },
  });
  const still = await refusalOf(api.admin.updateServiceProvider({ params, body: { active: false } }));
  expect(still.code).toBe('provider-is-default');
  expect(still.message).toContain('0 packages and 1 subscriptions');
});

test('a provider that is attached but nowhere the default can be switched off and on', async () => {
  const [first, second] = await Promise.all([makeProvider(api), makeProvider(api)]);
  const servicePackage = await makePackage(api, { provider: first.id, features: {} });
  await api.admin.createServicePackageProvider({
    params: { service_package_id: servicePackage.id },
    body: { service_provider_id: second.id },
  });
  const params = { service_provider_id: second.id };
  for (const active of [false, false, true]) {
    expect((await api.admin.updateServiceProvider({ params, body: { active } })).data.active).toBe(active);
  }
});

test('a provider that a package has cannot be deleted until it is detached', async () => {
  const [first, second] = await Promise.all([makeProvider(api), makeProvider(api)]);
  const servicePackage = await makePackage(api, { provider: first.id, features: {} });
  const { data: attached } = await api.admin.createServicePackageProvider({
    params: { service_package_id: servicePackage.id },
    body: { service_provider_id: second.id, active: false },
  });
  const params = { service_provider_id: second.id };
  const refusal = await refusalOf(api.admin.deleteServiceProvider({ params }));
  expect([refusal.status, refusal.code]).toEqual([409, 'provider-in-use']);
  expect((await api.admin.readServiceProvider({ params })).data.id).toBe(second.id);
  await api.admin.deleteServicePackageProvider({
    params: { service_package_id: servicePackage.id, provider_id: attached.id },
  });
  await api.admin.deleteServiceProvider({ params });
  expect((await refusalOf(api.admin.readServiceProvider({ params }))).status).toBe(404);
});

test('a provider is attached or deleted, never both, however close the two come', async () => {
  const servicePackage = await makePackage(api, { features: {} });
  for (let round = 0; round < 5; round += 1) {
    const provider = await makeProvider(api);
    const [attached, deleted] = await Promise.allSettled([
      api.admin.createServicePackageProvider({
        params: { service_package_id: servicePackage.id },
        body: { service_provider_id: provider.id },
      }),
      api.admin.deleteServiceProvider({ params: { service_provider_id: provider.id } }),
    ]);
    expect([attached.status, deleted.status].sort()).toEqual(['fulfilled', 'rejected']);
    const reason: unknown = attached.status === 'rejected' ? attached.reason : Reflect.get(deleted, 'reason');
    expect(reason).toMatchObject({ status: attached.status === 'rejected' ? 422 : 409 });
  }
});

test('the check of a provider that answers says so, with its version and how long it took', async () => {
  const provider = await makeProvider(api, sandbox);
  const { data } = await api.admin.checkServiceProvider({ params: { service_provider_id: provider.id } });
  expect(data).toEqual({
    object: 'ServiceProviderCheck',
    service_provider_id: provider.id,
    reachable: true,
    api_version: expect.stringMatching(/^\d+\.\d+/),
    secret_accepted: true,
    latency_ms: expect.any(Number),
    problem: null,
  });
});

test('the check finds a wrong secret, and does not repeat it', async () => {
  const provider = await makeProvider(api, { apiUrl: sandbox.apiUrl, secret: 'certainly-wrong' });
  const { data } = await api.admin.checkServiceProvider({ params: { service_provider_id: provider.id } });
  expect(data).toMatchObject({ reachable: true, secret_accepted: false, problem: expect.any(String) });
  expect(JSON.stringify(data)).not.toContain('certainly-wrong');
});

test('the check finds that nobody is there', async () => {
  const provider = await makeProvider(api);
  const { data } = await api.admin.checkServiceProvider({ params: { service_provider_id: provider.id } });
  expect(data).toMatchObject({
    reachable: false,
    api_version: null,
    secret_accepted: null,
    problem: expect.any(String),
  });
});

test('changed credentials and addresses hold on the next call', async () => {
  const provider = await makeProvider(api, { apiUrl: sandbox.apiUrl, secret: 'mistyped' });
  const params = { service_provider_id: provider.id };
  const check = async () => (await api.admin.checkServiceProvider({ params })).data;
  const change = (properties: Record<string, unknown>) =>
    api.admin.updateServiceProvider({ params, body: { properties } });
  expect(await check()).toMatchObject({ reachable: true, secret_accepted: false });
  await change({ secret: sandbox.secret });
  expect(await check()).toMatchObject({ reachable: true, secret_accepted: true });
  await change({ secret: mask });
  expect(await check()).toMatchObject({ reachable: true, secret_accepted: true });
  await change({ host_url: 'http://127.0.0.1:9' });
  expect((await check()).reachable).toBe(false);
  await change({ host_url: sandbox.url });
  expect(await check()).toMatchObject({ reachable: true, secret_accepted: true });
  await change({ secret: 'mistyped again' });
  expect(await check()).toMatchObject({ reachable: true, secret_accepted: false });
});

test('changed credentials hold in the other processes, too', async () => {
  const provider = await makeProvider(api, { apiUrl: sandbox.apiUrl, secret: 'mistyped' });
  const params = { service_provider_id: provider.id };
  const other = await api.another();
  try {
    expect((await other.admin.checkServiceProvider({ params })).data.secret_accepted).toBe(false);
    await api.admin.updateServiceProvider({ params, body: { properties: { secret: sandbox.secret } } });
    expect((await other.admin.checkServiceProvider({ params })).data.secret_accepted).toBe(true);
  } finally {
    await other.close();
  }
});
