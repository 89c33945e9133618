import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makePackage, makeProvider, makeRoom, refusalOf } from './factories.ts';

let api: TestApi;
beforeAll(async () => {
  api = await startApi();
});
afterAll(() => api.close());

test('a resource is found by its id, its uuid and its ulid, in path, body and search', async () => {
  const provider = await makeProvider(api);
  const servicePackage = await makePackage(api, { features: {} });
  for (const form of [provider.id, provider.uuid, provider.ulid, provider.id.toUpperCase()]) {
    const read = await api.admin.readServiceProvider({ params: { service_provider_id: form } });
    expect(read.data.uuid).toBe(provider.uuid);
    const matching = await api.admin.listServiceProviders({ query: { search: `id:${form}` } });
    expect(matching.data.map(({ id }) => id)).toEqual([provider.id]);
  }
  const attached = await api.admin.createServicePackageProvider({
    params: { service_package_id: servicePackage.ulid },
    body: { service_provider_id: provider.uuid },
  });
  expect(attached.data.service_provider_id).toBe(provider.id);
});

test('a malformed id or an id of another type is 404 in a path, 422 in a body, and matches nothing in a search', async () => {
  const provider = await makeProvider(api);
  const idOfWrongType = provider.id.replace('prov_', 'room_');
  for (const id of [idOfWrongType, 'nonsense', '0', `${provider.id}x`]) {
    expect((await refusalOf(api.admin.readServiceProvider({ params: { service_provider_id: id } }))).status).toBe(404);
    const refusal = await refusalOf(api.admin.createSubscription({ body: { package_id: id, subscriber_id: id } }));
    expect(refusal.status).toBe(422);
    expect(Object.keys(refusal.errors)).toEqual(['package_id', 'subscriber_id']);
  }
  const none = await api.admin.listServiceProviders({ query: { search: `id:${idOfWrongType}` } });
  expect(none.data).toEqual([]);
});

test('timestamps have six decimal places, and dates are midnight in UTC', async () => {
  const { subscription } = await makeRoom(api);
  const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{6}Z$/;
  expect(subscription.created_at).toMatch(instant);
  expect(subscription.starts_at).toMatch(/T00:00:00\.000000Z$/);
});

test('readable times follow the locale of the caller', async () => {
  const { data: me } = await api.admin.readCallingAdmin();
  const { data: servicePackage } = await api.admin.createServicePackage({ body: { name: 'Aging' } });
  const params = { service_package_id: servicePackage.id };
  const admins = api.app.dependencies.db.updateTable('admins').where('id', '=', me.uuid);
  api.clock.advance({ hours: 3 });
  expect((await api.admin.readServicePackage({ params })).data.readable_created_at).toBe('3 hours ago');
  await admins.set({ locale: 'pt-BR' }).execute();
  const portuguese = api.clientWith((await loginAgain()).access_token);
  expect((await portuguese.readServicePackage({ params })).data.readable_created_at).toBe('há 3 horas');
  await admins.set({ locale: 'en' }).execute();
});

async function loginAgain() {
  return await api.anyone.loginAdmin({ body: { username: 'root', password: 'a long enough password' } });
}

test('all errors of a body are reported together, and nothing is stored', async () => {
  const before = await api.admin.listCustomers();
  const refusal = await refusalOf(
    api.admin.createCustomer({
      body: {
        customer_type: 'club' as 'business',
        first_name: '   ',
        last_name: 7 as unknown as string,
        email: 'nobody',
        country: 'XX',
        currency: 'ABC',
        timezone: 'Mars/Olympus',
        customer_metadata: { a: { b: { c: 1 } } } as never,
      },
    }),
  );
  expect(refusal.status).toBe(422);
  expect(Object.keys(refusal.errors).sort()).toEqual([
    'country',
    'currency',
    'customer_metadata.a',
    'customer_type',
    'email',
    'first_name',
    'last_name',
    'timezone',
  ]);
  expect(refusal.message).toMatch(/\(and 7 more errors\)$/);
  expect((await api.admin.listCustomers()).meta.pagination?.total).toBe(before.meta.pagination?.total);
});

test('text is trimmed, blank text is null, unknown members are ignored', async () => {
  const { data } = await api.admin.createServicePackage({
    body: { name: '  Trimmed  ', description: '   ', surprise: true } as never,
  });
  expect(data.name).toBe('Trimmed');
  expect(data.description).toBeNull();
  expect(data).not.toHaveProperty('surprise');
});

