import { endpoints, type EndpointName } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { fieldKind } from '@foyer/contract/conventions/resource.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { countStatements } from './count-statements.ts';
import { makeAccount, makeRoom, refusalOf } from './factories.ts';

let api: TestApi;
let account: string;
const names = [
  'Alpha one',
  'Beta 100%',
  'Gamma under_score',
  'alpha TWO',
  'Delta; semi',
  'Epsilon: colon',
  'Zeta 14:00',
];

beforeAll(async () => {
  api = await startApi();
  ({
    account: { id: account },
  } = await makeAccount(api, { features: { max_accounts: '5', max_rooms: 'unlimited', guest_access: 'true' } }));
  for (const [index, name] of names.entries()) {
    api.clock.set(`2026-03-1${index}T0${index}:30:00Z`);
    await api.admin.createRoom({ body: { room_name: name, account_id: account, is_public: index % 2 === 0 } });
  }
  api.clock.set('2026-03-20T00:00:00Z');
});
afterAll(() => api.close());

async function search(query: Record<string, string | number | boolean>): Promise<string[]> {
  const { data } = await api.admin.listRooms({ query: { orderBy: 'created_at', ...query } });
  return data.map(({ room_name }) => room_name);
}

test('the newest rows are first unless an order is requested', async () => {
  const { data } = await api.admin.listRooms();
  expect(data.map(({ room_name }) => room_name)).toEqual(names.toReversed());
});

test('orderBy accepts several fields, and sortedBy a direction for each; missing directions equal the first', async () => {
  expect(await search({ orderBy: 'is_public,room_name', sortedBy: 'desc,asc' })).toEqual([
    'Alpha one',
    'Delta; semi',
    'Gamma under_score',
    'Zeta 14:00',
    'Beta 100%',
    'Epsilon: colon',
    'alpha TWO',
  ]);
  expect(await search({ orderBy: 'is_public;created_at', sortedBy: 'desc' })).toEqual([
    ...names.filter((_, index) => index % 2 === 0).toReversed(),
    ...names.filter((_, index) => index % 2 === 1).toReversed(),
  ]);
});

test('a list can be sorted by every scalar member, and by no other', async () => {
  for (const orderBy of [
    'id',
    'uuid',
    'ulid',
    'customer_id',
    'room_name',
    'status',
    'is_public',
    'room_type',
    'slug',
    'url',
    'created_at',
    'updated_at',
  ]) {
    expect((await api.admin.request('listRooms', { query: { orderBy } })).status).toBe(200);
  }
  for (const orderBy of ['room_metadata', 'nonsense', 'room_name,nonsense', 'id) --', 'constructor', 'toString']) {
    expect((await refusalOf(api.admin.listRooms({ query: { orderBy } }))).errors).toHaveProperty('orderBy');
  }
  expect((await refusalOf(api.admin.listRooms({ query: { orderBy: 'id', sortedBy: 'up' } }))).errors).toHaveProperty(
    'sortedBy',
  );
});

test('relative times are sorted by the instants that they describe', async () => {
  expect(
    await search({ orderBy: 'readable_created_at', sortedBy: 'desc', limit: 7, search: `account_id:${account}` }),
  ).toEqual(names.toReversed());
});

test('pages have exact totals, and absolute links with the same query', async () => {
  const first = await api.admin.listRooms({ query: { limit: 3, orderBy: 'created_at', search: 'status:active' } });
  expect(first.meta.pagination).toMatchObject({ total: 7, count: 3, per_page: 3, current_page: 1, total_pages: 3 });
  expect(first.meta.pagination?.links.previous).toBeNull();
  const next = new URL(first.meta.pagination?.links.next ?? '');
  expect(next.origin).toBe(api.url);
  expect(Object.fromEntries(next.searchParams)).toEqual({
    limit: '3',
    orderBy: 'created_at',
    search: 'status:active',
    page: '2',
  });
  const last = await api.admin.listRooms({ query: { limit: 3, page: 3 } });
  expect(last.meta.pagination).toMatchObject({ count: 1, current_page: 3, links: { next: null } });
  const beyond = await api.admin.listRooms({ query: { limit: 3, page: 99 } });
  expect(beyond.data).toEqual([]);
  expect(beyond.meta.pagination).toMatchObject({ total: 7, count: 0, total_pages: 3, links: { next: null } });
  const far = await api.admin.request('listRooms', { query: { limit: 1000, page: '9'.repeat(30) } });
  expect(far).toMatchObject({ status: 200, body: { data: [], meta: { pagination: { total: 7 } } } });
});

