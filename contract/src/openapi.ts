import type { Endpoint } from './endpoint.ts';
import { errorCodes, type ErrorCode } from './error-codes.ts';
import { features } from './features.ts';
import { endpoints } from './index.ts';
import { componentSchemas } from './openapi-components.ts';
import type { OpenApiDocument, Operation, Tag } from './openapi-document.ts';
import { bodySchemas, operationOf, pathOf, pathParameters, verbOf } from './openapi-operation.ts';
import { listParameters } from './openapi-query.ts';
import { permissions, scopeOf } from './permissions.ts';

/** The OpenAPI 3.1 document of the API. `serverUrl` is the public address without `/api/v1`; relative unless given. */
export function openApiDocument({ version, serverUrl = '' }: { version: string; serverUrl?: string }): OpenApiDocument {
  // Endpoints are constants: what is said of them is made once, and the same object in every document.
  described ??= describeEndpoints(endpoints);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Foyer API',
      version,
      summary: 'Resell web meetings: catalogue, customers, subscriptions, quotas, rooms, and the door to them.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${serverUrl.replace(/\/+$/, '')}/api/v1` }],
    ...described,
  };
}

type Described = Omit<OpenApiDocument, 'openapi' | 'info' | 'servers'>;

let described: Described | null = null;

function describeEndpoints(named: Readonly<Record<string, Endpoint>>): Described {
  const all = Object.values(named);
  return {
    tags: tagsOf(all),
    paths: pathsOf(named),
    components: {
      schemas: { ...componentSchemas(all), ...bodySchemas(named) },
      parameters: { ...listParameters, ...pathParameters(all) },
      headers,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An access token, from `POST /oauth/proxy/login` or `POST /oauth/token`.',
        },
      },
    },
    'x-error-codes': Object.entries(errorCodes).map(([code, [status, meaning]]) => ({
      code: code as ErrorCode,
      status,
      meaning,
    })),
    'x-permissions': permissions.map((permission) => ({ ...permission, scope: scopeOf(permission.name) })),
    'x-features': features,
  };
}

const introduction = `Everything is JSON over HTTPS below \`/api/v1\`, with an access token as bearer.

One resource comes as \`{data, meta}\`, a list as \`{data: […], meta}\` with \`meta.pagination\`. Each resource has one identifier in three forms, \`id\`, \`uuid\` and \`ulid\`, and each form is taken wherever an identifier is. Instants are \`YYYY-MM-DDTHH:MM:SS.ffffffZ\` in UTC; days are printed as their first moment.

Every error carries \`message\`, \`errors\`, \`code\` and \`request_id\`. Codes never change; all of them are in \`x-error-codes\`. A path that exists answers 405 with \`Allow\` to a verb that it lacks.

The same, to read: \`/docs\`.`;

const tagDescriptions: Readonly<Record<string, string>> = {
  Authentication: 'Tokens: how administrators and users get them, renew them and give them back.',
  Administrators: 'The people who run the platform. What they may do comes from their roles.',
  Roles: 'Named sets of permissions. Administrators hold roles, never permissions directly.',
  Permissions: 'What roles can allow, and which role allows what.',
  Settings: 'What holds for the whole platform.',
  Features: "The platform's catalogue of what packages can sell: limits and switches.",
  'Service providers': 'The back ends that hold the meetings.',
  'Service packages': 'What is for sale: price, rhythm, features, and the providers that deliver.',
  Customers: 'Who buys: businesses and persons, each with an owner.',
  Users: "The customers' own people. They never mix with administrators.",
  Subscriptions: 'What a customer has bought: terms, features with what is used of them, and providers.',
  Accounts: 'Parts of a customer that use one subscription, such as branches or departments.',
  Rooms: 'Where people meet: a room belongs to an account and is entered with tokens and access codes.',
  'Room entry': 'The door: who gets in, as what, and why not.',
  Meetings: 'What took place in the rooms.',
  Recordings: 'What was recorded in the rooms.',
  Events: 'What happened, in order.',
  Webhooks: 'What happened, delivered to an address of yours.',
  'Audit log': 'Who changed what, for whom, and when; it can only grow.',
};

function tagsOf(all: readonly Endpoint[]): Tag[] {
  const names = [...new Set(all.map(({ tag }) => tag))];
  return names.map((name) => {
    const description = tagDescriptions[name];
    return description ? { name, description } : { name };
  });
}

function pathsOf(named: Readonly<Record<string, Endpoint>>): OpenApiDocument['paths'] {
  const paths: Record<string, Record<string, Operation>> = {};
  for (const [name, endpoint] of Object.entries(named)) {
    (paths[pathOf(endpoint)] ??= {})[verbOf(endpoint)] = operationOf(name, endpoint);
  }
  return paths;
}

const headers = {
  'X-Request-Id': {
    description: 'Finds the request in the log: the one that the request named, else a new one.',
    schema: { type: 'string' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
  RateLimit: {
    description: 'What is left of each allowance, and the seconds until it is whole again: `"default";r=57;t=31`.',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'How many requests each allowance is for, in how many seconds: `"default";q=600;w=60`.',
    schema: { type: 'string' },
  },
  'Retry-After': { description: 'Seconds until it is worth trying again.', schema: { type: 'integer' } },
};