test('a change keeps members that it does not name, and null clears only nullable members', async () => {
  const servicePackage = await api.admin.createServicePackage({
    body: { name: 'Kept', description: 'Words', tier: 3, price: 12.5 },
  });
  const params = { service_package_id: servicePackage.data.id };
  const changed = await api.admin.updateServicePackage({ params, body: { description: null } });
  expect(changed.data).toMatchObject({ name: 'Kept', description: null, tier: 3, price: 12.5 });
  const refusal = await refusalOf(api.admin.updateServicePackage({ params, body: { name: null } as never }));
  expect(refusal.errors).toEqual({ name: ['The name field cannot be null.'] });
});

test('an immutable member is rejected only when it differs', async () => {
  const servicePackage = await api.admin.createServicePackage({ body: { name: 'Fixed' } });
  const params = { service_package_id: servicePackage.data.id };
  const same = await api.admin.updateServicePackage({ params, body: { service_type: 'meet', name: 'Free' } as never });
  expect(same.data.name).toBe('Free');
  const { room } = await makeRoom(api);
  const refusal = await refusalOf(
    api.admin.updateRoom({
      params: { room_id: room.id },
      body: { room_type: 'live', url: 'https://elsewhere.example' } as never,
    }),
  );
  expect(Object.keys(refusal.errors).sort()).toEqual(['room_type', 'url']);
  const nothing = { room_type: null, account_id: '' } as never;
  const emptied = await refusalOf(api.admin.updateRoom({ params: { room_id: room.id }, body: nothing }));
  expect(Object.keys(emptied.errors).sort()).toEqual(['account_id', 'room_type']);
  const unchanged = await api.admin.updateRoom({
    params: { room_id: room.id },
    body: { room_type: 'meet', url: room.url, account_id: room.account_id } as never,
  });
  expect(unchanged.data.id).toBe(room.id);
});

test('identifiers can be written back in any form, but not changed', async () => {
  const { room, account } = await makeRoom(api);
  const params = { room_id: room.id };
  const forms: object[] = [{ id: room.id, uuid: room.uuid, ulid: room.ulid }, { id: room.uuid }, { ulid: room.id }];
  for (const body of forms) expect((await api.admin.updateRoom({ params, body })).data.id).toBe(room.id);
  const body = { id: account.id, uuid: account.uuid, ulid: 7, room_name: 'Another' };
  const refusal = await refusalOf(api.admin.updateRoom({ params, body }));
  expect([refusal.status, Object.keys(refusal.errors)]).toEqual([422, ['id', 'uuid', 'ulid']]);
  expect((await api.admin.readRoom({ params })).data.room_name).toBe(room.room_name);
  const { data: me } = await api.admin.readCallingAdmin();
  expect((await refusalOf(api.admin.updateCallingAdmin({ body: { id: room.id } as never }))).status).toBe(422);
  expect((await api.admin.updateCallingAdmin({ body: { id: me.id, uuid: me.uuid } as never })).data.id).toBe(me.id);
});

test('metadata is replaced as a whole, accepts [] as empty, and is limited in size', async () => {
  const { room } = await makeRoom(api, {
    room: { room_metadata: { one: 1, list: [1, 'two', null], map: { deep: true } } },
  });
  const params = { room_id: room.id };
  expect(room.room_metadata).toEqual({ one: 1, list: [1, 'two', null], map: { deep: true } });
  const replaced = await api.admin.updateRoom({ params, body: { room_metadata: { two: 2 } } });
  expect(replaced.data.room_metadata).toEqual({ two: 2 });
  const emptied = await api.admin.updateRoom({ params, body: { room_metadata: [] as never } });
  expect(emptied.data.room_metadata).toEqual({});
  const tooMany = Object.fromEntries(Array.from({ length: 257 }, (_, index) => [`key${index}`, index]));
  for (const wrong of [
    tooMany,
    { ['k'.repeat(65)]: 1 },
    { big: 'x'.repeat(70_000) },
    { nul: '\u0000' },
    { half: '\ud800' },
    'text',
    [1],
  ]) {
    expect((await refusalOf(api.admin.updateRoom({ params, body: { room_metadata: wrong as never } }))).status).toBe(
      422,
    );
  }
});

test('an answer has an envelope with the relationships that it can include', async () => {
  const { room } = await makeRoom(api);
  const answer = await api.admin.readRoom({ params: { room_id: room.id } });
  expect(Object.keys(answer)).toEqual(['data', 'meta']);
  expect(answer.meta).toEqual({
    include: [
      'tokens',
      'access_codes',
      'customer',
      'account',
      'subscription',
      'owner',
      'users',
      'recordings',
      'videos',
    ],
    custom: [],
  });
});

