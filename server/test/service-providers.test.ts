import { secretMask } from '@foyer/contract/resources/providers/provider-types.ts';
import type { Sandbox } from '@foyer/sandbox';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeAuthority, startTlsServer } from './providers/certificates.ts';
import { successXml, respondXml } from './providers/raw-server.ts';
import { makeAccount, makePackage, makeProvider, openSandbox, refusalOf, unique } from './factories.ts';

let api: TestApi;
let sandbox: Sandbox;

beforeAll(async () => {
  api = await startApi();
  sandbox = await openSandbox();
});

afterAll(async () => {
  await sandbox.close();
  await api.close();
});

const host = 'https://meet.example.com/bigbluebutton/api';

function create(properties: Record<string, unknown>, body: Record<string, unknown> = {}) {
  return api.admin.createServiceProvider({
    body: { provider_name: unique('Provider'), provider_type: 'bigbluebutton', properties, ...body },
  });
}

async function createTestProvider(properties: Record<string, unknown> = {}, body: Record<string, unknown> = {}) {
  const { data } = await create({ host_url: host, secret: 'a-secret', ...properties }, body);
  return { provider: data, params: { service_provider_id: data.id } };
}

function patch(params: { service_provider_id: string }, body: Record<string, unknown>) {
  return api.admin.updateServiceProvider({ params, body });
}

async function readRow({ uuid }: { uuid: string }) {
  return await api.app.dependencies.db
    .selectFrom('service_providers')
    .selectAll()
    .where('id', '=', uuid)
    .executeTakeFirstOrThrow();
}

async function readEventsAndAudit({ uuid }: { uuid: string }) {
  const { db } = api.app.dependencies;
  const events = await db
    .selectFrom('events')
    .selectAll()
    .where('resource_id', '=', uuid)
    .orderBy('sequence')
    .execute();
  const audit = await db
    .selectFrom('audit_entries')
    .selectAll()
    .where('resource_id', '=', uuid)
    .orderBy('occurred_at')
    .execute();
  return { events, audit };
}

