import { type Endpoint, needsUsableSubscription } from '../conventions/endpoint.ts';
import { type ErrorCode, errorCodes } from '../conventions/error-codes.ts';
import { requiredRight } from '../conventions/rights.ts';
import type { Answer } from './document.ts';
import { answerHeaders, acceptsIdempotencyKey } from './headers.ts';
import { requiredReadPermissions } from '../conventions/permissions.ts';

/** The error answers of the endpoint by status, with their codes. */
export function errorAnswers(endpoint: Endpoint, canHaveIfMatch: boolean): Record<string, Answer> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codesOf(endpoint, canHaveIfMatch)) {
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
          headers: answerHeaders(...headerNames(status, codes)),
          content: { 'application/json': { schema } },
          'x-codes': codes,
        },
      ]),
  );
}

/** The endpoint's own codes first, then those of every endpoint of its kind. */
export function codesOf(endpoint: Endpoint, canHaveIfMatch: boolean): ErrorCode[] {
  const { access, body, params, method } = endpoint;
  const codes = new Set<ErrorCode>(endpoint.errors ?? []);
  if (endpoint.oauth && body) add(codes, ['oauth-refused', 'oauth-client-refused']);
  add(codes, ['malformed-request']);
  if (body) add(codes, ['malformed-json', 'body-too-large', 'unsupported-media-type', 'validation-failed']);
  if (endpoint.file) add(codes, ['body-too-large', 'unsupported-media-type', 'validation-failed']);
  if (endpoint.query) add(codes, ['validation-failed']);
  if (endpoint.answer.kind === 'list') add(codes, ['unknown-query-field']);
  add(codes, codesOfGuard(endpoint));
  if (params) add(codes, ['not-found', 'address-too-long']);
  if (acceptsIdempotencyKey(endpoint))
    add(codes, ['idempotency-key-in-use', 'idempotency-key-reused', 'idempotent-answer-not-kept', 'validation-failed']);
  if (canHaveIfMatch) add(codes, ['precondition-failed']);
  if (method !== 'GET' && access.kind !== 'public') add(codes, ['conflict']);
  if (endpoint.rateLimit === 'login') add(codes, ['busy']);
  return [...add(codes, ['https-required', 'too-many-requests', 'internal-error', 'database-unavailable'])];
}

function codesOfGuard(endpoint: Endpoint): ErrorCode[] {
  if (endpoint.access.kind === 'public') return [];
  return [
    ...codesOfAccess(endpoint),
    ...(endpoint.interactiveSession ? ['own-hand-required' as const] : []),
    ...(needsUsableSubscription(endpoint) ? ['subscription-not-usable' as const] : []),
  ];
}

function codesOfAccess({ access, isAllowedWithoutSecondFactor }: Endpoint): ErrorCode[] {
  if (access.kind === 'public') return [];
  const isForUsers = access.kind === 'authenticated' && access.population === 'users';
  const enrollment: ErrorCode[] =
    isAllowedWithoutSecondFactor || isForUsers ? [] : ['second-factor-enrollment-required'];
  if (access.kind === 'optional-token') return ['unauthenticated', ...enrollment];
  if (access.kind === 'authenticated') {
    return ['unauthenticated', ...(access.population === null ? [] : ['wrong-population' as const]), ...enrollment];
  }
  const { permission, users } = access;
  const needsRead = requiredReadPermissions(permission).length > 0 || (users && requiredRight(users.right) !== null);
  return [
    'unauthenticated',
    'forbidden',
    ...(needsRead ? ['missing-read-permission' as const] : []),
    ...(users ? [] : ['wrong-population' as const]),
    ...enrollment,
  ];
}

function add(codes: Set<ErrorCode>, more: readonly ErrorCode[]): Set<ErrorCode> {
  for (const code of more) codes.add(code);
  return codes;
}

/** The token endpoints answer 400 instead of 422. */
function statusOf(endpoint: Endpoint, code: ErrorCode): number {
  const status = errorCodes[code][0];
  return endpoint.oauth && status === 422 ? 400 : status;
}

/** Common codes are only explained in the catalogue. */
function ownMeanings(endpoint: Endpoint, codes: readonly ErrorCode[]): string {
  return codes.flatMap((code) => (endpoint.errors?.includes(code) ? [errorCodes[code][1]] : [])).join(' ');
}

function headerNames(status: number, codes: readonly ErrorCode[]): string[] {
  if (status === 429 || status === 503) return ['Retry-After'];
  const isAboutToken = codes.includes('forbidden') || codes.includes('missing-read-permission');
  return status === 401 || (status === 403 && isAboutToken) ? ['WWW-Authenticate'] : [];
}

const statusNames: Readonly<Record<number, string>> = {
  400: 'Malformed request',
  401: 'Not authenticated',
  403: 'Not allowed',
  404: 'Not found',
  409: 'Conflict with the current state',
  412: 'Changed in the meantime',
  413: 'Too large',
  414: 'Too long',
  415: 'Unsupported media type',
  422: 'Not valid',
  429: 'Too many requests',
  500: 'Failed',
  503: 'Not available',
};
