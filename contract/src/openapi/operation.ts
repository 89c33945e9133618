import type { TObject } from 'typebox';
import { type Endpoint, isTextParam, type PathParam, prefixesOf } from '../conventions/endpoint.ts';
import { accessOf, permissionOf, securityOf } from './access.ts';
import { componentName } from './components.ts';
import type { Answer, Operation, Parameter, Reference, Schema, Verb } from './document.ts';
import { errorAnswers } from './errors.ts';
import { exampleBody, exampleObject, withSentValues } from './examples/example.ts';
import { exampleIdentifier } from './examples/example-identifier.ts';
import { answerHeaders, headerReferences, hasETag, acceptsIdempotencyKey } from './headers.ts';
import { listMembers, queryParameters } from './query.ts';
import { identifierForms, publicObject } from './schema.ts';

export function pathOf(endpoint: Endpoint): string {
  return endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
}

export function verbOf(endpoint: Endpoint): Verb {
  return endpoint.method.toLowerCase() as Verb;
}

/** @param canHaveIfMatch whether it supports `If-Match` */
export function operationOf(name: string, endpoint: Endpoint, canHaveIfMatch: boolean): Operation {
  const access = accessOf(endpoint);
  const parameters = [
    ...pathReferences(endpoint),
    ...queryParameters(endpoint),
    ...headerReferences(endpoint, canHaveIfMatch),
  ];
  const { adminOnly = [], adminOrResellerOnly = [] } = endpoint;
  const immutable = Object.keys(endpoint.immutable?.properties ?? {});
  const paragraphs = [
    endpoint.description,
    endpoint.hasUnprefixedPath ? `Also at \`${endpoint.path}\`, without \`/api/v1\`.` : undefined,
    immutable.length > 0
      ? `Immutable members; a different value is rejected with 422: ${immutable.map(code).join(', ')}.`
      : undefined,
    adminOnly.length > 0
      ? `Only administrators can set these; users get a 422: ${adminOnly.map(code).join(', ')}.`
      : undefined,
    adminOrResellerOnly.length > 0
      ? `Only administrators, and users whose right comes from a customer above, can set these: ${adminOrResellerOnly.map(code).join(', ')}.`
      : undefined,
    endpoint.rateLimit === 'login'
      ? 'Also rate-limited per address and name, by the setting `logins_per_minute`.'
      : undefined,
    endpoint.sameOrigin ? 'Pages of other origins cannot call this.' : undefined,
    access.sentence,
  ];
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: paragraphs.filter((paragraph) => paragraph !== undefined).join('\n\n'),
    security: securityOf(endpoint),
    parameters,
    ...requestBodyOf(name, endpoint),
    responses: {
      [String(endpoint.answer.status)]: successOf(name, endpoint),
      ...notModified(endpoint),
      ...errorAnswers(endpoint, canHaveIfMatch),
    },
    'x-access': access,
    ...permissionOf(endpoint),
    ...(endpoint.answer.kind === 'list' ? { 'x-list': listMembers(endpoint.answer.resource) } : {}),
    ...(endpoint.hasUnprefixedPath ? { 'x-root-path': endpoint.path } : {}),
    ...(immutable.length > 0 ? { 'x-immutable': immutable } : {}),
    ...(adminOnly.length > 0 ? { 'x-reserved': adminOnly } : {}),
    ...(adminOrResellerOnly.length > 0 ? { 'x-reserved-from-above': adminOrResellerOnly } : {}),
    ...(endpoint.rateLimit ? { 'x-limit': endpoint.rateLimit } : {}),
  };
}

/** The identifiers in the paths of all endpoints, by the name of their component. */
export function pathParameters(endpoints: readonly Endpoint[]): Record<string, Parameter> {
  const parameters: Record<string, Parameter> = {};
  for (const { params } of endpoints) {
    for (const [name, param] of Object.entries(params ?? {})) {
      if (isTextParam(param)) {
        const { pattern, description, example } = param;
        parameters[name] = {
          name,
          in: 'path',
          required: true,
          description,
          schema: { type: 'string', pattern },
          example,
        };
        continue;
      }
      const prefixes = prefixesOf(param);
      const [first = 'user'] = prefixes;
      parameters[parameterName(name, param)] = {
        name,
        in: 'path',
        required: true,
        description: `An \`id\` (${prefixes.map((prefix) => `\`${prefix}_…\``).join(' or ')}), \`uuid\` or \`ulid\`.`,
        schema: { type: 'string', pattern: identifierForms.any(...prefixes) },
        example: exampleIdentifier(first).id,
      };
    }
  }
  return parameters;
}

function pathReferences(endpoint: Endpoint): Reference[] {
  return Object.entries(endpoint.params ?? {}).map(([name, param]) => ({
    $ref: `#/components/parameters/${parameterName(name, param)}`,
  }));
}

/** Contains the prefixes, because `provider_id` is a row of a package in one path and of a subscription in another. */
function parameterName(name: string, param: PathParam): string {
  return [name, ...prefixesOf(param)].join('.');
}

