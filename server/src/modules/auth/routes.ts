import { authEndpoints as endpoints } from '@foyer/contract/resources/auth/auth.ts';
import type { Population } from '@foyer/contract/conventions/endpoint.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { Failure, forbidden, unauthenticated } from '../../platform/failures.ts';
import { type Call, type Result, type Route, route, value } from '../../platform/http/input/call.ts';
import { cookieOptions } from '../../platform/http/cookie-options.ts';
import { requirePrincipal } from '../../platform/http/input/guard.ts';
import { beginSession } from './sessions/begin-session.ts';
import { checkCredentials, signInFailure } from './sessions/check-credentials.ts';
import { type OauthClientRow, requireProxyClient } from './clients/client-store.ts';
import { oauthRoutes } from './endpoints/oauth-routes.ts';
import { printTokens } from './tokens/print-tokens.ts';
import { type IssuedTokens, renewTokens, revokeTokens } from './tokens/tokens.ts';

export function authRoutes(dependencies: Dependencies): Route[] {
  const clients = cacheProxyClients(dependencies);
  return [
    ...oauthRoutes(dependencies),
    route(endpoints.loginAdmin, (call) => login(dependencies, clients, 'admins', call)),
    route(endpoints.refreshAdmin, (call) => refresh(dependencies, clients, 'admins', call)),
    route(endpoints.loginUser, (call) => login(dependencies, clients, 'users', call)),
    route(endpoints.refreshUser, (call) => refresh(dependencies, clients, 'users', call)),
    route(endpoints.logout, async ({ actor, principal, request, reply }) => {
      await revokeTokens(dependencies, actor, requirePrincipal(principal).familyId);
      reply.clearCookie(cookieName, cookieOptions(request, '/oauth', 'strict'));
      return value({ message: 'You have been logged out.' });
    }),
  ];
}

type ProxyCall = Pick<Call, 'actor' | 'request' | 'reply'>;

type ProxyClients = (population: Population) => Promise<OauthClientRow>;

/** Caches the clients of the login endpoints, which are created at installation and never change. */
function cacheProxyClients({ db }: Dependencies): ProxyClients {
  const clients = new Map<Population, OauthClientRow>();
  return async (population) => {
    const client = clients.get(population) ?? (await requireProxyClient(db, population));
    clients.set(population, client);
    return client;
  };
}

async function login(
  dependencies: Dependencies,
  clients: ProxyClients,
  population: Population,
  call: ProxyCall & { body: { username: string; password: string; otp?: string | null } },
): Promise<Result> {
  refuseForeignOrigin(call.request, dependencies.publicUrl());
  const { username, password, otp = null } = call.body;
  const check = await checkCredentials(dependencies, {
    population,
    name: username,
    password,
    otp,
    address: call.actor.address,
  });
  if ('refusal' in check) throw signInFailure(check.refusal);
  const client = await clients(population);
  const tokens = await beginSession(dependencies, call.actor, {
    kind: 'session',
    client,
    owner: check.owner,
    scopes: ['*'],
    userAgent: call.request.headers['user-agent'] ?? null,
  });
  setRefreshCookie(call.request, call.reply, tokens, dependencies.settings().refresh_token_seconds);
  return printTokens(tokens, call.reply);
}

async function refresh(
  dependencies: Dependencies,
  clients: ProxyClients,
  population: Population,
  call: ProxyCall & { body: { refresh_token?: string } },
): Promise<Result> {
  refuseForeignOrigin(call.request, dependencies.publicUrl());
  const refreshToken = call.body.refresh_token ?? call.request.cookies[cookieName];
  if (!refreshToken) throw unauthenticated();
  const client = await clients(population);
  const renewal = await renewTokens(dependencies, call.actor, refreshToken, {
    accepts: (row) => row.client_id === client.id,
  });
  if (!('tokens' in renewal)) throw new Failure('unauthenticated', renewal.refusal);
  setRefreshCookie(call.request, call.reply, renewal.tokens, dependencies.settings().refresh_token_seconds);
  return printTokens(renewal.tokens, call.reply);
}

const cookieName = 'refresh_token';

function setRefreshCookie(request: FastifyRequest, reply: FastifyReply, tokens: IssuedTokens, maxAge: number): void {
  if (tokens.refreshToken === null) return;
  reply.setCookie(cookieName, tokens.refreshToken, { ...cookieOptions(request, '/oauth', 'strict'), maxAge });
}

/** CSRF check by the `Origin` header: only our own pages may use the login endpoints. */
function refuseForeignOrigin(request: FastifyRequest, publicUrl: string): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  const ownOrigins = [new URL(publicUrl).origin, `${request.protocol}://${request.host}`];
  if (!ownOrigins.includes(origin))
    throw forbidden('origin-refused', 'You can only log in from a page of this platform.');
}
