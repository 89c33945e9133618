import type { Client } from '@foyer/sdk';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeHolder } from './administrators.ts';
import { startApi, type TestApi } from './api.ts';
import { makeCustomer, refusalOf, unique } from './factories.ts';

const [chosenPassword, initialPassword] = ['a password that they chose', 'the password that was given'];

let api: TestApi;

beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

async function signIn(username: string, password: string): Promise<Client> {
  return api.clientWith((await api.anyone.loginUser({ body: { username, password } })).access_token);
}

/** Creates a user as a member of a customer, who therefore knows the password. */
async function createUserAsMember() {
  const customer = await makeCustomer(api, { password: chosenPassword });
  const owner = await signIn(customer.email, chosenPassword);
  const email = `${unique('ceo')}@victim.example`;
  const { data } = await owner.createCustomerUser({
    params: { customer_id: customer.id },
    body: { email, first_name: 'C', last_name: 'EO', password: chosenPassword, permissions: ['read-customer'] },
  });
  return { email, userId: data.user_id, memberClient: await signIn(email, chosenPassword) };
}

test('a user created by another customer gets a new password before owning a new customer', async () => {
  const { email, memberClient } = await createUserAsMember();
  const { data: personal } = await memberClient.createPersonalAccessToken({ body: { name: 'Kept', scopes: ['*'] } });
  expect((await refusalOf(makeCustomer(api, { email, password: undefined }))).errors).toHaveProperty('password');
  const customer = await makeCustomer(api, { email, password: initialPassword });
  expect((await refusalOf(signIn(email, chosenPassword))).status).toBe(422);
  for (const client of [memberClient, api.clientWith(personal.token ?? '')])
    expect((await refusalOf(client.readCustomer({ params: { customer_id: customer.id } }))).status).toBe(401);
  const real = await signIn(email, initialPassword);
  expect((await real.readCustomer({ params: { customer_id: customer.id } })).data.email).toBe(email);
});

test('a user created by another customer cannot be added to a customer by id, but must be invited', async () => {
  const { userId } = await createUserAsMember();
  const other = await makeCustomer(api);
  const refusal = await refusalOf(
    api.admin.createCustomerUser({ params: { customer_id: other.id }, body: { user_id: userId, owner: true } }),
  );
  expect(refusal).toMatchObject({
    status: 422,
    errors: { user_id: [expect.stringContaining('Send an invitation instead')] },
  });
});

test('a user that an administrator created keeps the password when becoming the owner of a new customer', async () => {
  const email = `${unique('known')}@example.com`;
  await api.admin.createUser({ body: { email, first_name: 'A', last_name: 'B', password: chosenPassword } });
  const customer = await makeCustomer(api, { email, password: undefined });
  const owner = await signIn(email, chosenPassword);
  expect((await owner.readCustomer({ params: { customer_id: customer.id } })).data.id).toBe(customer.id);
});

test('stored answers are not replayed to a token with fewer scopes of the same person', async () => {
  const headers = { 'idempotency-key': unique('key') };
  const body = { name: 'Shown once', scopes: ['*'] };
  expect((await api.admin.request('createPersonalAccessToken', { headers, body })).status).toBe(201);
  const { data: narrow } = await api.admin.createPersonalAccessToken({ body: { name: 'n', scopes: ['rooms:read'] } });
  const second = await api.clientWith(narrow.token ?? '').request('createPersonalAccessToken', { headers, body });
  expect(second).toMatchObject({ status: 422, body: { code: 'idempotency-key-reused' } });
  expect(JSON.stringify(second.body)).not.toContain('fpt_');
});

test('the stored fingerprint of a request does not reveal a password in it', async () => {
  const body = { username: unique('adm'), email: `${unique('adm')}@example.com`, first_name: 'A', last_name: 'B' };
  const headers = { 'idempotency-key': unique('key') };
  const request = { ...body, password: 'hunter2 hunter2' };
  expect((await api.admin.request('createAdmin', { headers, body: request })).status).toBe(201);
  const { rows } = await api.app.connection.pool.query<{ fingerprint: string }>(
    'select fingerprint from idempotency_keys where key = $1',
    [headers['idempotency-key']],
  );
  const digest = await crypto.subtle.digest(
    'SHA-256',
    new TextEncoder().encode(JSON.stringify(['POST', '/api/v1/admins', request])),
  );
  expect(rows).toHaveLength(1);
  expect(rows[0]?.fingerprint).not.toBe(Buffer.from(digest).toString('base64url'));
});

test('only administrators with full access change security settings; the permission to change settings covers all other settings', async () => {
  const holder = await makeHolder(api, ['read-settings', 'update-settings']);
  for (const body of [
    { public_url: 'https://evil.example' },
    { require_two_factor: true },
    { logins_per_minute: 1_000_000 },
    { refresh_token_seconds: 31_536_000 },
  ])
    expect(await refusalOf(holder.updateSettings({ body }))).toMatchObject({
      status: 403,
      code: 'privilege-escalation',
      message: expect.stringContaining(Object.keys(body)[0] ?? ''),
    });
  const { data } = await holder.updateSettings({ body: { platform_name: 'Ours', require_two_factor: false } });
  expect(data).toMatchObject({ platform_name: 'Ours', public_url: null });
});

test('a token with limited scopes can only end itself', async () => {
  const customer = await makeCustomer(api, { password: chosenPassword });
  const owner = await signIn(customer.email, chosenPassword);
  const { data: personal } = await owner.createPersonalAccessToken({ body: { name: 'n', scopes: ['rooms:read'] } });
  const narrow = api.clientWith(personal.token ?? '');
  const { data: families } = await owner.listOauthTokens();
  const session = families.find(({ kind }) => kind === 'session');
  expect((await refusalOf(narrow.deleteOtherOauthTokens())).status).toBe(403);
  expect((await refusalOf(narrow.deleteOauthToken({ params: { token_id: session?.id ?? '' } }))).status).toBe(403);
  expect((await owner.listOauthTokens()).data).toHaveLength(2);
  const ownToken = families.find(({ kind }) => kind === 'personal');
  await narrow.deleteOauthToken({ params: { token_id: ownToken?.id ?? '' } });
  expect((await refusalOf(narrow.listOauthTokens())).status).toBe(401);
});

test('an unsupported method is rejected without an internal error', async () => {
  const { hostname, port } = new URL(api.url);
  for (const path of ['/healthz', '/api/v1/rooms', '/nothing']) {
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(`QUERY ${path} HTTP/1.1\r\nHost: ${hostname}\r\nConnection: close\r\n\r\n`),
      );
      let text = '';
      socket
        .on('data', (chunk) => (text += String(chunk)))
        .on('end', () => resolve(text))
        .on('error', reject);
    });
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
  }
});
