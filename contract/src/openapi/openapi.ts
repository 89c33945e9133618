import type { Endpoint } from '../conventions/endpoint.ts';
import { errorCodes, type ErrorCode } from '../conventions/error-codes.ts';
import { features } from '../resources/packages/features.ts';
import { tags } from '../resources/nouns.ts';
import { endpoints } from '../index.ts';
import { scopeSentence, securitySchemes } from './access.ts';
import { shareAnswers } from './answers.ts';
import { componentSchemas } from './components.ts';
import type { OpenApiDocument, Operation, Tag } from './document.ts';
import { bodySchemas, operationOf, pathOf, pathParameters, verbOf } from './operation.ts';
import { comparableWrites, headerParameters, headers } from './headers.ts';
import { listParameters } from './query.ts';
import { permissions, scopeOf } from '../conventions/permissions.ts';
import { scopes } from '../conventions/scope.ts';

/**
 * The OpenAPI 3.1 document of the API. `serverUrl` is the public address without `/api/v1`; without it, addresses are
 * relative.
 */
export function openApiDocument({ version, serverUrl = '' }: { version: string; serverUrl?: string }): OpenApiDocument {
  // Endpoints are constants, so their descriptions are created once and shared by all documents.
  endpointDescriptions ??= describeEndpoints(endpoints);
  const root = serverUrl.replace(/\/+$/, '');
  return {
    openapi: '3.1.0',
    info: {
      title: 'Foyer API',
      version,
      summary: 'Resell web meetings, videos and live streams: catalogue, customers, subscriptions, limits and rooms.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${root}/api/v1` }],
    ...endpointDescriptions,
    components: { ...endpointDescriptions.components, securitySchemes: securitySchemes(root) },
  };
}

type EndpointDescriptions = Omit<OpenApiDocument, 'openapi' | 'info' | 'servers' | 'components'> & {
  readonly components: Omit<OpenApiDocument['components'], 'securitySchemes'>;
};

let endpointDescriptions: EndpointDescriptions | null = null;

function describeEndpoints(endpointsByName: Readonly<Record<string, Endpoint>>): EndpointDescriptions {
  const all = Object.values(endpointsByName);
  const { paths, responses } = shareAnswers(pathsOf(endpointsByName));
  return {
    tags: tagsOf(all),
    paths,
    components: {
      schemas: { ...componentSchemas(all), ...bodySchemas(endpointsByName) },
      parameters: { ...listParameters, ...pathParameters(all), ...headerParameters },
      responses,
      headers,
    },
    'x-error-codes': Object.entries(errorCodes).map(([code, [status, meaning]]) => ({
      code: code as ErrorCode,
      status,
      meaning,
    })),
    'x-permissions': permissions.map((permission) => ({ ...permission, scope: scopeOf(permission.name) })),
    'x-scopes': scopes.map((scope) => ({ scope, meaning: scopeSentence(scope) })),
    'x-features': features,
  };
}

const introduction = `The API is JSON over HTTPS below \`/api/v1\`. Send an access token as a bearer token.

A single resource is returned as \`{data, meta}\`, a list as \`{data: […], meta}\` with \`meta.pagination\`. Each resource has one identifier in three forms, \`id\`, \`uuid\` and \`ulid\`; all three are accepted wherever an identifier is expected. Date-times are \`YYYY-MM-DDTHH:MM:SS.ffffffZ\` in UTC; days are printed as midnight UTC.

Every error has \`message\`, \`errors\`, \`code\` and \`request_id\`. Codes never change; \`x-error-codes\` lists them all. A path responds with 405 and \`Allow\` to a method that it does not support.

The guide is at \`/docs\`.`;

function tagsOf(all: readonly Endpoint[]): Tag[] {
  const names = [...new Set(all.map(({ tag }) => tag))];
  return names.map((name) => {
    const description = tags[name];
    return description ? { name, description } : { name };
  });
}

type Paths = Record<string, Record<string, Operation>>;

function pathsOf(endpointsByName: Readonly<Record<string, Endpoint>>): Paths {
  const comparable = comparableWrites(Object.values(endpointsByName));
  const paths: Paths = {};
  for (const [name, endpoint] of Object.entries(endpointsByName)) {
    (paths[pathOf(endpoint)] ??= {})[verbOf(endpoint)] = operationOf(name, endpoint, comparable.has(endpoint));
  }
  return paths;
}
