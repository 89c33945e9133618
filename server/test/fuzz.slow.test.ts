import { endpoints, type EndpointName } from '@foyer/contract';
import { type Endpoint, prefixesOf } from '@foyer/contract/conventions/endpoint.ts';
import { exampleBody } from '@foyer/contract/openapi/examples/example.ts';
import type { RawAnswer } from '@foyer/sdk';
import fc from 'fast-check';
import { sql } from 'kysely';
import type { TSchema } from 'typebox';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';

let api: TestApi;
/** An existing identifier by prefix, so that requests pass the first checks. */
let existingIds: ReadonlyMap<string, string>;

const endpointEntries = Object.entries(endpoints) as [EndpointName, Endpoint][];
/** Endpoints that end the session of the caller. */
const sessionEndpoints = new Set<EndpointName>(['logout']);
/** The kinds of access whose endpoints also write when they reject a request, for example a failed attempt. */
const accessKindsWithWrites = new Set<string>(['public', 'optional-token']);
/** A valid setting, but it would lock everyone out and end the suite. */
const excludedSetting = 'require_two_factor';

beforeAll(async () => {
  api = await startApi();
  const { customer, subscription, account, room, servicePackage } = await makeRoom(api);
  const params = { room_id: room.id };
  const { data: token } = await api.admin.createRoomToken({ params, body: { role: 'guest' } });
  const { data: code } = await api.admin.createRoomAccessCode({ params, body: { role: 'guest' } });
  const { data: role } = await api.admin.createRole({ body: { name: 'fuzzed', display_name: 'Fuzzed' } });
  const { data: providers } = await api.admin.listServiceProviders();
  const { data: users } = await api.admin.listUsers();
  const resources = [customer, subscription, account, room, servicePackage, token, code, role, ...providers, ...users];
  existingIds = new Map(resources.map(({ id }) => [id.split('_')[0] ?? '', id]));
});
afterAll(() => api.close());

const edgeCase = fc.constantFrom<unknown>(
  '\u0000',
  'a\u0000b',
  '\u202Eright to left\u202C',
  '\uD800',
  '\u{1F468}\u200D\u{1F469}\u200D\u{1F467}'.repeat(50),
  'é'.normalize('NFD').repeat(80),
  '<script>alert(1)</script>',
  "'; drop table rooms; --",
  '%_\\%',
  '${7*7}',
  '../../etc/passwd',
  'x'.repeat(40_000),
  ' ',
  '\t\n\r',
  '\u2028',
  '0',
  '-0',
  '1e999',
  'NaN',
  '9223372036854775808',
  '2026-02-30',
  '9999-12-31T23:59:60.999999Z',
  '-271821-04-20T00:00:00.000Z',
  'true',
  'null',
  '__proto__',
  -0,
  -1,
  1.5,
  1e308,
  2 ** 31,
  2 ** 53,
  2 ** 63,
  Number.MIN_VALUE,
  [],
  {},
  [[]],
  [null],
  [{}],
  { toString: 1, valueOf: 2, constructor: { prototype: {} } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
);
const garbage = fc.oneof(
  edgeCase,
  fc.jsonValue({ maxDepth: 5 }),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.integer({ min: 1, max: 60 }).map((depth) => nested(depth)),
);

function nested(depth: number): unknown {
  let value: unknown = 'end';
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value };
  return value;
}

interface Member {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
  readonly items?: TSchema;
  readonly properties?: Record<string, TSchema>;
  readonly 'x-prefix'?: string;
}

/** Generates values that the schema allows. */
function validValue(schema: TSchema): fc.Arbitrary<unknown> {
  const member = schema as Member;
  if (member['x-prefix'])
    return fc.constant(existingIds.get(member['x-prefix']) ?? `${member['x-prefix']}_${'0'.repeat(26)}`);
  if (member.enum) return fc.constantFrom(...member.enum);
  const type = typeof member.type === 'string' ? member.type : member.type?.[0];
  if (member.format === 'date-time')
    return fc
      .date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') })
      .map((day) => day.toISOString());
  if (type === 'boolean') return fc.boolean();
  if (type === 'integer') return fc.integer({ min: member.minimum ?? 0, max: Math.min(member.maximum ?? 1e9, 1e9) });
  if (type === 'number') return fc.double({ noNaN: true, min: member.minimum ?? 0, max: 1e9 });
  if (type === 'array') return fc.array(member.items ? validValue(member.items) : garbage, { maxLength: 4 });
  if (member.properties) return bodyFor(member.properties);
  if (type === 'object') return fc.dictionary(fc.string({ maxLength: 70 }), garbage, { maxKeys: 6 });
  return fc.string({ maxLength: 60, unit: 'grapheme' });
}

