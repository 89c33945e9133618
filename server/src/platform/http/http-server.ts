import { type Endpoint, prefixesOf } from '@foyer/contract/endpoint.ts';
import type { PermissionName } from '@foyer/contract/permissions.ts';
import cookie from '@fastify/cookie';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { randomUUID } from 'node:crypto';
import { Failure, type FieldFaults, forbidden, invalidInput, notFound } from '../failures.ts';
import { parseIdentifier, type Uuid } from '../identifier.ts';
import type { QueryParameters } from '../list-query/list-request.ts';
import type { TotalCache } from '../list-query/total-cache.ts';
import type { Reader } from '../list-query/view.ts';
import { answer } from './answer.ts';
import type { Actor, Call, Principal, Route } from './call.ts';
import { guard, guardMember, guardReserved, inScope, may, type RightsOf } from './guard.ts';
import { parseInput } from './parse-input.ts';
import { respondToFailure } from './respond-to-failure.ts';

export interface HttpServerOptions {
  readonly logger: FastifyBaseLogger;
  readonly requireHttps: boolean;
  readonly trustProxy: boolean | string;
  readonly tls: { cert: string; key: string } | null;
}

/** What the way of a request needs from the rest of the house. */
export interface RequestServices {
  readonly authenticate: (token: string) => Promise<Principal | null>;
  readonly rightsOf: RightsOf;
  readonly readerFor: (viewer: Viewer) => Reader;
  readonly systemLocale: () => string;
  readonly preferredLocale: (acceptLanguage: string | undefined) => string | null;
  readonly defaultPageSize: () => number;
  readonly totals: TotalCache;
}

export interface Viewer {
  readonly locale: string;
  readonly may: (permission: PermissionName) => boolean;
  readonly userId: Uuid | null;
}

const bodyLimit = 1_048_576;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route serves; absent on pages. */
    endpoint?: Endpoint;
  }
}

/** A Fastify server with the manners that hold for every path: request ids, HTTPS, body limits, errors, one log line. */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const app = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: options.trustProxy,
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    forceCloseConnections: 'idle',
    ...(options.tls ? { https: options.tls } : {}),
  }) as FastifyInstance;
  app.register(cookie);
  readBodies(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    if (options.requireHttps && request.protocol !== 'https') {
      return done(forbidden('https-required', 'Use HTTPS: plain HTTP is not served.'));
    }
    done();
  });
  app.addHook('onResponse', (request, reply, done) => {
    const path = request.url.split('?', 1)[0];
    const level = reply.statusCode >= 500 ? 'error' : 'info';
    request.log[level](
      {
        method: request.method,
        path,
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
        address: request.ip,
      },
      'request',
    );
    done();
  });
  finishBeforeClosing(app);
  app.setErrorHandler(respondToFailure);
  app.setNotFoundHandler((request, reply) =>
    respondToFailure(notFound('There is nothing at this path.'), request, reply),
  );
  return app;
}

/** Mounts the endpoints below `/api/v1` (and at the root where declared), with 405 for every verb that a path lacks. */
export function mountRoutes(app: FastifyInstance, routes: readonly Route[], services: RequestServices): void {
  const verbs = new Map<string, Set<string>>();
  for (const { endpoint, handle } of routes) {
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      respond(endpoint, handle, request, reply, services);
    for (const url of pathsOf(endpoint)) {
      app.route({ method: endpoint.method, url, handler, config: { endpoint } });
      const known = verbs.get(url) ?? new Set<string>();
      verbs.set(url, known.add(endpoint.method));
    }
  }
  for (const [url, known] of verbs) refuseOtherVerbs(app, url, known);
}

export function pathsOf(endpoint: Endpoint): string[] {
  return endpoint.atRoot ? [`/api/v1${endpoint.path}`, endpoint.path] : [`/api/v1${endpoint.path}`];
}

/** Authenticate, authorize, parse, act, print: the one way that every request to an endpoint takes. */
async function respond(
  endpoint: Endpoint,
  handle: Route['handle'],
  request: FastifyRequest,
  reply: FastifyReply,
  services: RequestServices,
): Promise<FastifyReply> {
  const principal = await principalOf(endpoint, request, services);
  guard(endpoint, principal);
  const query = singleValues(request.query as Record<string, unknown>);
  const locale =
    principal?.locale ?? services.preferredLocale(request.headers['accept-language']) ?? services.systemLocale();
  const isUser = principal?.kind === 'user';
  const reader = services.readerFor({
    locale,
    may: (permission) => (isUser ? inScope(principal, permission) : may(principal, permission)),
    userId: isUser ? principal.id : null,
  });
  const params = parseParams(endpoint, request.params as Record<string, string>);
  await guardMember(endpoint, principal, params, 'params', services.rightsOf);
  const { body, immutable } = parseBody(endpoint, request);
  if (body) {
    await guardMember(endpoint, principal, body, 'body', services.rightsOf);
    guardReserved(endpoint, principal, body);
  }
  const call: Call = {
    params,
    body: body as never,
    immutable,
    query,
    principal,
    actor: actorOf(principal, request),
    reader,
    request,
    reply,
  };
  const result = await handle(call);
  return await answer(result, {
    endpoint,
    query,
    reader,
    totals: services.totals,
    defaultPageSize: services.defaultPageSize(),
    request,
    reply,
  });
}