test('creating returns 201, reading 200, deleting 204 without a body, and logging out 202', async () => {
  const created = await api.admin.request('createServicePackage', { body: { name: 'Codes' } });
  expect(created.status).toBe(201);
  const params = { service_package_id: (created.body as { data: { id: string } }).data.id };
  expect((await api.admin.request('readServicePackage', { params })).status).toBe(200);
  const deleted = await api.admin.request('deleteServicePackage', { params });
  expect([deleted.status, deleted.body]).toEqual([204, null]);
  expect((await api.admin.request('readServicePackage', { params })).status).toBe(404);
  const other = api.clientWith((await loginAgain()).access_token);
  const logout = await other.request('logout');
  expect(logout.status).toBe(202);
  expect(logout.body).toHaveProperty('message');
});

test('a valid request id is kept, an invalid one is replaced, and every answer has one', async () => {
  const answer = await api.anyone.request('listRooms', { headers: { 'x-request-id': 'trace-1.a_B' } });
  expect(answer.headers.get('x-request-id')).toBe('trace-1.a_B');
  expect(answer.body).toMatchObject({ request_id: 'trace-1.a_B' });
  const replaced = await api.anyone.request('listRooms', { headers: { 'x-request-id': 'two words' } });
  expect(replaced.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(api.log()).toContain('trace-1.a_B');
});

test('errors have one shape: message, errors, code, request id', async () => {
  const cases: [Promise<Response>, number, string][] = [
    [fetch(`${api.url}/api/v1/rooms`), 401, 'unauthenticated'],
    [fetch(`${api.url}/api/v1/nowhere`), 404, 'not-found'],
    [fetch(`${api.url}/nowhere`), 404, 'not-found'],
    [fetch(`${api.url}/api/v1/rooms`, { method: 'PUT' }), 405, 'method-not-allowed'],
    [post('/api/v1/oauth/proxy/login', '{"username":'), 400, 'malformed-json'],
    [post('/api/v1/oauth/proxy/login', 'username=root', 'text/plain'), 415, 'unsupported-media-type'],
    [
      post('/api/v1/oauth/proxy/login', 'username=root', 'application/x-www-form-urlencoded'),
      415,
      'unsupported-media-type',
    ],
    [post('/api/v1/oauth/proxy/login', JSON.stringify({ username: 'x'.repeat(1_100_000) })), 413, 'body-too-large'],
    [post('/api/v1/oauth/proxy/login', '[]'), 422, 'validation-failed'],
  ];
  for (const [answer, status, code] of cases) {
    const response = await answer;
    const body = (await response.json()) as Record<string, unknown>;
    expect([response.status, body['code']]).toEqual([status, code]);
    expect(Object.keys(body)).toEqual(['message', 'errors', 'code', 'request_id']);
    expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  }
  const unauthenticated = await fetch(`${api.url}/api/v1/rooms`);
  expect(unauthenticated.headers.get('www-authenticate')).toBe('Bearer');
  const wrongVerb = await fetch(`${api.url}/api/v1/rooms`, { method: 'DELETE' });
  expect(wrongVerb.headers.get('allow')).toBe('GET, HEAD, POST');
});

function post(path: string, body: string, type = 'application/json'): Promise<Response> {
  return fetch(`${api.url}${path}`, { method: 'POST', body, headers: { 'content-type': type } });
}

test('a filter removes all other members from the data, also in answers to writes, and never affects meta', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  const read = await api.admin.readRoom({ params, query: { filter: 'id, room_name;nonsense' } });
  expect(read.data).toEqual({ id: room.id, room_name: room.room_name });
  expect(read.meta.include).toContain('tokens');
  const written = await api.admin.updateRoom({ params, query: { filter: 'slug' }, body: { slug: 'New Slug' } });
  expect(written.data).toEqual({ slug: 'new-slug' });
  const included = await api.admin.readRoom({ params, query: { filter: 'id', include: 'tokens' } });
  expect(included.data).toEqual({ id: room.id, tokens: { data: [{ id: expect.stringMatching(/^rtok_/) }] } });
  const whole = await api.admin.readRoom({ params, query: { filter: 'id,tokens', include: 'tokens' } });
  expect((whole.data as unknown as { tokens: { data: object[] } }).tokens.data[0]).toHaveProperty('token');
  const nothing = await api.admin.listRooms({ query: { filter: 'nonsense', limit: 1 } });
  expect(nothing.data).toEqual([{}]);
});

test('relationships are included up to four levels deep; unknown ones are ignored and listed', async () => {
  const { room } = await makeRoom(api);
  const answer = await api.admin.readRoom({
    params: { room_id: room.id },
    query: {
      include:
        'account.subscription.package.features,owner,nonsense,account.nonsense,account.rooms.account.rooms.account',
    },
  });
  expect(answer.data).toMatchObject({
    account: { data: { subscription: { data: { package: { data: { features: { data: expect.any(Array) } } } } } } },
    owner: { data: { object: 'User' } },
  });
  expect(answer.meta.custom).toEqual({
    ignored_includes: ['nonsense', 'account.nonsense', 'account.rooms.account.rooms.account'],
  });
});
