import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startApi, type TestApi } from './api.ts';
import { makeRoom } from './factories.ts';
import { firstAdmin } from './first-admin.ts';

let api: TestApi;
let token: string;
let roomPath: string;
let customerPath: string;
beforeAll(async () => {
  api = await startApi();
  const credentials = { username: firstAdmin.username, password: firstAdmin.password };
  token = (await api.anyone.loginAdmin({ body: credentials })).access_token;
  const { room } = await makeRoom(api);
  roomPath = `/api/v1/rooms/${room.id}`;
  customerPath = `/api/v1/customers/${room.customer_id}`;
});
afterAll(() => api.close());

interface Answer {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly errors: Record<string, string[]>;
  readonly data: Record<string, unknown>;
}

async function send(
  method: string,
  path: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await fetch(`${api.url}${path}`, {
    method,
    body: new Uint8Array(Buffer.from(body)),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
  });
  return { ...((await answer.json()) as Answer), status: answer.status };
}

function createPackage(body: string | Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  return send('POST', '/api/v1/service-packages', body, headers);
}

async function countPackages(): Promise<number> {
  return (await api.admin.listServicePackages()).meta.pagination?.total ?? -1;
}

test('a repeated member is rejected by name, in any spelling and at any depth', async () => {
  const before = await countPackages();
  const cases: [string, string][] = [
    ['{"name":"One","name":"Two"}', 'name'],
    ['{"name":"One","name":"One"}', 'name'],
    ['{"name":"One","n\\u0061me":"Two"}', 'name'],
    ['{"name":"One","package_metadata":{"a":1,"b":[{"c":1,"d":2,"c":3}]}}', 'c'],
    ['{"name":"One","":1,"":2}', ''],
    ['{"name":"One","surprise":1,"surprise":1}', 'surprise'],
    ['{"name":"One","\\"quoted\\"":1,"\\"quoted\\"":2}', '"quoted"'],
    ['{"name":"One","__proto__":1,"__proto__":2}', '__proto__'],
  ];
  for (const [body, name] of cases) {
    const { status, code, message } = await createPackage(body);
    expect([body, status, code]).toEqual([body, 400, 'malformed-json']);
    expect(message).toBe(`The member ${JSON.stringify(name)} is sent twice.`);
  }
  expect(await countPackages()).toBe(before);
});

test('equal names in different objects, and text that looks like members, are accepted', async () => {
  const body = {
    name: 'Same names',
    description: '"name": "x", "name": "y" \\" { "a": 1, "a": 2 }',
    package_metadata: { name: 'n', list: [1, 'name', null], map: { name: 1, list: 2 } },
  };
  const { status, data } = await createPackage(JSON.stringify(body));
  expect([status, data?.['package_metadata']]).toEqual([201, body.package_metadata]);
});

test('a body that is nested too deeply is rejected before it is processed', async () => {
  const mebibyte = 1_048_000;
  const nest = (open: string, close: string, inner: string, times: number) =>
    open.repeat(times) + inner + close.repeat(times);
  const hostile = [
    '['.repeat(mebibyte),
    '{"a":'.repeat(mebibyte / 5),
    nest('[', ']', '', mebibyte / 2),
    nest('{"a":', '}', '1', Math.floor(mebibyte / 6)),
    `{"name":"Deep","package_metadata":${nest('{"a":', '}', '1', 150_000)}}`,
    `{"name":"Deep","unknown":${nest('[', ']', '1', 500_000)}}`,
    `{"name":"Deep","package_metadata":${nest('[', ']', '1', 64)}}`,
  ];
  for (const body of hostile) {
    const { status, code } = await createPackage(body);
    expect([body.slice(0, 40), status, code]).toEqual([body.slice(0, 40), 400, 'malformed-json']);
  }
  const metadata = await createPackage(`{"name":"Deep","package_metadata":{"far":${nest('[', ']', '1', 60)}}}`);
  expect([metadata.status, Object.keys(metadata.errors)]).toEqual([422, ['package_metadata.far']]);
  const settings = await send('PATCH', roomPath, `{"room_settings":{"far":${nest('{"a":', '}', '1', 60)}}}`);
  expect([settings.status, Object.keys(settings.errors)]).toEqual([422, ['room_settings.far']]);
  const ignored = await createPackage(`{"name":"Deep but unknown","unknown":${nest('[', ']', '1', 63)}}`);
  expect(ignored.status).toBe(201);
});