test('a page number that is not a positive whole number means the first page', async () => {
  for (const page of ['0', '-1', 'two', '1.5', '']) {
    const answer = await api.admin.request('listRooms', { query: { page, limit: 2 } });
    expect(answer.body).toMatchObject({ meta: { pagination: { current_page: 1 } } });
  }
});

test('a limit above 1000, negative or not whole is rejected; 0 returns all without pagination', async () => {
  for (const limit of ['1001', '-1', '1.5', 'ten', '1e3', '99999999999']) {
    const answer = await api.admin.request('listRooms', { query: { limit } });
    expect([answer.status, answer.body]).toMatchObject([422, { errors: { limit: [expect.any(String)] } }]);
  }
  const all = await api.admin.listRooms({ query: { limit: 0 } });
  expect(all.data).toHaveLength(7);
  expect(all.meta).not.toHaveProperty('pagination');
  const none = await api.admin.listRooms({ query: { limit: 0, search: 'room_name:absent' } });
  expect(none.data).toEqual([]);
  expect((await api.admin.listRooms()).meta.pagination?.per_page).toBe(10);
});

test('following cursors returns every row once in any order, also with equal or null values', async () => {
  const { room } = await makeRoom(api);
  const params = { room_id: room.id };
  for (const expiry of [null, '2027-01-01', null, '2026-12-01', '2027-01-01', null]) {
    await api.admin.createRoomToken({ params, body: { role: 'guest', expires_at: expiry } });
  }
  for (const orderBy of [undefined, 'expires_at', 'role', 'expires_at,created_at', 'name,role']) {
    for (const sortedBy of ['asc', 'desc', 'desc,asc']) {
      const query = { ...(orderBy ? { orderBy } : {}), sortedBy };
      const whole = await api.admin.listRoomTokens({ params, query: { ...query, limit: 100 } });
      const pagedIds: string[] = [];
      for await (const token of api.admin.all('listRoomTokens', { params, query: { ...query, limit: 2 } }))
        pagedIds.push(token.id);
      expect(pagedIds).toEqual(whole.data.map(({ id }) => id));
    }
  }
});

test('a cursor of another list, or an invalid one, is rejected', async () => {
  const { meta } = await api.admin.listRooms({ query: { limit: 2, orderBy: 'room_name' } });
  const cursor = meta.pagination?.next_cursor ?? '';
  expect((await api.admin.listRooms({ query: { limit: 2, orderBy: 'room_name', cursor } })).data).toHaveLength(2);
  for (const query of [
    { cursor },
    { cursor, orderBy: 'slug' },
    { cursor, orderBy: 'room_name', search: 'a' },
    { cursor: 'x' },
    { cursor: 'W10' },
  ]) {
    expect((await refusalOf(api.admin.listRooms({ query }))).errors).toHaveProperty('cursor');
  }
});

test('a page by cursor has a page number like any other page', async () => {
  const pages: unknown[] = [];
  let cursor = '';
  for (let page = 1; page <= 3; page++) {
    const { meta } = await api.admin.listRooms({ query: { limit: 3, search: `account_id:${account}`, cursor } });
    pages.push(meta.pagination);
    cursor = meta.pagination?.next_cursor ?? '';
  }
  const whole = { total: 7, total_pages: 3, per_page: 3 };
  expect(pages).toMatchObject([
    { ...whole, count: 3, current_page: 1 },
    { ...whole, count: 3, current_page: 2 },
    { ...whole, count: 1, current_page: 3, next_cursor: null, links: { next: null } },
  ]);
});

test('count=false leaves out the totals and still shows whether there are more rows', async () => {
  const { meta } = await api.admin.listRooms({ query: { limit: 2, count: false } });
  expect(meta.pagination).not.toHaveProperty('total');
  expect(meta.pagination).not.toHaveProperty('total_pages');
  expect(meta.pagination?.links.next).toContain('page=2');
});

