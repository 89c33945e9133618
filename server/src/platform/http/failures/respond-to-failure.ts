import { type ErrorCode, errorCodes } from '@foyer/contract/conventions/error-codes.ts';
import { scopeOf } from '@foyer/contract/conventions/permissions.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Failure, type FieldFaults } from '../../failures.ts';
import { describeDatabaseFailure } from './describe-database-failure.ts';

/** The only place that maps failures to a status. Internal details go to the log only. */
export function respondToFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, body, retryAfter } = printFailure(error, request);
  if (status >= 500) request.log.error({ err: error }, 'request failed');
  const challenge = challengeOf(status, error, request);
  if (challenge !== null) reply.header('www-authenticate', challenge);
  if (retryAfter !== undefined) reply.header('retry-after', String(retryAfter));
  // A body that is too large is read to its end and dropped: a client that is still sending would see a reset instead
  // of the answer.
  if (status === 413) reply.removeHeader('connection');
  return reply
    .status(status)
    .header('content-type', 'application/json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(body);
}

/** `WWW-Authenticate` by RFC 6750, 3, or at OAuth endpoints by RFC 6749, 5.2. */
function challengeOf(status: number, error: unknown, request: FastifyRequest): string | null {
  const { endpoint } = request.routeOptions.config;
  if (status === 401 && endpoint?.oauth) return 'Basic realm="oauth", charset="UTF-8"';
  if (status === 401) {
    const hasToken = /^bearer /i.test(request.headers.authorization ?? '');
    return hasToken ? 'Bearer error="invalid_token", error_description="The token is not valid."' : 'Bearer';
  }
  if (!(error instanceof Failure) || !tokenCodes.has(error.code) || !endpoint) return null;
  const { access } = endpoint;
  const scope = access.kind === 'permission' ? `, scope="${scopeOf(access.permission)}"` : '';
  return `Bearer error="insufficient_scope"${scope}`;
}

/** Refusals that depend on the token. */
const tokenCodes: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['forbidden', 'missing-read-permission']);

export function printFailure(
  error: unknown,
  request: FastifyRequest,
): { status: number; body: string; retryAfter: number | undefined } {
  const { status, message, errors, code, retryAfter } = describeFailure(error);
  const body: ErrorBody = { message, errors, code, request_id: request.id };
  if (!request.routeOptions.config.endpoint?.oauth || status >= 500)
    return { status, body: JSON.stringify(body), retryAfter };
  const { oauthError = 'invalid_request' } = error instanceof Failure ? error.details : {};
  Object.assign(body, { error: oauthError, error_description: message });
  return { status: status === 422 ? 400 : status, body: JSON.stringify(body), retryAfter };
}

export interface ErrorBody {
  message: string;
  errors: FieldFaults;
  code: ErrorCode;
  request_id: string;
}

export interface FailureAnswer {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly errors: FieldFaults;
  readonly retryAfter?: number | undefined;
}

export function describeFailure(error: unknown): FailureAnswer {
  if (error instanceof Failure) {
    const { errors = {}, retryAfter } = error.details;
    return {
      status: errorCodes[error.code][0],
      code: error.code,
      message: error.message,
      errors,
      retryAfter,
    };
  }
  const code = (error as { code?: unknown } | null)?.code;
  const mapped = typeof code === 'string' ? describeCode(code) : null;
  if (mapped) return answer(mapped[0], mapped[1]);
  if (isHangUp(error))
    return answer('malformed-request', 'The connection was closed before the complete body arrived.');
  const failure = describeDatabaseFailure(error);
  if (failure) return { ...answer(failure.code, failure.message), retryAfter: 5 };
  return answer('internal-error', 'Something went wrong. Find it in the log by the request id.');
}

function answer(code: ErrorCode, message: string): FailureAnswer {
  return { status: errorCodes[code][0], code, message, errors: {} };
}

function describeCode(code: string): readonly [ErrorCode, string] | null {
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return ['body-too-large', 'The body is too large. The limit is 1 MiB, unless the endpoint says otherwise.'];
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return ['unsupported-media-type', 'The body must be JSON, with the content type application/json.'];
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return ['address-too-long', 'A segment of the path is too long.'];
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE':
    case 'FST_ERR_ASYNC_CONSTRAINT':
      return ['malformed-request', 'The request is malformed.'];
    // Two requests changed the same row at the same time; one of them failed.
    case '23505':
    case '40001':
    case '40P01':
    case '55P03':
      return ['conflict', 'Another request changed the same resource at the same time. Please try again.'];
    // A text, number or date that PostgreSQL cannot store, for example in a forged cursor.
    case '22003':
    case '22007':
    case '22008':
    case '22021':
    case '22P02':
    case '22P05':
      return ['validation-failed', 'A value in the request is not valid.'];
    case '23503':
      return ['conflict', 'A related resource was deleted at the same time, or still refers to this one.'];
    default:
      return null;
  }
}

/** An error of reading the body has a status from Fastify, unlike a lost database connection. */
function isHangUp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ECONNRESET' && 'statusCode' in error;
}