test('a body with more values than any request needs is rejected before it is parsed', async () => {
  const body = `{"tokens":[${'{},'.repeat(400_000)}{}]}`;
  const answer = await send('POST', `${roomPath}/token-batches`, body);
  expect([answer.status, answer.code, answer.message]).toEqual([
    400,
    'malformed-json',
    'The body has too many values.',
  ]);
});

test('a body with more member names than any request needs is rejected before it is parsed', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `"name${index}":1`);
  const cases = [
    `{"name":"Names",${names(60_000).join(',')}}`,
    `{"name":"Names","package_metadata":{"list":[${names(60_000)
      .map((name) => `{${name}}`)
      .join(',')}]}}`,
  ];
  for (const body of cases) {
    const { status, code, message } = await createPackage(body);
    expect([status, code]).toEqual([400, 'malformed-json']);
    expect(message).toBe('The body has more than 10000 different member names.');
  }
  expect((await createPackage(`{"name":"Fewer names",${names(9999).join(',')}}`)).status).toBe(201);
});

test('the longest lists and maps are rejected with few error sentences', async () => {
  const ones = `[${'1,'.repeat(199_000)}1]`;
  const keys = JSON.stringify(Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`key${index}`, 1])));
  const cases: [string, string, string][] = [
    ['PATCH', roomPath, `{"room_metadata":{"list":${ones}}}`],
    ['PATCH', roomPath, `{"room_metadata":${ones}}`],
    ['PATCH', roomPath, `{"room_metadata":${keys}}`],
    ['POST', '/api/v1/customers', `{"allowed_domains_origins":${ones}}`],
  ];
  for (const [method, path, body] of cases) {
    const answer = await send(method, path, body);
    expect([path, answer.status]).toEqual([path, 422]);
    expect(JSON.stringify(answer.errors).length).toBeLessThan(5000);
  }
});

test('no key of a body can change a prototype', async () => {
  for (const key of ['__proto__', 'constructor', 'prototype']) {
    const polluted = `{"${key}":{"polluted":true,"prototype":{"polluted":true}}}`;
    const answer = await createPackage(
      `{"name":"Polluted ${key}","${key}":{"polluted":true,"prototype":{"polluted":true}},"package_metadata":{"inner":${polluted}}}`,
    );
    expect(answer.status).toBe(422);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    const form = new URLSearchParams({ grant_type: 'password', [key]: 'polluted' }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await send('POST', '/oauth/token', form, type)).status).toBeLessThan(500);
  }
});

test('the keys __proto__, constructor and prototype are rejected and named in every map that is written, at any depth', async () => {
  const bodies: [method: string, path: string, body: Record<string, unknown>, map: string][] = [
    ['POST', '/api/v1/service-packages', { name: 'Reserved' }, 'package_metadata'],
    ['POST', '/api/v1/service-packages', { name: 'Reserved' }, 'package_settings'],
    ['PATCH', roomPath, {}, 'room_metadata'],
    ['PATCH', roomPath, {}, 'room_settings'],
    ['PATCH', roomPath, {}, 'room_features'],
    ['PATCH', customerPath, {}, 'customer_settings'],
    ['POST', '/api/v1/service-providers', { provider_name: 'P', provider_type: 'bigbluebutton' }, 'properties'],
    ['PATCH', '/api/v1/admins/me', {}, 'admin_settings'],
  ];
  for (const [method, path, body, map] of bodies) {
    for (const key of ['__proto__', 'constructor', 'prototype']) {
      for (const [content, expectedField] of [
        [`{"${key}":"x","y":1}`, `${map}.${key}`],
        [`{"y":{"${key}":1}}`, `${map}.y.${key}`],
      ] as const) {
        const text = `${JSON.stringify(body).replace(/}$/, Object.keys(body).length > 0 ? ',' : '')}"${map}":${content}}`;
        const answer = await send(method, path, text);
        expect([path, content, answer.status, answer.code]).toEqual([path, content, 422, 'validation-failed']);
        expect(Object.keys(answer.errors)).toContain(expectedField);
        expect(answer.errors[expectedField]?.[0]).toContain(key);
      }
    }
  }
  const inList = await createPackage('{"name":"Reserved","package_settings":{"y":[{"__proto__":1}]}}');
  expect(Object.keys(inList.errors)).toEqual(['package_settings.y.0.__proto__']);
  const unknown = await createPackage(
    '{"name":"Unknown members are ignored","__proto__":{"description":"x"},"constructor":1}',
  );
  expect([unknown.status, unknown.data['description']]).toEqual([201, null]);
});

