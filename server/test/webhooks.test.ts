import { afterAll, beforeAll, expect, test } from 'vitest';
import { encryptedColumns } from '../src/modules.ts';
import { makeHolder } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf, unique } from './factories.ts';

const url = 'https://192.0.1.1/hook';
const password = 'a password of a webhook manager';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function createManager(customer: { id: string }, permissions: string[]) {
  const email = `${unique('manager')}@example.com`;
  await api.admin.createCustomerUser({
    params: { customer_id: customer.id },
    body: { email, first_name: 'Mary', last_name: 'Somerville', password, permissions: permissions as never },
  });
  const { access_token: token } = await api.anyone.loginUser({ body: { username: email, password } });
  return api.clientWith(token);
}

test('the secret is shown only when it is created or rotated, never in a list, event, audit entry or log', async () => {
  const { data: created } = await api.admin.createWebhook({ body: { url, events: ['room.created'] } });
  expect(created).toMatchObject({
    object: 'Webhook',
    url,
    events: ['room.created'],
    active: true,
    state: 'active',
    customer_id: null,
  });
  const params = { webhook_id: created.id };
  const { data: rotated } = await api.admin.rotateWebhookSecret({ params, body: {} });
  const secrets = [created.secret ?? '', rotated.secret ?? ''];
  expect(new Set(secrets).size).toBe(2);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{32,}=*$/);
    const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64').length;
    expect(bytes >= 24 && bytes <= 64).toBe(true);
  }
  const read = await Promise.all([
    api.admin.readWebhook({ params }),
    api.admin.listWebhooks({ query: { limit: 0 } }),
    api.admin.updateWebhook({ params, body: { description: 'Billing' } }),
    api.admin.listEvents({ query: { limit: 0 } }),
    api.admin.listAuditEntries({ query: { limit: 0 } }),
  ]);
  const { rows } = await api.app.connection.pool.query('select * from webhooks');
  const texts = [...read, rows, api.log()].map((source) => JSON.stringify(source));
  for (const secret of secrets.map((secret) => secret.slice('whsec_'.length)))
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  expect(read[0].data.secret).toBeNull();
  expect(encryptedColumns.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['webhooks.secret_sealed', 'webhooks.former_secrets']),
  );
});

test('unknown names of events are rejected with their position, and at least one event is required', async () => {
  const wrong = await refusalOf(
    api.admin.createWebhook({ body: { url, events: ['room.*', 'room.exploded', 'rooms.*'] } }),
  );
  expect([wrong.status, Object.keys(wrong.errors)]).toEqual([422, ['events.1', 'events.2']]);
  const none = await refusalOf(api.admin.createWebhook({ body: { url, events: [] } }));
  expect([none.status, Object.keys(none.errors)]).toEqual([422, ['events']]);
  const missing = await refusalOf(api.admin.createWebhook({ body: {} as never }));
  expect(Object.keys(missing.errors).toSorted()).toEqual(['events', 'url']);
});

const privateUrls = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://１２７.0.0.1/',
  'https://①②⑦.0.0.1/',
  'https://127。0。0。1/',
  'https:127.0.0.1',
  'https://0/',
  'https://0x7f.1/',
  'https://127.0.0.1./',
  'https://localhost%2e/',
  'https://LOCALHOST/',
  'https://localhost/',
  'https://localhost./',
  'https://foyer.localhost:8443/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://Printer.LOCAL/',
  'https://router.home.arpa/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.5.4/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://168.63.129.16/machine/',
  'https://198.18.0.1/',
  'https://203.0.113.9/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
  'https://[::]/',
  'https://[::1]/',
  'https://[::127.0.0.1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[2002:7f00:1::]/',
  'https://[64:ff9b::127.0.0.1]/',
  'https://[64:ff9b:1::1]/',
  'https://[64:ff9b::a00:1]/',
  'https://[2001:0:7f00:1::]/',
  'https://[::ffff:0:127.0.0.1]/',
  'https://[100::1]/',
  'https://[fe80::1]/',
  'https://[fec0::1]/',
  'https://[fd00::1]/',
  'https://[ff02::1]/',
  'https://[2001:db8::1]/',
];