async function principalOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  services: RequestServices,
): Promise<Principal | null> {
  if (endpoint.access.kind === 'public') return null;
  const [scheme, token] = (request.headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !token) return null;
  const principal = await services.authenticate(token);
  // Whoever shows a token at an open door is told that it is not valid, rather than treated as a stranger.
  if (!principal && endpoint.access.kind === 'open-door')
    guard({ ...endpoint, access: { kind: 'authenticated', population: null } }, null);
  return principal;
}

function parseParams(endpoint: Endpoint, given: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [name, param] of Object.entries(endpoint.params ?? {})) {
    const read = prefixesOf(param).map((prefix) => parseIdentifier(prefix, given[name] ?? ''));
    const uuid = read.find((found) => found !== null);
    if (!uuid) throw notFound();
    params[name] = uuid;
  }
  return params;
}

function parseBody(
  endpoint: Endpoint,
  request: FastifyRequest,
): { body: Record<string, unknown> | undefined; immutable: Record<string, unknown> } {
  if (!endpoint.body) return { body: undefined, immutable: {} };
  const isForm = request.headers['content-type']?.startsWith(formType) === true;
  if (isForm && !endpoint.form)
    throw new Failure('unsupported-media-type', 'The body must be JSON, with the content type application/json.');
  const mode = endpoint.method === 'PATCH' ? 'update' : 'create';
  const parsed = parseInput(endpoint.body, request.body, mode);
  const fixed = endpoint.immutable ? parseInput(endpoint.immutable, request.body, 'create') : { values: {} };
  const faults: FieldFaults = {
    ...('faults' in parsed ? parsed.faults : {}),
    ...('faults' in fixed ? fixed.faults : {}),
  };
  if (!('values' in parsed) || !('values' in fixed)) throw invalidInput(faults);
  return { body: parsed.values, immutable: fixed.values };
}

export function actorOf(principal: Principal | null, request: FastifyRequest): Actor {
  return {
    type: principal?.kind ?? 'visitor',
    id: principal?.id ?? null,
    name: principal?.name ?? null,
    clientId: principal?.clientId ?? null,
    clientName: principal?.clientName ?? null,
    requestId: request.id,
    address: request.ip,
  };
}

function singleValues(query: Record<string, unknown>): QueryParameters {
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(query)) {
    const last = Array.isArray(value) ? value.at(-1) : value;
    if (typeof last === 'string') values[name] = last;
  }
  return values;
}

function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(given) ? given : randomUUID();
}

/** How long requests that are under way may take when the server closes. */
const finishMs = 8000;

/** What is under way is finished; connections on which nothing is, or not in time, are closed. */
function finishBeforeClosing(app: FastifyInstance): void {
  let underWay = 0;
  let whenDone: (() => void) | null = null;
  app.addHook('onRequest', (_request, reply, done) => {
    underWay += 1;
    // Also when the caller went away in the middle of the answer.
    reply.raw.once('close', () => {
      underWay -= 1;
      if (underWay === 0) whenDone?.();
    });
    done();
  });
  app.addHook('preClose', async () => {
    if (underWay > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, finishMs);
        whenDone = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    app.server.closeAllConnections();
  });
}

const formType = 'application/x-www-form-urlencoded';

function readBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('remove', 'remove');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(/^application\/(?:[\w.+-]+\+)?json/, { parseAs: 'string' }, (request, body, done) => {
    if (body === '') return done(null, undefined);
    void parseJson(request, body as string, (error, parsed) => {
      if (error) done(new Failure('malformed-json', 'The body is not valid JSON.'), undefined);
      else done(null, parsed);
    });
  });
  app.addContentTypeParser(formType, { parseAs: 'string' }, (_request, body, done) => {
    done(null, Object.fromEntries(new URLSearchParams(body as string)));
  });
}

function refuseOtherVerbs(app: FastifyInstance, url: string, known: ReadonlySet<string>): void {
  const allow = [...known, ...(known.has('GET') ? ['HEAD'] : [])].sort().join(', ');
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((verb) => !known.has(verb));
  app.route({
    method: others,
    url,
    onRequest: async (_request, reply) => {
      reply.header('allow', allow);
      throw new Failure('method-not-allowed', `This path answers to ${allow} only.`);
    },
    handler: () => undefined,
  });
}