test('a body that is not UTF-8 is rejected, and a byte order mark is ignored', async () => {
  const wrong = [Buffer.from([0x80]), Buffer.from([0xc0, 0xaf]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xff])];
  for (const bytes of wrong) {
    const body = Buffer.concat([Buffer.from('{"name":"'), bytes, Buffer.from('"}')]);
    const { status, code } = await createPackage(body);
    expect([bytes.toString('hex'), status, code]).toEqual([bytes.toString('hex'), 400, 'malformed-json']);
  }
  expect((await createPackage(Buffer.from('{"name":"Wide"}', 'utf16le'))).status).toBe(400);
  const withByteOrderMark = await createPackage(
    Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"name":"Marked ü 漢 😀"}')]),
  );
  expect([withByteOrderMark.status, withByteOrderMark.data?.['name']]).toEqual([201, 'Marked ü 漢 😀']);
});

test('a lone surrogate and NUL are rejected wherever text is stored, and the field is named', async () => {
  for (const half of ['\\ud800', '\\udc00', 'a\\ud83d', '\\u0000']) {
    const { status, errors } = await createPackage(`{"name":"${half}x","package_metadata":{"${half}":"y"}}`);
    expect([half, status, Object.keys(errors)]).toEqual([half, 422, ['name', 'package_metadata']]);
  }
  expect((await createPackage('{"name":"Whole \\ud83d\\ude00"}')).data?.['name']).toBe('Whole 😀');
  const login = await send('POST', '/oauth/proxy/login', '{"username":"\\ud800","password":"\\udc00\\u0000"}');
  expect([login.status, Object.keys(login.errors)]).toEqual([422, ['username', 'password']]);
});

test('a body that is not an object is rejected with an error about the body', async () => {
  for (const body of ['[]', '[{"name":"x"}]', '"text"', '7', 'true', 'null', '-0', '1e999']) {
    const { status, code, errors } = await createPackage(body);
    expect([body, status, code, Object.keys(errors)]).toEqual([body, 422, 'validation-failed', ['body']]);
  }
  const oauth = await send('POST', '/oauth/token', '[]');
  expect([oauth.status, oauth.code]).toEqual([400, 'validation-failed']);
});

test('invalid JSON is rejected, and an empty body counts as an empty object', async () => {
  const malformed = [
    ' ',
    '{',
    '{"a":}',
    "{'a':1}",
    '{"a":1,}',
    '{"a":1}{"b":2}',
    '// x\n{}',
    '{"a":NaN}',
    '{"a":01}',
    '\u0000',
    'undefined',
  ];
  for (const body of malformed) {
    const { status, code } = await createPackage(body);
    expect([body, status, code]).toEqual([body, 400, 'malformed-json']);
  }
  const empty = await createPackage('');
  expect([empty.status, Object.keys(empty.errors)]).toEqual([422, ['name']]);
});

test('numbers out of range are rejected, not stored as other numbers', async () => {
  for (const number of ['1e999', '-1e999', '1e400', '9007199254740993', '1.5', '-1']) {
    const { status, errors } = await createPackage(`{"name":"Number","tier":${number}}`);
    expect([number, status, Object.keys(errors)]).toEqual([number, 422, ['tier']]);
  }
});

test('another media type, another charset and compressed bodies are rejected with 415', async () => {
  const body = '{"name":"Typed"}';
  for (const type of [
    'text/plain',
    'application/xml',
    'application/jsonx',
    'application/json5',
    'multipart/form-data; boundary=x',
    'text/json',
    'application/x-www-form-urlencoded',
    'application/json; charset=utf-16',
    'application/json;charset="latin1"',
  ]) {
    const { status, code } = await createPackage(body, { 'content-type': type });
    expect([type, status, code]).toEqual([type, 415, 'unsupported-media-type']);
  }
  for (const type of [
    'application/json',
    'Application/JSON',
    'application/json; charset=UTF-8',
    'application/json;charset="utf-8"',
    'application/merge-patch+json',
  ]) {
    expect([type, (await createPackage(body, { 'content-type': type })).status]).toEqual([type, 201]);
  }
  for (const encoding of ['gzip', 'br', 'deflate', 'nonsense', 'GZIP']) {
    const { status, code } = await createPackage(gzipSync(body), { 'content-encoding': encoding });
    expect([encoding, status, code]).toEqual([encoding, 415, 'unsupported-media-type']);
  }
  expect((await createPackage(body, { 'content-encoding': 'identity' })).status).toBe(201);
});

