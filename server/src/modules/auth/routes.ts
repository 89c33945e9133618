import { authEndpoints as endpoints } from '@foyer/contract/auth.ts';
import { oauthEndpoints } from '@foyer/contract/oauth.ts';
import type { Population } from '@foyer/contract/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { Failure, forbidden, invalidInput, unauthenticated } from '../../platform/failures.ts';
import { type Call, type Result, type Route, route, value } from '../../platform/http/call.ts';
import { checkCredentials } from './check-credentials.ts';
import { proxyClient } from './store.ts';
import { answerTokenRequest } from './token-endpoint.ts';
import { type IssuedTokens, issueTokens, renewTokens, revokeTokens } from './tokens.ts';

export function authRoutes(dependencies: Dependencies): Route[] {
  return [
    route(oauthEndpoints.issueToken, async ({ actor, body, request, reply }) => {
      const { authorization } = request.headers;
      const tokens = await answerTokenRequest(dependencies, actor, {
        authorization,
        body: withoutNulls(body),
      });
      return printTokens(tokens, reply);
    }),
    route(endpoints.loginAdmin, (call) => login(dependencies, 'admins', call)),
    route(endpoints.refreshAdmin, (call) => refresh(dependencies, 'admins', call)),
    route(endpoints.loginUser, (call) => login(dependencies, 'users', call)),
    route(endpoints.refreshUser, (call) => refresh(dependencies, 'users', call)),
    route(endpoints.logout, async ({ actor, principal, request, reply }) => {
      if (!principal) throw unauthenticated();
      await revokeTokens(dependencies, actor, principal.familyId);
      reply.clearCookie(cookieName, cookieOptions(request));
      return value({ message: 'You have been logged out.' });
    }),
  ];
}

type ProxyCall = Pick<Call, 'actor' | 'request' | 'reply'>;

async function login(
  dependencies: Dependencies,
  population: Population,
  call: ProxyCall & { body: { username: string; password: string } },
): Promise<Result> {
  refuseForeignOrigin(call.request, dependencies.publicUrl());
  const owner = await checkCredentials(dependencies.db, population, call.body.username, call.body.password);
  if (!owner) {
    throw invalidInput(
      { username: ['The name or the password is wrong, or the account is inactive.'] },
      'wrong-credentials',
    );
  }
  const client = await proxyClient(dependencies.db, population);
  const tokens = await issueTokens(dependencies, call.actor, client.id, owner, ['*']);
  setRefreshCookie(call.request, call.reply, tokens, dependencies.settings().refresh_token_seconds);
  return printTokens(tokens, call.reply);
}

async function refresh(
  dependencies: Dependencies,
  population: Population,
  call: ProxyCall & { body: { refresh_token?: string } },
): Promise<Result> {
  refuseForeignOrigin(call.request, dependencies.publicUrl());
  const refreshToken = call.body.refresh_token ?? call.request.cookies[cookieName];
  if (!refreshToken) throw unauthenticated();
  const client = await proxyClient(dependencies.db, population);
  const renewal = await renewTokens(dependencies, call.actor, refreshToken, (row) => row.client_id === client.id);
  if (!('tokens' in renewal)) throw new Failure('unauthenticated', renewal.refusal);
  setRefreshCookie(call.request, call.reply, renewal.tokens, dependencies.settings().refresh_token_seconds);
  return printTokens(renewal.tokens, call.reply);
}

function printTokens(tokens: IssuedTokens, reply: FastifyReply): Result {
  reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
  return value({
    token_type: 'Bearer',
    expires_in: tokens.expiresIn,
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    scope: tokens.scopes.join(' '),
  });
}

const cookieName = 'refresh_token';

function setRefreshCookie(request: FastifyRequest, reply: FastifyReply, tokens: IssuedTokens, maxAge: number): void {
  reply.setCookie(cookieName, tokens.refreshToken, { ...cookieOptions(request), maxAge });
}

function cookieOptions(request: FastifyRequest) {
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(request.hostname);
  return {
    path: '/oauth',
    httpOnly: true,
    sameSite: 'strict' as const,
    secure: request.protocol === 'https' || !isLocal,
  };
}

/** A browser says from which origin a page calls; only our own pages may use the proxies. */
function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const own = [new URL(publicUrl).origin, `${request.protocol}://${request.host}`];
  if (!own.includes(origin)) throw forbidden('origin-refused', 'Log in from a page of this platform.');
}

function withoutNulls(body: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(body).filter(([, entry]) => entry !== null && entry !== undefined));
}