test('no spelling of a private address is accepted, on creation and on change', async () => {
  const { data: webhook } = await api.admin.createWebhook({ body: { url, events: ['*'] } });
  const params = { webhook_id: webhook.id };
  for (const privateUrl of privateUrls) {
    const onCreation = await refusalOf(api.admin.createWebhook({ body: { url: privateUrl, events: ['*'] } }));
    const onChange = await refusalOf(api.admin.updateWebhook({ params, body: { url: privateUrl } }));
    for (const { status, errors } of [onCreation, onChange])
      expect([privateUrl, status, Object.keys(errors)]).toEqual([privateUrl, 422, ['url']]);
  }
});

test('addresses without TLS, with a user name or of another protocol are rejected, and public ones are accepted', async () => {
  for (const invalidUrl of [
    'http://192.0.1.1/',
    'https://user:word@192.0.1.1/',
    'https://user@192.0.1.1/',
    'ftp://192.0.1.1/',
    'no address',
  ]) {
    const { status, errors } = await refusalOf(api.admin.createWebhook({ body: { url: invalidUrl, events: ['*'] } }));
    expect([invalidUrl, status, Object.keys(errors)]).toEqual([invalidUrl, 422, ['url']]);
  }
  // The refusal names the setting that allows such an address.
  for (const local of ['http://127.0.0.1:8123/', 'https://10.0.0.1/']) {
    const { errors } = await refusalOf(api.admin.createWebhook({ body: { url: local, events: ['*'] } }));
    expect(errors['url']?.[0]).toContain('webhooks_allow_private_addresses');
  }
  for (const validUrl of [
    url,
    'https://[2606:4700::1111]/',
    'https://[64:ff9b::192.0.1.1]/',
    'https://receiver.invalid/hook',
  ])
    expect((await api.admin.createWebhook({ body: { url: validUrl, events: ['*'] } })).data.url).toBe(validUrl);
});

test('only administrators with full access can allow private addresses; http is then only accepted for loopback', async () => {
  const holder = await makeHolder(api, ['read-settings', 'update-settings']);
  const refused = holder.updateSettings({ body: { webhooks_allow_private_addresses: true } });
  expect(await refusalOf(refused)).toMatchObject({ status: 403, code: 'privilege-escalation' });
  await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
  try {
    for (const validUrl of ['http://127.0.0.1:8123/', 'http://localhost/', 'http://[::1]:1/', 'https://10.0.0.1/'])
      await api.admin.createWebhook({ body: { url: validUrl, events: ['*'] } });
    for (const invalidUrl of ['http://10.0.0.1/', 'http://192.0.1.1/', 'http://example.com/'])
      expect(
        (await refusalOf(api.admin.createWebhook({ body: { url: invalidUrl, events: ['*'] } }))).errors,
      ).toHaveProperty('url');
  } finally {
    await api.admin.updateSettings({ body: { webhooks_allow_private_addresses: false } });
  }
});

test('users can create webhooks for customers on which they have manage-webhooks, and for customers below them', async () => {
  const reseller = await makeCustomer(api, { is_reseller: true });
  const childCustomer = await makeCustomer(api, { parent_customer_id: reseller.id });
  const other = await makeCustomer(api);
  const manager = await createManager(reseller, ['read-customer', 'manage-webhooks']);
  const created = [];
  for (const customer of [reseller, childCustomer]) {
    const { data } = await manager.createWebhook({ body: { url, events: ['room.*'], customer_id: customer.id } });
    expect(data.customer_id).toBe(customer.id);
    created.push(data.id);
  }
  const { data: platform } = await api.admin.createWebhook({ body: { url, events: ['*'] } });
  const { data: foreign } = await api.admin.createWebhook({ body: { url, events: ['*'], customer_id: other.id } });
  expect((await manager.listWebhooks()).data.map(({ id }) => id).toSorted()).toEqual(created.toSorted());
  for (const { id } of [platform, foreign]) {
    const params = { webhook_id: id };
    for (const call of [
      () => manager.readWebhook({ params }),
      () => manager.updateWebhook({ params, body: { active: false } }),
      () => manager.deleteWebhook({ params }),
      () => manager.rotateWebhookSecret({ params, body: {} }),
      () => manager.testWebhook({ params, body: { event: 'room.created' } }),
      () => manager.listWebhookDeliveries({ params }),
      () => manager.recoverWebhook({ params, body: { since: '2026-01-01' } }),
    ])
      expect((await refusalOf(call())).status).toBe(404);
  }
  for (const customer_id of [undefined, null, other.id]) {
    const refusal = await refusalOf(manager.createWebhook({ body: { url, events: ['*'], customer_id } as never }));
    expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['customer_id']]);
  }
  const [webhookId = ''] = created;
  await manager.updateWebhook({ params: { webhook_id: webhookId }, body: { description: 'Ours' } });
  await manager.deleteWebhook({ params: { webhook_id: webhookId } });
});