test('free text: every keyword must occur in some free-text field, regardless of case', async () => {
  expect(await search({ search: 'alpha' })).toEqual(['Alpha one', 'alpha TWO']);
  expect(await search({ search: 'ALPHA two' })).toEqual(['alpha TWO']);
  expect(await search({ search: 'alpha beta' })).toEqual([]);
});

test('percent signs and underscores are searched literally', async () => {
  expect(await search({ search: '%' })).toEqual(['Beta 100%']);
  expect(await search({ search: 'room_name:r_s' })).toEqual(['Gamma under_score']);
  expect(await search({ search: 'a_p' })).toEqual([]);
});

test('the condition depends on the type of a field: text contains the value, ids, enums and booleans equal it, dates include the whole day', async () => {
  expect(await search({ search: 'room_name:alpha' })).toEqual(['Alpha one', 'alpha TWO']);
  expect(await search({ search: 'is_public:true;status:active', searchJoin: 'and' })).toHaveLength(4);
  expect(await search({ search: 'created_at:2026-03-12' })).toEqual(['Gamma under_score']);
  expect(await search({ search: 'status:act' })).toEqual([]);
  const { data } = await api.admin.listRooms({ query: { limit: 1 } });
  expect(await search({ search: `id:${data[0]?.id}` })).toHaveLength(1);
  expect(await search({ search: `account_id:${account}`, limit: 100 })).toEqual(names);
});

test('several fields are joined with OR, with AND on request; the values of a repeated field are joined with OR', async () => {
  expect(await search({ search: 'room_name:beta;room_name:gamma' })).toEqual(['Beta 100%', 'Gamma under_score']);
  expect(await search({ search: 'room_name:beta;is_public:true' })).toEqual(
    names.filter((name, index) => index % 2 === 0 || name.startsWith('Beta')),
  );
  expect(await search({ search: 'room_name:alpha;is_public:false', searchJoin: 'and' })).toEqual(['alpha TWO']);
  expect(await search({ search: 'room_name:alpha;room_name:beta;is_public:false', searchJoin: 'and' })).toEqual([
    'Beta 100%',
    'alpha TWO',
  ]);
  expect(
    (await refusalOf(api.admin.listRooms({ query: { search: 'a', searchJoin: 'xor' as 'or' } }))).errors,
  ).toHaveProperty('searchJoin');
});

test('searchFields changes the condition', async () => {
  const searchWith = (search_: string, searchFields: string) => search({ search: search_, searchFields });
  expect(await searchWith('room_name:Alpha one', 'room_name:=')).toEqual(['Alpha one']);
  expect(await searchWith('room_name:Alpha one', 'room_name:!=')).not.toContain('Alpha one');
  expect(await searchWith('room_name:Alpha one,alpha TWO', 'room_name:in')).toEqual(['Alpha one', 'alpha TWO']);
  expect(await searchWith('created_at:2026-03-11,2026-03-13', 'created_at:between')).toEqual(names.slice(1, 4));
  expect(await searchWith('created_at:2026-03-14', 'created_at:>')).toEqual(expect.arrayContaining(names.slice(5)));
  expect(await searchWith('created_at:2026-03-14', 'created_at:>=')).toEqual(expect.arrayContaining(names.slice(4)));
  expect(await searchWith('created_at:2026-03-11', 'created_at:<=')).toEqual(names.slice(0, 2));
  expect(await searchWith('created_at:2026-03-11', 'created_at:<')).toEqual(names.slice(0, 1));
  expect(await searchWith('created_at:2026-03-11T01:30:00Z', 'created_at:<=')).toEqual(names.slice(0, 1));
  for (const searchFields of ['room_name:~', 'nonsense:=', 'created_at:between']) {
    expect(
      (await api.admin.request('listRooms', { query: { search: 'created_at:2026-03-11', searchFields } })).status,
    ).toBe(422);
  }
});

test('an unknown field is rejected with the list of fields; times and addresses are free text', async () => {
  const refusal = await refusalOf(api.admin.listRooms({ query: { search: 'titel:x' } }));
  expect(refusal.errors['search']?.[0]).toContain('room_name');
  expect(await search({ search: '14:00' })).toEqual(['Zeta 14:00']);
  expect(await search({ search: 'https://example.com' })).toEqual([]);
});