/** Most members are valid; others are invalid, missing or unknown. */
function bodyFor(properties: Record<string, TSchema>): fc.Arbitrary<unknown> {
  const members = Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => name !== excludedSetting)
      .map(([name, schema]) => [
        name,
        fc.oneof(
          { arbitrary: validValue(schema), weight: 4 },
          { arbitrary: garbage, weight: 1 },
          fc.constant(undefined),
        ),
      ]),
  );
  return fc.record({ ...members, unknown_member: fc.oneof(fc.constant(undefined), garbage) });
}

function paramsFor(endpoint: Endpoint): fc.Arbitrary<Record<string, string>> {
  const text = fc
    .oneof(edgeCase, fc.string({ unit: 'binary', maxLength: 80 }))
    .map((value) => (typeof value === 'string' && value.isWellFormed() && value !== '' ? value : 'none').slice(0, 1500))
    .filter((value) => value !== '.' && value !== '..');
  const params = Object.entries(endpoint.params ?? {}).map(([name, param]) => {
    const [prefix = ''] = prefixesOf(param);
    const absent = `${prefix}_${'0'.repeat(26)}`;
    const existing = endpoint.method === 'DELETE' ? absent : (existingIds.get(prefix) ?? absent);
    return [name, fc.oneof({ arbitrary: fc.constant(existing), weight: 5 }, fc.constant(absent), text)] as const;
  });
  return fc.record(Object.fromEntries(params));
}

const query = fc.record(
  Object.fromEntries(
    ['orderBy', 'sortedBy', 'page', 'limit', 'cursor', 'search', 'searchFields', 'searchJoin', 'filter', 'include'].map(
      (name) => [
        name,
        fc.oneof(
          { arbitrary: fc.constant(undefined), weight: 4 },
          fc.constantFrom(
            'id',
            'created_at',
            'asc',
            'desc',
            '0',
            '1',
            '-1',
            'owner',
            'status:active',
            'id:=',
            'a:b;c:d',
          ),
          fc.string({ unit: 'binary', maxLength: 60 }).filter((text) => text.isWellFormed()),
          fc.constantFrom(
            '\u0000',
            '%00',
            ';;;',
            ':::',
            '\\',
            'a'.repeat(5000),
            'rooms.owner.rooms.owner.rooms',
            'between:1,2',
          ),
        ),
      ],
    ),
  ),
);