describe('a service provider', () => {
  test('is created, read, listed, changed and deleted', async () => {
    const { data } = await create(
      { host_url: 'https://meet.example.com', secret: 'a-secret', checksum_algorithm: 'sha512' },
      { provider_name: 'Main', provider_type: 'bbb', settings: { region: 'eu' }, metadata: { rack: 7 } },
    );
    expect(data).toMatchObject({
      object: 'ServiceProvider',
      provider_name: 'Main',
      provider_type: 'bigbluebutton',
      service_type: 'meet',
      active: true,
      properties: { host_url: 'https://meet.example.com', secret: secretMask, checksum_algorithm: 'sha512' },
      settings: { region: 'eu' },
      metadata: { rack: 7 },
    });
    const params = { service_provider_id: data.id };
    expect((await api.admin.readServiceProvider({ params })).data).toEqual(data);
    const { data: listed } = await api.admin.listServiceProviders({ query: { search: `id:${data.id}` } });
    expect(listed).toEqual([data]);
    const { data: changed } = await patch(params, { provider_name: 'Renamed', settings: null, metadata: null });
    expect(changed).toMatchObject({
      provider_name: 'Renamed',
      settings: [],
      metadata: {},
      properties: data.properties,
    });
    await api.admin.deleteServiceProvider({ params });
    expect((await refusalOf(api.admin.readServiceProvider({ params }))).status).toBe(404);
    expect((await readEventsAndAudit(data)).events.map(({ name }) => name)).toEqual([
      'service_provider.created',
      'service_provider.updated',
      'service_provider.deleted',
    ]);
  });

  test.each([
    ['https://meet.example.com', host],
    ['https://meet.example.com/', host],
    ['  https://MEET.example.com/bigbluebutton  ', host],
    ['https://meet.example.com/bigbluebutton/', host],
    ['https://meet.example.com/bigbluebutton/api/', host],
    ['https://meet.example.com:8443/a', 'https://meet.example.com:8443/a/bigbluebutton/api'],
    ['http://127.0.0.1:8090', 'http://127.0.0.1:8090/bigbluebutton/api'],
    ['http://localhost:8090', 'http://localhost:8090/bigbluebutton/api'],
    ['http://[::1]:8090', 'http://[::1]:8090/bigbluebutton/api'],
  ])(
    'accepts the address %s, shows it as written, and sends requests to the API below it',
    async (address, requested) => {
      const { provider } = await createTestProvider({ host_url: address });
      expect(provider.properties['host_url']).toBe(address.trim());
      expect(Object.keys(provider.properties).toSorted()).toEqual(['host_url', 'secret']);
      expect((await readRow(provider)).properties).toMatchObject({ host_url: requested });
    },
  );

  test.each([
    'http://meet.example.com',
    'http://10.0.0.1',
    'http://127.0.0.1.example.com',
    'ftp://meet.example.com',
    'https://user:word@meet.example.com',
    'https://meet.example.com/?a=b',
    'https://meet.example.com/#a',
    'meet.example.com',
    'https://',
    `https://${'x'.repeat(2100)}.example.com`,
    7,
    { a: 1 },
  ])('rejects the address %j for the property host_url', async (address) => {
    const refusal = await refusalOf(create({ host_url: address, secret: 'a-secret' }));
    expect([refusal.status, refusal.code]).toEqual([422, 'validation-failed']);
    expect(Object.keys(refusal.errors)).toEqual(['properties.host_url']);
  });

  test.each(['https://trusted.example.com', { a: 1 }, null])(
    'rejects the displayed address %j, which differs from the address in use',
    async (shown) => {
      const properties = { host_url: 'https://meet.example.com/', secret: 'a-secret', host_url_as_given: shown };
      const { provider } = await createTestProvider({ host_url: 'https://meet.example.com/' });
      for (const attempt of [create(properties), patch({ service_provider_id: provider.id }, { properties })]) {
        const refusal = await refusalOf(attempt);
        expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['properties.host_url_as_given']]);
      }
    },
  );

  test.each([
    [{}, ['properties.host_url', 'properties.secret']],
    [{ host_url: host }, ['properties.secret']],
    [{ host_url: host, secret: '' }, ['properties.secret']],
    [{ host_url: host, secret: secretMask }, ['properties.secret']],
    [{ host_url: host, secret: ['x'] }, ['properties.secret']],
    [
      { host_url: 'x', secret: null, checksum_algorithm: 'md5' },
      ['properties.host_url', 'properties.checksum_algorithm', 'properties.secret'],
    ],
  ])('rejects the properties %j', async (properties, fields) => {
    const refusal = await refusalOf(create(properties));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, fields]);
  });

  test('of type scalelite gets only requests that a load balancer supports', async () => {
    const { provider } = await createTestProvider({ checksum_algorithm: 'sha1' }, { provider_type: 'scalelite' });
    expect(provider.provider_type).toBe('scalelite');
    const properties = { host_url: host, secret: 'a-secret', checksum_algorithm: 'sha384' };
    const refusal = await refusalOf(create(properties, { provider_type: 'scalelite' }));
    expect(Object.keys(refusal.errors)).toEqual(['properties.checksum_algorithm']);
  });

  test('of an unknown type is rejected', async () => {
    const refusal = await refusalOf(create({ host_url: host, secret: 's' }, { provider_type: 'zoom' }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['provider_type']]);
  });

  test('keeps deprecated and unknown properties', async () => {
    const old = { host_ip: '10.0.0.1', host_port: 80, host_user: 'root', host_key: 'old-secret-key', rack: { row: 2 } };
    const { provider } = await createTestProvider(old);
    expect(provider.properties).toEqual({
      host_url: host,
      secret: secretMask,
      host_ip: '10.0.0.1',
      host_port: '80',
      host_user: 'root',
      host_key: secretMask,
      rack: { row: 2 },
    });
  });

  test('cannot change its type; an alias of the same type is accepted', async () => {
    const { params } = await createTestProvider();
    expect((await patch(params, { provider_type: 'bbb', service_type: 'meet' })).data.provider_type).toBe(
      'bigbluebutton',
    );
    const refusal = await refusalOf(patch(params, { provider_type: 'scalelite' }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['provider_type']]);
  });

  test('that does not exist is a 404', async () => {
    const params = { service_provider_id: 'prov_01jd0000000000000000000000' };
    const calls = [
      api.admin.readServiceProvider({ params }),
      patch(params, { active: false }),
      api.admin.deleteServiceProvider({ params }),
      api.admin.checkServiceProvider({ params }),
    ];
    for (const refusal of await Promise.all(calls.map(refusalOf))) expect(refusal.status).toBe(404);
  });
});