test('a backslash escapes special characters', async () => {
  expect(await search({ search: String.raw`delta\; semi` })).toEqual(['Delta; semi']);
  expect(await search({ search: String.raw`room_name:Delta\; s` })).toEqual(['Delta; semi']);
  expect(await search({ search: String.raw`epsilon\: colon` })).toEqual(['Epsilon: colon']);
});

test('a forged cursor and characters that cannot be stored are rejected, without an internal error', async () => {
  const { meta } = await api.admin.listRooms({ query: { limit: 2 } });
  const [fingerprint] = JSON.parse(Buffer.from(meta.pagination?.next_cursor ?? '', 'base64url').toString()) as string[];
  for (const value of ['x', '\u0000', '9'.repeat(400)]) {
    const cursor = Buffer.from(JSON.stringify([fingerprint, '2', value])).toString('base64url');
    expect((await api.admin.request('listRooms', { query: { limit: 2, cursor } })).status).toBe(422);
  }
  for (const search_ of ['\u0000', 'room_name:a\u0000b']) {
    expect((await refusalOf(api.admin.listRooms({ query: { search: search_ } }))).errors).toHaveProperty('search');
  }
});

test('no search text causes an internal error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 40 }), async (text) => {
      const answer = await api.admin.request('listRooms', { query: { search: text } });
      expect([200, 422]).toContain(answer.status);
    }),
    { numRuns: 60 },
  );
});

test('a list runs the same number of statements for any number of rows', async () => {
  const include = 'tokens,access_codes,customer,account.subscription.features,owner,users';
  const counts: number[] = [];
  for (const limit of [1, 7]) {
    const statements = await countStatements(() => api.admin.listRooms({ query: { include, limit, skipCache: true } }));
    counts.push(statements);
  }
  expect(counts[0]).toBe(counts[1]);
  expect(await countStatements(() => api.admin.listRooms({ query: { skipCache: true } }))).toBe(2);
});

test('limit=0 streams ten thousand rows as one valid document, and a disconnect releases the connection', async () => {
  const { db } = api.app.dependencies;
  const one = await db.selectFrom('rooms').selectAll().limit(1).executeTakeFirstOrThrow();
  await api.app.connection.pool.query(
    `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug, created_at, updated_at)
     select gen_random_uuid(), $1, $2, $3, 'Row ' || n, 'active', false, 'meet', 'row', now(), now() from generate_series(1, 10000) n`,
    [one.customer_id, one.account_id, one.subscription_id],
  );
  const { data } = await api.admin.listRooms({
    query: { limit: 0, search: 'room_name:Row', include: 'account', filter: 'room_name,account_name' },
  });
  expect(data).toHaveLength(10_000);
  expect(data[9_999]).toMatchObject({
    room_name: expect.stringMatching(/^Row/),
    account: { data: { account_name: expect.any(String) } },
  });
  const { access_token: token } = await api.anyone.loginAdmin({
    body: { username: 'root', password: 'a long enough password' },
  });
  const disconnect = new AbortController();
  const answer = await fetch(`${api.url}/api/v1/rooms?limit=0`, {
    signal: disconnect.signal,
    headers: { authorization: `Bearer ${token}` },
  });
  await answer.body?.getReader().read();
  disconnect.abort();
  const { pool } = api.app.pools.streams;
  await expect.poll(() => pool.totalCount - pool.idleCount).toBe(0);
});