/** Summarizes all tables except the last use of tokens. Every write changes the result. */
async function snapshot(): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select string_agg(name || ' ' || state, ',' order by name) as state from (
      select relname as name, (xpath('/row/state/text()', query_to_xml(
        format('select count(*) || '' '' || coalesce(max(xmin::text::bigint), 0) as state from %I', relname), false, true, ''
      )))[1]::text as state
      from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'token_families'
    ) counted`.execute(api.app.dependencies.db);
  return rows[0]?.state ?? '';
}

function expectAnswer({ status, body }: RawAnswer, label: string): void {
  const code = (body as { code?: string } | null)?.code;
  if (status >= 500) expect([label, status, code]).toEqual([label, 503, 'provider-unavailable']);
  if (status < 400) return;
  const failureBody = body as Record<string, unknown>;
  expect([
    label,
    typeof failureBody['message'],
    typeof failureBody['errors'],
    typeof failureBody['code'],
    typeof failureBody['request_id'],
  ]).toEqual([label, 'string', 'object', 'string', 'string']);
}

/** The seed is fixed, so that only a change of the code can cause a failure. */
const runs = Number(process.env['FUZZ_RUNS'] ?? 12);
const seed = Number(process.env['FUZZ_SEED'] ?? 20_260_310);

/** Event streams are excluded, because they stay open. */
const testedEndpoints = endpointEntries.filter(([, { answer }]) => answer.kind !== 'event-stream');
for (const [name, endpoint] of testedEndpoints.filter(([endpointName]) => !sessionEndpoints.has(endpointName))) {
  test(`${name}: every request gets a response, and a rejected request writes nothing`, async () => {
    const body = endpoint.body ? bodyFor(endpoint.body.properties) : fc.constant(undefined);
    await fc.assert(
      fc.asyncProperty(paramsFor(endpoint), query, body, async (params, queryValues, sentBody) => {
        const before = accessKindsWithWrites.has(endpoint.access.kind) ? '' : await snapshot();
        const answer = await api.admin.request(name, { params, query: queryValues, body: sentBody });
        expectAnswer(answer, `${name} ${JSON.stringify({ params, asked: queryValues, sent: sentBody })}`);
        if (answer.status >= 400 && before !== '') expect(await snapshot()).toBe(before);
      }),
      { numRuns: runs, seed, endOnFailure: true },
    );
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  }, 600_000);
}

const rawBodies: readonly (readonly [string, string | Uint8Array<ArrayBuffer>, readonly number[]])[] = [
  ['not JSON', '{"room_name":', [400]],
  ['a member that is named twice', '{"room_name":"a","room_name":"b"}', [400]],
  ['a member that is named twice, once with an escape', '{"room_name":"a","room\\u005fname":"b"}', [400]],
  ['a megabyte of opening brackets', '['.repeat(1_000_000), [400, 422]],
  ['a megabyte of opening objects', '{"a":'.repeat(200_000), [400, 422]],
  ['arrays in arrays, closed', `${'['.repeat(400_000)}${']'.repeat(400_000)}`, [400, 422]],
  ['a member nested a thousand deep', `{"room_metadata":${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}}`, [400, 422]],
  ['more than a megabyte', `{"room_name":"${'x'.repeat(1_048_576)}"}`, [413]],
  ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), [400, 422]],
  ['a number', '42', [400, 422]],
  ['null', 'null', [400, 422]],
  ['a list', '[{"room_name":"a"}]', [400, 422]],
  ['a text', '"room_name"', [400, 422]],
  ['nothing', '', [400, 422]],
];

for (const [description, raw, statuses] of rawBodies) {
  test(`a body that is ${description} is rejected by every write, and writes nothing`, async () => {
    const { access_token: token } = await api.anyone.loginAdmin({
      body: { username: 'root', password: 'a long enough password' },
    });
    const before = await snapshot();
    for (const [name, endpoint] of endpointEntries) {
      if (!endpoint.body || endpoint.access.kind !== 'permission') continue;
      // Without required members, an empty body is valid.
      if (raw === '' && ((endpoint.body as { required?: string[] }).required ?? []).length === 0) continue;
      const path = endpoint.path.replaceAll(/:(\w+)/g, (_match, param: string) => {
        const [prefix = ''] = prefixesOf(endpoint.params?.[param] ?? 'user');
        return existingIds.get(prefix) ?? `${prefix}_${'0'.repeat(26)}`;
      });
      const answer = await fetch(`${api.url}/api/v1${path}`, {
        method: endpoint.method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: statuses.includes(413) && endpoint.bodyLimit ? String(raw) + ' '.repeat(endpoint.bodyLimit) : raw,
      });
      const isAbsent = answer.status === 404;
      expect(isAbsent || statuses.includes(answer.status), `${name}: ${answer.status} ${await answer.text()}`).toBe(
        true,
      );
    }
    expect(await snapshot()).toBe(before);
  });
}

test('the example of every body in the reference is accepted or rejected with an error body', async () => {
  for (const [name, endpoint] of endpointEntries) {
    if (!endpoint.body || endpoint.access.kind !== 'permission') continue;
    const params = Object.fromEntries(
      Object.entries(endpoint.params ?? {}).map(([param, pathParam]) => {
        const [prefix = ''] = prefixesOf(pathParam);
        return [param, existingIds.get(prefix) ?? `${prefix}_${'0'.repeat(26)}`];
      }),
    );
    const answer = await api.admin.request(name, { params, body: exampleBody(name, '', endpoint.body) });
    expectAnswer(answer, name);
    expect(answer.status, name).not.toBe(400);
  }
});