describe('a secret', () => {
  test('appears in no answer, list, event, audit entry, log or table', async () => {
    const secrets = ['kiwi-secret-1', 'kiwi-key-1', 'kiwi-secret-2'];
    const answers: unknown[] = [];
    const { data } = await create({ host_url: host, secret: secrets[0], host_key: secrets[1] });
    const params = { service_provider_id: data.id };
    answers.push(data, await patch(params, { properties: { secret: secrets[2] } }));
    answers.push(await api.admin.readServiceProvider({ params }));
    answers.push(await api.admin.listServiceProviders({ query: { limit: 0 } }));
    answers.push(await api.admin.checkServiceProvider({ params }));
    answers.push(await refusalOf(patch(params, { properties: { secret: secrets[0], host_url: 'x' } })));
    answers.push(await readEventsAndAudit(data), await readRow(data));
    expect(JSON.stringify(answers)).not.toContain('kiwi');
    expect(api.log()).not.toContain('kiwi');
    const stored = (await readRow(data)).properties;
    expect(stored['secret']).not.toBe(secretMask);
    const key = String(stored['secret']);
    expect(await api.app.dependencies.secretBox.open(key, `service_providers:${data.uuid}:secret`)).toBe(secrets[2]);
  });

  test('is bound to its row: moved to another provider it cannot be decrypted', async () => {
    const { provider } = await createTestProvider();
    const other = await createTestProvider();
    const sealed = String((await readRow(provider)).properties['secret']);
    const opened = api.app.dependencies.secretBox.open(sealed, `service_providers:${other.provider.uuid}:secret`);
    await expect(opened).rejects.toThrow();
  });

  test('is kept when the mask is sent or the member is missing', async () => {
    const { provider, params } = await createTestProvider({ host_url: sandbox.url, secret: sandbox.secret });
    const before = (await readRow(provider)).properties;
    await patch(params, { properties: provider.properties });
    expect((await readRow(provider)).properties).toEqual(before);
    await patch(params, { properties: { checksum_algorithm: 'sha1' } });
    expect((await readRow(provider)).properties).toEqual({ ...before, checksum_algorithm: 'sha1' });
    expect((await api.admin.checkServiceProvider({ params })).data.secret_accepted).toBe(true);
  });

  test('can be cleared only if it is optional', async () => {
    const { params } = await createTestProvider({ host_key: 'old' });
    const refusal = await refusalOf(patch(params, { properties: { secret: null } }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['properties.secret']]);
    const { data } = await patch(params, { properties: { host_key: null } });
    expect(data.properties).toEqual({ host_url: host, secret: secretMask });
  });

  test('that changes is recorded as changed, without its value', async () => {
    const { provider, params } = await createTestProvider();
    await patch(params, { properties: { secret: 'another' }, provider_name: 'Same day' });
    await patch(params, { properties: { secret: secretMask }, provider_name: 'Next day' });
    const { audit } = await readEventsAndAudit(provider);
    expect(audit.slice(1).map(({ new_values }) => new_values)).toEqual([
      { provider_name: 'Same day', secrets_changed: ['secret'] },
      { provider_name: 'Next day' },
    ]);
  });
});

