import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { addressGroup } from '../../identity/address-group.ts';
import { type RateLimiter, windowMs } from '../../limits/rate-limiter.ts';
import { Failure } from '../../failures.ts';
import type { Settings } from '../../settings.ts';
import { bearerOf } from '../input/bearer.ts';
import type { Principal } from '../input/call.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For pages, as `rateLimit` of an endpoint. */
    rateLimit?: 'login';
    /** The route is called by meeting servers, as often as they have events, so its requests are not counted. */
    isCallback?: true;
  }
}

export interface RateLimitServices {
  readonly rateLimiter: RateLimiter;
  readonly authenticate: (token: string) => Promise<Principal | null>;
  readonly limits: () => Pick<Settings, 'requests_per_minute' | 'anonymous_requests_per_minute' | 'logins_per_minute'>;
}

/**
 * Rate limits: counts every request to the API and every form that a page sends, per principal or else per address;
 * sign-ins also per address and name. Answers carry `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-
 * headers). Above the limit the answer is 429.
 */
export function limitRequests(server: FastifyInstance, { rateLimiter, authenticate, limits }: RateLimitServices): void {
  async function spend(policy: string, limit: number, key: string, reply: FastifyReply): Promise<void> {
    const { isGranted, remaining, resetsInMs } = await rateLimiter.count(key, limit);
    const seconds = Math.ceil(resetsInMs / 1000);
    append(reply, 'ratelimit-policy', `"${policy}";q=${limit};w=${windowMs / 1000}`);
    append(reply, 'ratelimit', `"${policy}";r=${remaining};t=${seconds}`);
    if (isGranted) return;
    reply.header('retry-after', String(seconds));
    throw new Failure('too-many-requests', `Too many requests: please wait ${seconds} seconds.`, {
      retryAfter: seconds,
    });
  }

  server.addHook('onRequest', async (request, reply) => {
    if (!isCounted(request)) return;
    const principal = await principalOf(request, authenticate);
    await (principal
      ? spend('default', limits().requests_per_minute, `${principal.kind} ${principal.id}`, reply)
      : spend('anonymous', limits().anonymous_requests_per_minute, `address ${addressGroup(request.ip)}`, reply));
  });
  // A hook with a callback, since few requests need a promise.
  server.addHook('preHandler', (request, reply, done) => {
    const { endpoint, rateLimit = endpoint?.rateLimit } = request.routeOptions.config;
    const name = rateLimit === 'login' ? nameDigest(request) : null;
    if (name === null) return done();
    const key = `login ${addressGroup(request.ip)} ${name}`;
    spend('login', limits().logins_per_minute, key, reply).then(() => done(), done);
  });
}

/** Pages, assets, probes and OPTIONS are not counted. */
function isCounted({ method, routeOptions, url }: FastifyRequest): boolean {
  if (method === 'OPTIONS' || routeOptions.config.isCallback) return false;
  const isRead = method === 'GET' || method === 'HEAD';
  return routeOptions.config.endpoint !== undefined || !isRead || url.startsWith('/api/');
}

async function principalOf(
  request: FastifyRequest,
  authenticate: RateLimitServices['authenticate'],
): Promise<Principal | null> {
  const token = bearerOf(request);
  const usesToken = request.routeOptions.config.endpoint?.access.kind !== 'public';
  return token !== null && usesToken ? await authenticate(token) : null;
}

const nameMembers = ['username', 'email', 'refresh_token', 'code', 'token', 'client_id'] as const;

/** A digest of the user name or token of a sign-in, which are not stored themselves. Null without one. */
function nameDigest(request: FastifyRequest): string | null {
  const body = typeof request.body === 'object' && request.body !== null ? request.body : {};
  const username = nameMembers.map((name) => (body as Record<string, unknown>)[name]).find((entry) => isName(entry));
  const basic = /^basic\s+(.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const name = isName(username) ? username : (basic ?? request.cookies['refresh_token']);
  return name === undefined
    ? null
    : createHash('sha256').update(name.trim().toLowerCase()).digest('base64url').slice(0, 22);
}

function isName(entry: unknown): entry is string {
  return typeof entry === 'string' && entry.trim() !== '';
}

function append(reply: FastifyReply, name: string, item: string): void {
  const previous = reply.getHeader(name);
  reply.header(name, previous === undefined ? item : `${String(previous)}, ${item}`);
}