test('every list is sorted and searched by each of its scalar members, including relative times', async () => {
  const fixture = await makeRoom(api);
  const params: Record<string, string> = {
    customer_id: fixture.customer.id,
    room_id: fixture.room.id,
    account_id: fixture.account.id,
    subscription_id: fixture.subscription.id,
    service_package_id: fixture.servicePackage.id,
  };
  const samples = { boolean: 'true', number: '1', instant: '2026-03-12', day: '2026-03-12' };
  const lists = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(
    ([, { answer, params: pathParams }]) => {
      return answer.kind === 'list' && Object.keys(pathParams ?? {}).every((name) => name in params);
    },
  );
  expect(lists.length).toBeGreaterThan(25);
  for (const [name, { answer }] of lists) {
    if (answer.kind !== 'list') continue;
    const kinds = Object.entries(answer.resource.fields).map(
      ([member, schema]) => [member, fieldKind(schema)] as const,
    );
    const members = kinds.filter(([, kind]) => kind !== null);
    const otherMembers = Object.entries(answer.resource.fields)
      .filter(
        ([member, schema]) => fieldKind(schema) === null && isScalar(schema) && !isHidden(answer.resource, member),
      )
      .map(([member]) => member);
    const sorted = splitIntoTens([...members.map(([member]) => member), ...otherMembers]).map((fields) =>
      fields.join(','),
    );
    const searched = splitIntoTens(members.map(([member, kind]) => `${member}:${samples[kind as 'boolean'] ?? 'x'}`));
    const queries = [
      ...sorted.flatMap((orderBy) => [{ orderBy }, { orderBy, sortedBy: 'desc' }]),
      ...searched.map((segments) => ({ search: segments.join(';') })),
    ];
    for (const query of queries) {
      const { status, body } = await api.admin.request(name, { params, query });
      expect([name, query, status, status === 200 ? null : body]).toEqual([name, query, 200, null]);
    }
  }
});

function isScalar(schema: { type?: unknown }): boolean {
  const types = [schema.type].flat();
  return ['string', 'number', 'integer', 'boolean'].some((type) => types.includes(type));
}

/** Credentials, addresses that contain them, and members that only administrators can read. */
function isHidden({ object }: { object: string }, member: string): boolean {
  const hidden: Partial<Record<string, readonly string[]>> = {
    RoomToken: ['token', 'url'],
    RoomAccessCode: ['code'],
    Invitation: ['url'],
    OauthClient: ['secret', 'client_secret'],
    PersonalAccessToken: ['token'],
    Output: ['stream_key'],
    Webhook: ['secret'],
    Video: ['poster_url'],
    Recording: ['service_provider_id', 'provider_recording_id'],
  };
  return hidden[object]?.includes(member) ?? false;
}

test('free text searches names, descriptions, tags and keys', async () => {
  const { servicePackage, customer, account } = await makeRoom(api);
  const params = { service_package_id: servicePackage.id };
  await api.admin.updateServicePackage({
    params,
    body: { description: 'With a cormorant', short_description: 'heron' },
  });
  for (const word of ['cormorant', 'heron', servicePackage.name.split(' ').at(-1) ?? '']) {
    const { data } = await api.admin.listServicePackages({ query: { search: word } });
    expect([word, data.map(({ id }) => id)]).toEqual([word, [servicePackage.id]]);
  }
  const customers = await api.admin.listCustomers({ query: { search: customer.customer_key } });
  expect(customers.data.map(({ id }) => id)).toEqual([customer.id]);
  const accounts = await api.admin.listAccounts({ query: { search: account.account_key } });
  expect(accounts.data.map(({ id }) => id)).toEqual([account.id]);
});

/** Splits a list into groups of ten, the maximum of a request. */
function splitIntoTens<Item>(items: readonly Item[]): Item[][] {
  return Array.from({ length: Math.ceil(items.length / 10) }, (_, index) => items.slice(index * 10, index * 10 + 10));
}

test('computed members are sorted by the values that the API returns', async () => {
  const { data } = await api.admin.listRooms({ query: { orderBy: 'url', limit: 0 } });
  expect(data.map(({ url }) => url)).toEqual(data.map(({ url }) => url).toSorted());
  const urls: string[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await api.admin.listRooms({ query: { orderBy: 'url', limit: 400, ...(cursor ? { cursor } : {}) } });
    urls.push(...page.data.map(({ url }) => url));
    cursor = page.meta.pagination?.next_cursor;
  } while (cursor);
  expect(urls).toEqual(data.map(({ url }) => url));
  const { subscription, customer } = await makeRoom(api);
  const params = { subscription_id: subscription.id };
  for (const orderBy of ['service_feature_id', 'service_subscription_id']) {
    const features = await api.admin.listSubscriptionFeatures({ params, query: { orderBy } });
    const returned = features.data.map((feature) => String(feature[orderBy as 'service_feature_id']));
    expect(returned).toEqual(returned.toSorted());
  }
  const customers = await api.admin.listCustomers({
    query: { orderBy: 'effective_status', search: `id:${customer.id}` },
  });
  expect(customers.data.map(({ id }) => id)).toEqual([customer.id]);
});
