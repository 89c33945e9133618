import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import cookie from '@fastify/cookie';
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify';
import { randomUUID } from 'node:crypto';
import { Failure, forbidden, notFound } from '../../failures.ts';
import { acceptsPage } from '../answer/accepts-page.ts';
import type { Route } from '../input/call.ts';
import { respondToClientError } from '../failures/client-errors.ts';
import { compressAnswers } from '../answer/compress-answers.ts';
import { type ConnectionLimits, defaultConnectionLimits, limitConnections, serverOptions } from './connections.ts';
import { type RunningRequests, trackRequests } from './running-requests.ts';
import { answerOptions } from './cors.ts';
import { headerFault } from './header-fault.ts';
import { parseBodies } from '../input/json-body.ts';
import { authorizeEarly, type RequestServices, respond } from '../respond.ts';
import { respondToFailure } from '../failures/respond-to-failure.ts';
import { addSecurityHeaders, securityHeaders } from './security-headers.ts';
import { readsOfWrites } from '../input/write-target.ts';

export interface HttpServerOptions {
  readonly logger: FastifyBaseLogger;
  readonly requireHttps: boolean;
  readonly trustProxy: boolean | number | string;
  readonly tls: { cert: string; key: string } | null;
  readonly connections?: Partial<ConnectionLimits>;
  /** Answers browsers with a 404 page; without it they get JSON. */
  readonly sendMissingPage?: (request: FastifyRequest, reply: FastifyReply) => FastifyReply;
}

const bodyLimit = 1_048_576;

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A path parameter is a secret, which must not be logged. */
    hasSecretPath?: boolean;
    /** Its answers hold a credential or a form token. */
    holdsSecret?: true;
    /** The endpoint of the route; absent on pages. */
    endpoint?: Endpoint;
  }
}

/** A number is how many proxies are trusted. Entries of `X-Forwarded-For` before them may be forged. */
function trustedProxies(setting: boolean | number | string) {
  return typeof setting === 'number' ? (_address: string, hop: number) => hop < setting : setting;
}

/** `GET http://any.host/path` asks for `/path` (RFC 9112, 3.2.2). The host comes from the client and is dropped. */
function originForm(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*(?=([/?#]|$))/i, (_all, next) => (next === '/' ? '' : '/'));
}

/**
 * A Fastify server with the parts that all paths share: request ids, HTTPS, body limits, errors, one log line per
 * request.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const limits = { ...defaultConnectionLimits, ...options.connections };
  const server = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    trustProxy: trustedProxies(options.trustProxy),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    rewriteUrl: ({ url = '/' }) => originForm(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, options.logger, limits.lingerMs),
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id);
      respondToFailure(error, request, reply);
    },
    ...(options.tls ? { https: { ...options.tls, ...serverOptions(limits) } } : { http: serverOptions(limits) }),
  }) as FastifyInstance;
  const running = trackRequests(server);
  limitConnections(server, limits, running);
  server.register(cookie);
  parseBodies(server);
  addSecurityHeaders(server);
  compressAnswers(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const fault = headerFault(request.raw);
    if (fault !== null) return done(new Failure('malformed-request', fault));
    if (options.requireHttps && request.protocol !== 'https') {
      return done(forbidden('https-required', 'Use HTTPS. Plain HTTP is not supported.'));
    }
    done();
  });
  server.addHook('onResponse', (request, reply, done) => {
    const { config, url: pattern } = request.routeOptions;
    const path = config.hasSecretPath ? pattern : request.url.split('?', 1)[0];
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
  drainBeforeClosing(server, running);
  server.setErrorHandler(respondToFailure);
  answerMissing(server, options.sendMissingPage);
  return server;
}

function answerMissing(server: FastifyInstance, sendPage: HttpServerOptions['sendMissingPage']): void {
  const missing = () => notFound('There is nothing at this path.');
  // Before the body is parsed, so that an unknown path is reported and not a fault of the body.
  server.addHook('preParsing', (request, _reply, _payload, done) =>
    request.is404 && !acceptsPage(request) ? done(missing()) : done(),
  );
  server.setNotFoundHandler((request, reply) =>
    sendPage && acceptsPage(request) ? sendPage(request, reply) : respondToFailure(missing(), request, reply),
  );
}

/**
 * Mounts the endpoints below `/api/v1` (and at the root where declared). Other methods on these paths are answered
 * with 405.
 */
export function mountRoutes(server: FastifyInstance, routes: readonly Route[], services: RequestServices): void {
  const served = new Map<string, Endpoint[]>();
  const readsOf = readsOfWrites(routes);
  for (const route of routes) {
    const { endpoint } = route;
    const reads = readsOf(endpoint);
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      respond(route, reads, { request, reply }, services);
    for (const url of pathsOf(endpoint)) {
      server.route({
        method: endpoint.method,
        url,
        handler,
        config: { endpoint },
        ...largeBodyOptions(endpoint, services),
      });
      served.set(url, [...(served.get(url) ?? []), endpoint]);
    }
  }
  for (const [url, endpoints] of served) {
    const methods = new Set<string>(endpoints.map(({ method }) => method));
    const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort().join(', ');
    refuseOtherVerbs(server, url, methods, allow);
    answerOptions(server, url, endpoints, allow);
  }
}

/** A large body is read only after authorization. */
function largeBodyOptions(endpoint: Endpoint, services: RequestServices) {
  const { bodyLimit: maximum } = endpoint;
  if (maximum === undefined) return {};
  return { bodyLimit: maximum, onRequest: (request: FastifyRequest) => authorizeEarly(endpoint, request, services) };
}

export function pathsOf(endpoint: Endpoint): string[] {
  return endpoint.atRoot ? [`/api/v1${endpoint.path}`, endpoint.path] : [`/api/v1${endpoint.path}`];
}

function requestIdOf(setting: string | string[] | undefined): string {
  return typeof setting === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(setting) ? setting : randomUUID();
}

/** How long running requests may take when the server closes. */
const finishMs = 8000;

/** Drains the server: event streams end, running requests are finished, then all connections are closed. */
function drainBeforeClosing(server: FastifyInstance, running: RunningRequests): void {
  server.addHook('preClose', async () => {
    for (const reply of running.all()) if (isEventStream(reply)) reply.raw.destroy();
    await running.ended(finishMs);
    server.server.closeAllConnections();
  });
}

/** Event streams do not end by themselves; they are closed at once, since clients reconnect. */
function isEventStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream');
}

/** Answers the other methods of a path with 405. */
export function refuseOtherVerbs(
  server: FastifyInstance,
  url: string,
  handledVerbs: ReadonlySet<string>,
  allow: string,
): void {
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter((verb) => !handledVerbs.has(verb));
  server.route({
    method: others,
    url,
    onRequest: async (_request, reply) => {
      reply.header('allow', allow);
      throw new Failure('method-not-allowed', `This path only supports ${allow}.`);
    },
    handler: () => undefined,
  });
}
