import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Endpoint } from '../src/conventions/endpoint.ts';
import { errorCodes } from '../src/conventions/error-codes.ts';
import { endpoints } from '../src/index.ts';
import { openApiDocument } from '../src/openapi/openapi.ts';
import type { Answer, Operation } from '../src/openapi/document.ts';
import { codesOf } from '../src/openapi/errors.ts';
import { comparableWrites } from '../src/openapi/headers.ts';
import { permissions, requiredReadPermissions, scopeOf } from '../src/conventions/permissions.ts';
import { scopes } from '../src/conventions/scope.ts';

const document = openApiDocument({ version: '0.1.0' });
const namedEndpoints: [string, Endpoint][] = Object.entries(endpoints);
const comparable = comparableWrites(namedEndpoints.map(([, endpoint]) => endpoint));

test('the document is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const outcome = await validator.validate(structuredClone(document) as unknown as Record<string, unknown>);
  expect(outcome.errors).toBeUndefined();
  expect(outcome.valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('every $ref resolves', () => {
  const dangling = referencesIn(document).filter((reference) => resolve(reference) === undefined);
  expect(dangling).toEqual([]);
});

test('every component is used', () => {
  const used = new Set(referencesIn(document));
  const unused = ['schemas', 'parameters', 'responses', 'headers'].flatMap((kind) =>
    Object.keys(document.components[kind as 'schemas'])
      .map((name) => `#/components/${kind}/${name}`)
      .filter((reference) => !used.has(reference)),
  );
  expect(unused).toEqual([]);
});

test('every endpoint is in the document with its name, verb and path', () => {
  const documented = operations().map(({ path, verb, operation }) => `${operation.operationId} ${verb} ${path}`);
  const declared = namedEndpoints.map(
    ([name, { method, path }]) => `${name} ${method.toLowerCase()} ${path.replaceAll(/:(\w+)/g, '{$1}')}`,
  );
  expect(documented.sort()).toEqual(declared.sort());
});

test('every path parameter is described and required, and its example matches its pattern', () => {
  for (const { path, operation } of operations()) {
    const expected = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const described = (operation.parameters ?? [])
      .map((parameter) => ('$ref' in parameter ? resolve(parameter.$ref) : parameter))
      .filter((parameter) => parameter.in === 'path');
    expect(described.map(({ name }) => name)).toEqual(expected);
    for (const { required, schema, example } of described) {
      expect(required).toBe(true);
      expect(example).toMatch(new RegExp(schema.pattern ?? '^$'));
    }
  }
});

test('every declared query parameter is described, and a wrong value is rejected', () => {
  for (const [name, endpoint] of namedEndpoints) {
    if (!endpoint.query) continue;
    const { parameters = [] } = findOperation(name);
    const described = parameters.flatMap((parameter) => ('$ref' in parameter ? [] : [parameter]));
    for (const declared of Object.keys(endpoint.query.properties)) {
      expect(described).toContainEqual(expect.objectContaining({ name: declared, in: 'query' }));
    }
    expect(codesOf(endpoint, false)).toContain('validation-failed');
  }
});

test('exactly the endpoints with authentication require a token, with their scopes', () => {
  for (const [name, { access }] of namedEndpoints) {
    const { security } = findOperation(name);
    const scopes =
      access.kind === 'permission'
        ? [...new Set([access.permission, ...requiredReadPermissions(access.permission)].map(scopeOf))]
        : [];
    const tokens = [{ bearer: [] }, { oauth2: scopes }];
    if (access.kind === 'public') expect(security).toEqual([]);
    else if (access.kind === 'optional-token') expect(security).toEqual([{}, ...tokens]);
    else expect(security).toEqual(tokens);
    const permission = access.kind === 'permission' ? access.permission : undefined;
    expect(findOperation(name)['x-permission']?.name).toBe(permission);
  }
});

test('every error code of an endpoint is listed under its status', () => {
  for (const [name, endpoint] of namedEndpoints) {
    const listed = answersOf(findOperation(name)).flatMap(([status, answer]) =>
      (answer['x-codes'] ?? []).map((code) => [code, status] as const),
    );
    expect(new Set(listed.map(([code]) => code))).toEqual(new Set(codesOf(endpoint, comparable.has(endpoint))));
    for (const code of endpoint.errors ?? []) expect(listed.map(([declared]) => declared)).toContain(code);
    for (const [code, status] of listed) {
      if (!endpoint.oauth) expect(status).toBe(errorCodes[code][0]);
    }
  }
});

test('every request and response header of an operation is listed', () => {
  for (const [name, endpoint] of namedEndpoints) {
    const operation = findOperation(name);
    const requestHeaders = (operation.parameters ?? [])
      .map((parameter) => ('$ref' in parameter ? resolve(parameter.$ref) : parameter))
      .filter((parameter) => parameter.in === 'header')
      .map((parameter) => parameter.name);
    const { method, access, answer } = endpoint;
    const hasETag = answer.kind === 'resource' || (answer.kind === 'object' && answer.enveloped);
    expect(requestHeaders.includes('Idempotency-Key'), name).toBe(method === 'POST' && access.kind !== 'public');
    expect(requestHeaders.includes('If-None-Match'), name).toBe(method === 'GET' && hasETag);
    expect(requestHeaders.includes('If-Match'), name).toBe(comparable.has(endpoint));
    expect(requestHeaders).toContain('X-Request-Id');
    expect('304' in operation.responses, name).toBe(method === 'GET' && hasETag);
    for (const [status, { headers = {} }] of answersOf(operation)) {
      const fields = Object.keys(headers);
      expect(fields).toEqual(expect.arrayContaining(['X-Request-Id', 'RateLimit', 'RateLimit-Policy']));
      expect(fields.includes('ETag')).toBe(hasETag && status < 400);
      expect(fields.includes('Retry-After')).toBe(status === 429 || status === 503);
      if (status === 401) expect(fields).toContain('WWW-Authenticate');
    }
  }
});

test('the access of users names the right and the resource, and reserved members are listed', () => {
  for (const [name, { access, adminOnly, adminOrResellerOnly }] of namedEndpoints) {
    const operation = findOperation(name);
    const userRight = access.kind === 'permission' ? access.users : null;
    expect(operation['x-access'].users?.right).toBe(userRight?.right);
    expect(operation['x-access'].users?.on ?? null).toEqual(
      userRight?.target ? { level: userRight.target.level, member: userRight.target.idName } : null,
    );
    if (userRight) expect(operation.description).toContain(`\`${userRight.right}\``);
    expect(operation['x-reserved']).toEqual(adminOnly);
    expect(operation['x-reserved-from-above']).toEqual(adminOrResellerOnly);
  }
});

test('both OAuth flows describe every scope, but the client credentials flow has no `*`', () => {
  const { oauth2 } = openApiDocument({ version: '0.1.0', serverUrl: 'https://meet.example.com' }).components
    .securitySchemes as Record<string, { flows: Record<string, Record<string, unknown>> }>;
  expect(oauth2?.flows['authorizationCode']).toMatchObject({
    authorizationUrl: 'https://meet.example.com/oauth/authorize',
    tokenUrl: 'https://meet.example.com/oauth/token',
  });
  const scopesOf = (flow: string) => oauth2?.flows[flow]?.['scopes'] as Record<string, string>;
  expect(Object.keys(scopesOf('authorizationCode'))).toEqual(scopes);
  expect(Object.keys(scopesOf('clientCredentials'))).toEqual(scopes.filter((scope) => scope !== '*'));
  for (const sentence of Object.values(scopesOf('authorizationCode'))) expect(sentence).toMatch(/^[A-Z].+\.$/);
  for (const { name, displayName } of permissions) {
    expect(scopesOf('clientCredentials')[scopeOf(name)]?.toLowerCase()).toContain(displayName.toLowerCase());
  }
});

test('schemas contain no keywords of our own and no unknown formats', () => {
  const standardFormats = ['uuid', 'date-time', 'email', 'uri', 'hostname'];
  const schemas = JSON.stringify(document.components.schemas);
  expect(schemas).not.toMatch(/"x-|"~/);
  const formats = [...schemas.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format);
  expect(formats.filter((format) => !standardFormats.includes(format ?? ''))).toEqual([]);
});

test('every example is allowed by its schema', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'https://foyer.test/openapi', ...document });
  const faults: string[] = [];
  for (const { operation } of operations()) {
    const contents = [operation.requestBody?.content, ...answersOf(operation).map(([, { content }]) => content)];
    for (const { schema, example } of contents.flatMap((content) => Object.values(content ?? {}))) {
      if (example === undefined) continue;
      const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"https://foyer.test/openapi#/'));
      const validate = ajv.compile(absolute);
      if (!validate(example)) faults.push(`${operation.operationId}: ${ajv.errorsText(validate.errors)}`);
    }
  }
  expect(faults).toEqual([]);
});