describe('a provider in use', () => {
  test('cannot be deactivated while it is the default of a package or a subscription', async () => {
    const { provider, params } = await createTestProvider();
    const servicePackage = await makePackage(api, { provider: provider.id });
    const refusal = await refusalOf(patch(params, { active: false }));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-is-default']);
    expect((await api.admin.readServiceProvider({ params })).data.active).toBe(true);
    const other = await makeProvider(api);
    await api.admin.createServicePackageProvider({
      params: { service_package_id: servicePackage.id },
      body: { service_provider_id: other.id, default: true },
    });
    expect((await patch(params, { active: false })).data.active).toBe(false);
  });

  test('cannot be deactivated while only a subscription has it as the default', async () => {
    const { provider, params } = await createTestProvider();
    const { servicePackage } = await makeAccount(api, { provider: provider.id });
    const other = await makeProvider(api);
    await api.admin.createServicePackageProvider({
      params: { service_package_id: servicePackage.id },
      body: { service_provider_id: other.id, default: true },
    });
    const refusal = await refusalOf(patch(params, { active: false }));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-is-default']);
  });

  test('cannot be deleted while a package or a subscription has it', async () => {
    const { provider, params } = await createTestProvider();
    const servicePackage = await makePackage(api, { provider: provider.id });
    const refusal = await refusalOf(api.admin.deleteServiceProvider({ params }));
    expect([refusal.status, refusal.code]).toEqual([409, 'provider-in-use']);
    await api.admin.deleteServicePackage({ params: { service_package_id: servicePackage.id } });
    await api.admin.deleteServiceProvider({ params });
  });

  test('is either attached or deleted by concurrent requests, never both', async () => {
    for (let round = 0; round < 5; round++) {
      const { provider, params } = await createTestProvider();
      const { data: servicePackage } = await api.admin.createServicePackage({ body: { name: 'Race' } });
      const packageParams = { service_package_id: servicePackage.id };
      const [deleted, attached] = await Promise.allSettled([
        api.admin.deleteServiceProvider({ params }),
        api.admin.createServicePackageProvider({ params: packageParams, body: { service_provider_id: provider.id } }),
      ]);
      expect([deleted.status, attached.status].toSorted()).toEqual(['fulfilled', 'rejected']);
      const refused =
        deleted.status === 'rejected' ? deleted.reason : attached.status === 'rejected' && attached.reason;
      expect([409, 422]).toContain((refused as { status: number }).status);
    }
  });
});

describe('a custom certificate authority', () => {
  test('is stored and used from the next request on, and a server that is not trusted gets no request', async () => {
    const authority = await makeAuthority('Ours');
    const answer = respondXml(successXml('<version>2.0</version><running>false</running>'));
    const server = await startTlsServer(await authority.issue(), answer);
    const { provider, params } = await createTestProvider({ host_url: server.url });
    const check = async () => (await api.admin.checkServiceProvider({ params })).data;
    expect(await check()).toMatchObject({ reachable: false, problem: expect.stringContaining('not trusted') });
    expect(server.requests).toEqual([]);
    const { data } = await patch(params, { properties: { ca_certificate: `\n${authority.pem}  ` } });
    expect(data.properties['ca_certificate']).toBe(authority.pem.trim().concat('\n'));
    expect(await check()).toMatchObject({ reachable: true, secret_accepted: true, problem: null });
    await patch(params, { properties: { ca_certificate: null } });
    expect((await check()).reachable).toBe(false);
    expect((await readRow(provider)).properties).not.toHaveProperty('ca_certificate');
  });

  test.each([['a word'], [7], [{ pem: 'x' }], ['-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----']])(
    'that is %j is rejected',
    async (certificate) => {
      const { params } = await createTestProvider();
      const refusal = await refusalOf(patch(params, { properties: { ca_certificate: certificate } }));
      expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['properties.ca_certificate']]);
    },
  );

  test('with a private key is rejected, and the key appears nowhere', async () => {
    const { cert, key } = await (await makeAuthority('Ours')).issue();
    const { params } = await createTestProvider();
    const refusal = await refusalOf(patch(params, { properties: { ca_certificate: cert + key } }));
    expect(refusal.status).toBe(422);
    const line = key.split('\n')[1] ?? '';
    expect(JSON.stringify([refusal.message, refusal.errors]) + api.log()).not.toContain(line);
  });
});