test('other rights on the customer do not allow access to its webhooks', async () => {
  const customer = await makeCustomer(api);
  const { data: webhook } = await api.admin.createWebhook({ body: { url, events: ['*'], customer_id: customer.id } });
  const reader = await createManager(customer, ['read-customer', 'update-customer', 'manage-customer-users']);
  const params = { webhook_id: webhook.id };
  for (const call of [
    () => reader.readWebhook({ params }),
    () => reader.updateWebhook({ params, body: { active: false } }),
    () => reader.createWebhook({ body: { url, events: ['*'], customer_id: customer.id } }),
    () => reader.recoverWebhook({ params, body: { since: '2026-01-01' } }),
    () => reader.rotateWebhookSecret({ params, body: {} }),
    () => reader.testWebhook({ params, body: { event: 'room.created' } }),
  ])
    expect(await refusalOf(call())).toMatchObject({ status: 403, code: 'forbidden' });
  expect((await reader.listWebhooks()).data).toEqual([]);
});

test('the customer of a webhook never changes, and webhooks are deleted with their customer', async () => {
  const customer = await makeCustomer(api);
  const params = { customer_id: customer.id };
  const { data: webhook } = await api.admin.createWebhook({ body: { url, events: ['*'], customer_id: customer.id } });
  const change = api.admin.updateWebhook({ params: { webhook_id: webhook.id }, body: { customer_id: null } as never });
  expect((await refusalOf(change)).errors).toHaveProperty('customer_id');
  await api.admin.updateCustomer({ params, body: { status: 'terminated' } });
  await api.admin.deleteCustomer({ params });
  expect((await refusalOf(api.admin.readWebhook({ params: { webhook_id: webhook.id } }))).status).toBe(404);
  const { data: events } = await api.admin.listEvents({ query: { search: `resource_id:${webhook.id}`, limit: 0 } });
  expect(events.map(({ name }) => name).toSorted()).toEqual(['webhook.created', 'webhook.deleted']);
});

test('a disabled webhook shows the reason, and can be enabled again', async () => {
  const { data: webhook } = await api.admin.createWebhook({ body: { url, events: ['*'], active: false } });
  expect(webhook).toMatchObject({ active: false, state: 'disabled', disabled_reason: 'Disabled by a request.' });
  const params = { webhook_id: webhook.id };
  const recover = api.admin.recoverWebhook({ params, body: { since: '2026-01-01' } });
  expect(await refusalOf(recover)).toMatchObject({ status: 409, code: 'webhook-disabled' });
  const { data: enabled } = await api.admin.updateWebhook({ params, body: { active: true } });
  expect(enabled).toMatchObject({ active: true, state: 'active', disabled_at: null, disabled_reason: null });
  const { data: off } = await api.admin.updateWebhook({ params, body: { active: false } });
  expect(off).toMatchObject({ state: 'disabled', disabled_at: expect.any(String) });
  const disabledWebhooks = await api.admin.listWebhooks({
    query: { search: `state:disabled;id:${webhook.id}`, searchJoin: 'and' },
  });
  expect(disabledWebhooks.data.map(({ id }) => id)).toEqual([webhook.id]);
});

test('a delivery that does not exist is a 404', async () => {
  const { data: webhook } = await api.admin.createWebhook({ body: { url, events: ['*'] } });
  const params = { webhook_id: webhook.id, delivery_id: webhook.uuid };
  expect((await refusalOf(api.admin.resendWebhookDelivery({ params }))).status).toBe(404);
  expect((await refusalOf(api.admin.readWebhookDelivery({ params }))).status).toBe(404);
});