function requestBodyOf(name: string, endpoint: Endpoint): Pick<Operation, 'requestBody'> {
  const { body, file } = endpoint;
  if (file) {
    const content = Object.fromEntries(file.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]));
    return { requestBody: { required: true, content } };
  }
  if (!body) return {};
  const example = exampleRequestBody(name, endpoint, body);
  const media = { schema: { $ref: `#/components/schemas/${bodyName(name)}` }, example };
  const { required = [] } = body as { required?: string[] };
  return {
    requestBody: {
      required: required.length > 0,
      content: {
        'application/json': media,
        ...(endpoint.form ? { 'application/x-www-form-urlencoded': media } : {}),
        ...(endpoint.csvMember ? { 'text/csv': { schema: { type: 'string' } as const } } : {}),
      },
    },
  };
}

/** The example of the request body, with the same values as the example of the resource. */
function exampleRequestBody(name: string, { answer }: Endpoint, body: TObject): Record<string, unknown> {
  const resource = answer.kind === 'resource' || answer.kind === 'list' ? answer.resource : null;
  return exampleBody(name, resource ? (componentName(resource) ?? '') : '', body);
}

/** The schemas of request bodies, by the name of their component. */
export function bodySchemas(endpoints: Readonly<Record<string, Endpoint>>): Record<string, Schema> {
  return Object.fromEntries(
    Object.entries(endpoints).flatMap(([name, { body }]) =>
      body ? [[bodyName(name), publicObject(body, 'request')]] : [],
    ),
  );
}

function bodyName(operation: string): string {
  return `${operation.charAt(0).toUpperCase()}${operation.slice(1)}Body`;
}

type JsonAnswer = Exclude<Endpoint['answer'], { kind: 'empty' | 'event-stream' }>;

function successOf(name: string, endpoint: Endpoint): Answer {
  const { answer, body } = endpoint;
  const headers = answerHeaders(
    ...(hasETag(endpoint) ? ['ETag'] : []),
    ...(acceptsIdempotencyKey(endpoint) ? ['Idempotent-Replayed'] : []),
  );
  if (answer.kind === 'empty') return { description: 'Done; the response has no body.', headers };
  if (answer.kind === 'event-stream') {
    const content = { 'text/event-stream': { schema: { type: 'string' } as const } };
    return { description: 'Events, as they happen.', headers, content };
  }
  const [schema, example] = contentOf(answer, body ? exampleRequestBody(name, endpoint, body) : {});
  const json = { 'application/json': { schema, example } };
  const content =
    'csv' in endpoint && endpoint.csv === true
      ? { ...json, 'text/csv': { schema: { type: 'string' } as const } }
      : json;
  return { description: descriptionOf(answer), headers, content };
}

function notModified(endpoint: Endpoint): Record<string, Answer> {
  if (endpoint.method !== 'GET' || !hasETag(endpoint)) return {};
  return {
    '304': {
      description: 'Not modified since the `ETag` in `If-None-Match`; no body.',
      headers: answerHeaders('ETag'),
    },
  };
}

function descriptionOf(answer: JsonAnswer): string {
  if (answer.kind === 'list') return 'A page of the list.';
  if (answer.kind === 'object') return answer.enveloped ? 'The object, computed for this request.' : 'Done.';
  const includesText =
    answer.includes && answer.includes.length > 0 ? `, with ${answer.includes.map(code).join(', ')}` : '';
  return answer.status === 201 ? 'The new resource.' : `The resource${includesText}.`;
}

function contentOf(answer: JsonAnswer, sent: Record<string, unknown>): [Schema, unknown] {
  if (answer.kind === 'object') {
    const name = componentName(answer.schema);
    const schema: Schema = name ? { $ref: `#/components/schemas/${name}` } : publicObject(answer.schema, 'answer');
    const example = exampleObject(name ?? '', answer.schema);
    if (!answer.enveloped) return [schema, example];
    return [envelope(schema, 'Meta'), { data: example, meta: { include: [], custom: [] } }];
  }
  const { resource } = answer;
  const name = componentName(resource) ?? resource.object;
  const schema = { $ref: `#/components/schemas/${name}` };
  const data = exampleObject(name, { properties: resource.fields } as never);
  const meta = { include: Object.keys(resource.includes), custom: [] };
  if (answer.kind === 'resource' && answer.custom) {
    const custom = publicObject(answer.custom, 'answer');
    const metaExample = { ...meta, custom: exampleObject('', answer.custom) };
    return [envelopeWith(schema, custom), { data: withSentValues(data, sent), meta: metaExample }];
  }
  if (answer.kind === 'resource') return [envelope(schema, 'Meta'), { data: withSentValues(data, sent), meta }];
  return [envelope({ type: 'array', items: schema }, 'ListMeta'), { data: [data], meta: { ...meta, pagination } }];
}

const pagination = {
  total: 1,
  count: 1,
  per_page: 10,
  current_page: 1,
  total_pages: 1,
  next_cursor: null,
  links: { previous: null, next: null },
};

function envelope(data: Schema, meta: 'Meta' | 'ListMeta'): Schema {
  return {
    type: 'object',
    properties: { data, meta: { $ref: `#/components/schemas/${meta}` } },
    required: ['data', 'meta'],
  };
}

function envelopeWith(data: Schema, custom: Schema): Schema {
  const include = { type: 'array', items: { type: 'string' } } as const;
  const meta: Schema = { type: 'object', properties: { include, custom }, required: ['include', 'custom'] };
  return { type: 'object', properties: { data, meta }, required: ['data', 'meta'] };
}

function code(word: string): string {
  return `\`${word}\``;
}