describe('a check', () => {
  test('reports a server that answers and accepts the secret', async () => {
    const { provider, params } = await createTestProvider({ host_url: sandbox.url, secret: sandbox.secret });
    const { data } = await api.admin.checkServiceProvider({ params });
    expect(data).toMatchObject({
      object: 'ServiceProviderCheck',
      service_provider_id: provider.id,
      reachable: true,
      secret_accepted: true,
      problem: null,
    });
    expect(data.api_version).toMatch(/^\d/);
    expect(data.latency_ms).toBeGreaterThanOrEqual(0);
  });

  test('reports a rejected secret', async () => {
    const { params } = await createTestProvider({ host_url: sandbox.url, secret: 'kumquat-secret' });
    const { data } = await api.admin.checkServiceProvider({ params });
    expect(data).toMatchObject({ reachable: true, secret_accepted: false, problem: expect.any(String) });
    expect(JSON.stringify(data)).not.toContain('kumquat');
  });

  test('reports a server that does not listen', async () => {
    const stoppedSandbox = await openSandbox();
    await stoppedSandbox.close();
    const { params } = await createTestProvider({ host_url: stoppedSandbox.url, secret: stoppedSandbox.secret });
    const { data } = await api.admin.checkServiceProvider({ params });
    expect(data).toMatchObject({ reachable: false, secret_accepted: null, problem: expect.any(String) });
  });

  test('reports a server with an invalid or late answer', async () => {
    const separateSandbox = await openSandbox();
    onTestFinished(() => separateSandbox.close());
    const { params } = await createTestProvider({ host_url: separateSandbox.url, secret: separateSandbox.secret });
    separateSandbox.control.injectFault({ kind: 'html-page', times: null });
    expect((await api.admin.checkServiceProvider({ params })).data).toMatchObject({ problem: expect.any(String) });
    separateSandbox.control.clearFaults();
    separateSandbox.control.injectFault({ kind: 'hang', times: null });
    await api.admin.updateSettings({ body: { provider_timeout_ms: 200 } });
    onTestFinished(async () => void (await api.admin.updateSettings({ body: { provider_timeout_ms: 5000 } })));
    expect((await api.admin.checkServiceProvider({ params })).data).toMatchObject({ secret_accepted: null });
  });

  test('uses changed credentials and addresses from the next check on, also in other processes', async () => {
    const { params } = await createTestProvider({ host_url: sandbox.url, secret: 'mistyped' });
    const other = await api.another();
    onTestFinished(() => other.close());
    const findings = async () => {
      const checks = [api, other].map(({ admin }) => admin.checkServiceProvider({ params }));
      return (await Promise.all(checks)).map(({ data }) => (data.reachable ? data.secret_accepted : 'unreachable'));
    };
    expect(await findings()).toEqual([false, false]);
    for (const [properties, expected] of [
      [{ secret: sandbox.secret }, true],
      [{ secret: secretMask }, true],
      [{ host_url: 'http://127.0.0.1:9' }, 'unreachable'],
      [{ host_url: sandbox.url }, true],
      [{ secret: 'mistyped again' }, false],
    ] as const) {
      await patch(params, { properties });
      expect([properties, await findings()]).toEqual([properties, [expected, expected]]);
    }
  });
});