test('the server URL is the public address with the path of the API version', () => {
  const { servers } = openApiDocument({ version: '1.2.3', serverUrl: 'https://meet.example.com/' });
  expect(servers).toEqual([{ url: 'https://meet.example.com/api/v1' }]);
  expect(document.servers).toEqual([{ url: '/api/v1' }]);
});

test('docs/openapi.json matches the contract', () => {
  const file = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));
  const text = `${JSON.stringify(document, null, 2)}\n`;
  if (process.env['FOYER_WRITE'] === '1') writeFileSync(file, text);
  const written = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const remedy =
    'docs/openapi.json does not match the contract. Regenerate it with `node contract/scripts/write-openapi.mjs`.';
  expect(written === text, remedy).toBe(true);
});

function operations(): { path: string; verb: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([verb, operation]) => ({ path, verb, operation })),
  );
}

function findOperation(name: string): Operation {
  const match = operations().find(({ operation }) => operation.operationId === name);
  if (!match) throw new Error(`There is no operation ${name}.`);
  return match.operation;
}

function answersOf({ responses }: Operation): [status: number, answer: Answer][] {
  return Object.entries(responses).map(([status, answer]) => [
    Number(status),
    '$ref' in answer ? (resolve(answer.$ref) as unknown as Answer) : answer,
  ]);
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === '$ref' && typeof inner === 'string' ? [inner] : referencesIn(inner),
  );
}

interface Resolved {
  name: string;
  in: string;
  required: boolean;
  schema: { pattern?: string };
  example?: unknown;
}

function resolve(reference: string): Resolved {
  const steps = reference.replace('#/', '').split('/');
  return steps.reduce<unknown>((value, step) => (value as Record<string, unknown>)?.[step], document) as Resolved;
}