test('a body of 1 MiB is accepted, one byte more is rejected, with or without Content-Length', async () => {
  const bodyOfSize = (bytes: number) => `{"name":"Sized","unknown":"${'x'.repeat(bytes - 29)}"}`;
  expect(bodyOfSize(1_048_576)).toHaveLength(1_048_576);
  expect((await createPackage(bodyOfSize(1_048_576))).status).toBe(201);
  const refusal = await createPackage(bodyOfSize(1_048_577));
  expect([refusal.status, refusal.code]).toEqual([413, 'body-too-large']);
  expect((await sendChunked(bodyOfSize(1_048_576))).status).toBe(201);
  expect((await sendChunked(bodyOfSize(1_048_577))).status).toBe(413);
  expect((await sendChunked(bodyOfSize(20_000_000))).status).toBe(413);
});

test('a client that is still sending an oversized body receives the error, and can reuse the connection', async () => {
  const oversizedBody = `{"name":"${'x'.repeat(8_000_000)}"}`;
  for (let round = 0; round < 6; round++) expect((await createPackage(oversizedBody)).status).toBe(413);
  expect((await send('POST', '/api/v1/rooms', oversizedBody, { authorization: '' })).status).toBe(413);
  expect((await createPackage('{"name":"Next"}')).status).toBe(201);
});

test('the body of a request to an unknown path is not read', async () => {
  for (const [body, type] of [
    ['{"name":', 'application/json'],
    ['x', 'text/plain'],
    [`{"a":"${'x'.repeat(1_100_000)}"}`, 'application/json'],
  ] as const)
    expect((await send('POST', '/api/v1/nowhere', body, { 'content-type': type })).code).toBe('not-found');
});

/** Sends the body without a length. */
async function sendChunked(body: string): Promise<{ status: number }> {
  return await new Promise((resolve, reject) => {
    const request = httpRequest(`${api.url}/api/v1/service-packages`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
    let isAnswered = false;
    request.on('response', (response) => {
      isAnswered = true;
      response.resume();
      resolve({ status: response.statusCode ?? 0 });
    });
    // The server closes the connection while the rest of a rejected body is sent.
    request.on('error', (error) => (isAnswered ? undefined : reject(error)));
    for (let offset = 0; offset < body.length; offset += 65_536) request.write(body.slice(offset, offset + 65_536));
    request.end();
  });
}

test('the token endpoint, the only one that accepts forms, rejects a repeated parameter', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  const twice = await send('POST', '/oauth/token', 'grant_type=password&client_id=a&client_id=b', type);
  expect(twice).toMatchObject({ status: 400, error: 'invalid_request', code: 'malformed-request' });
  expect(twice.message).toBe('The parameter "client_id" is sent twice.');
  const wrong = await send('POST', '/oauth/token', Buffer.from([0x61, 0x3d, 0xff]), type);
  expect(wrong.status).toBe(400);
});

test('a form with thousands of fields is rejected before it is parsed, with any names and at any path', async () => {
  const type = { 'content-type': 'application/x-www-form-urlencoded' };
  for (const path of ['/oauth/token', '/oauth/proxy/login', '/api/v1/rooms']) {
    for (const field of ['__proto__&', 'a&', '&']) {
      const { status, code, message } = await send('POST', path, field.repeat(100_000), type);
      expect([path, field, status, code]).toEqual([path, field, 400, 'malformed-request']);
      expect(message).toBe('The form has more than 1000 fields.');
    }
  }
});

test('a client that disconnects before the end of a body is not logged as a server error', async () => {
  const { hostname, port } = new URL(api.url);
  const socket = connect(Number(port), hostname);
  socket.write(
    'POST /oauth/token HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{',
  );
  await new Promise((resolve) => socket.once('connect', resolve));
  await api.admin.listServicePackages();
  socket.destroy();
  await expect.poll(() => api.log()).toContain('unreadable request');
  await api.admin.listServicePackages();
  expect(api.log()).not.toContain('request failed');
});
