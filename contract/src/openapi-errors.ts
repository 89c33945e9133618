import type { Endpoint } from './endpoint.ts';
import { type ErrorCode, errorCodes } from './error-codes.ts';
import type { Answer } from './openapi-document.ts';
import { requiredReads } from './permissions.ts';

/** Every error answer of the endpoint by its status, with the codes that it can carry. */
export function errorAnswers(endpoint: Endpoint): Record<string, Answer> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint)) {
    const status = statusOf(endpoint, code);
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = { $ref: `#/components/schemas/${endpoint.oauth ? 'OAuthErrorBody' : 'ErrorBody'}` };
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => [
        String(status),
        {
          description:
            `${statusNames[status] ?? 'Refused'}: ${codes.map((code) => `\`${code}\``).join(', ')}. ${ownMeanings(endpoint, codes)}`.trim(),
          ...headersOf(status),
          content: { 'application/json': { schema } },
          'x-codes': codes,
        },
      ]),
  );
}

/** The codes of its own first, then what its kind of endpoint can be refused with. */
export function codesOf(endpoint: Endpoint): ErrorCode[] {
  const { access } = endpoint;
  const codes = new Set<ErrorCode>(endpoint.errors ?? []);
  if (endpoint.oauth) add(codes, ['oauth-refused', 'oauth-client-refused']);
  add(codes, ['malformed-request']);
  if (endpoint.body) {
    add(codes, ['malformed-json', 'body-too-large', 'unsupported-media-type', 'validation-failed']);
  }
  if (endpoint.answer.kind === 'list') add(codes, ['unknown-query-field']);
  if (access.kind !== 'public') add(codes, ['unauthenticated']);
  if (access.kind === 'permission') {
    add(codes, ['forbidden', 'wrong-population']);
    if (requiredReads(access.permission).length > 0) add(codes, ['missing-read-permission']);
  }
  if (access.kind === 'authenticated' && access.population !== null) add(codes, ['wrong-population']);
  if (endpoint.params) add(codes, ['not-found']);
  if (access.kind === 'permission' && endpoint.method !== 'GET') add(codes, ['conflict']);
  if (access.kind === 'public') add(codes, ['busy']);
  return [...add(codes, ['https-required', 'too-many-requests', 'internal-error', 'database-unavailable'])];
}

function add(codes: Set<ErrorCode>, more: readonly ErrorCode[]): Set<ErrorCode> {
  for (const code of more) codes.add(code);
  return codes;
}

/** The token endpoints refuse with 400 where others refuse with 422. */
function statusOf(endpoint: Endpoint, code: ErrorCode): number {
  const status = errorCodes[code][0];
  return endpoint.oauth && status === 422 ? 400 : status;
}

/** The usual codes are explained once, in the catalogue. */
function ownMeanings(endpoint: Endpoint, codes: readonly ErrorCode[]): string {
  return codes.flatMap((code) => (endpoint.errors?.includes(code) ? [errorCodes[code][1]] : [])).join(' ');
}

function headersOf(status: number): Pick<Answer, 'headers'> {
  if (status === 401) return { headers: named('WWW-Authenticate') };
  if (status === 429) return { headers: named('RateLimit', 'RateLimit-Policy', 'Retry-After') };
  if (status === 503) return { headers: named('Retry-After') };
  return {};
}

function named(...names: readonly string[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'Not understood',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Refused by the state of things',
  412: 'Changed meanwhile',
  413: 'Too large',
  415: 'Not JSON',
  422: 'Not valid',
  429: 'Too many requests',
  500: 'Failed',
  503: 'Not available',
};
