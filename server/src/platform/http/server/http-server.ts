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
import { type ConnectionLimits, defaultConnectionLimits, createNodeServer, limitConnections } from './connections.ts';
import { type RunningRequests, trackRequests } from './running-requests.ts';
import { answerOptions } from './cors.ts';
import { findHeaderFault } from './header-fault.ts';
import { parseBodies } from '../input/json-body.ts';
import { authorizeEarly, type RequestServices, respond } from '../respond.ts';
import { respondToFailure } from '../failures/respond-to-failure.ts';
import { addSecurityHeaders, securityHeaders } from './security-headers.ts';
import { findReadRoutes } from '../input/write-target.ts';

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
    /** The answers of the route contain a credential or a form token. */
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
function toOriginForm(target: string): string {
  return target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*(?=([/?#]|$))/i, (_all, next) => (next === '/' ? '' : '/'));
}

/**
 * Creates a Fastify server with everything that all paths share: request ids, HTTPS, body limits, errors, one log line
 * per request.
 */
export function createHttpServer(options: HttpServerOptions): FastifyInstance {
  const limits = { ...defaultConnectionLimits, ...options.connections };
  const server = fastify({
    loggerInstance: options.logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit,
    trustProxy: trustedProxies(options.trustProxy),
    requestIdHeader: false,
    genReqId: (request) => requestIdOf(request.headers['x-request-id']),
    rewriteUrl: ({ url = '/' }) => toOriginForm(url),
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 2048 },
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, options.logger, limits.lingerMs),
    frameworkErrors: (error, request, reply) => {
      reply.headers(securityHeaders).header('x-request-id', request.id);
      respondToFailure(error, request, reply);
    },
    serverFactory: (handle) => createNodeServer(handle, options.tls, { limits, running: () => running }),
  }) as FastifyInstance;
  const running = trackRequests(server);
  limitConnections(server, limits, running);
  server.register(cookie);
  parseBodies(server);
  addSecurityHeaders(server);
  compressAnswers(server);
  server.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    const fault = findHeaderFault(request.raw);
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
  answerUnknownPaths(server, options.sendMissingPage);
  return server;
}

function answerUnknownPaths(server: FastifyInstance, sendPage: HttpServerOptions['sendMissingPage']): void {
  const createNotFound = () => notFound('There is nothing at this path.');
  // Before the body is parsed, so that an unknown path is reported and not a fault of the body.
  server.addHook('preParsing', (request, _reply, _payload, done) =>
    request.is404 && !acceptsPage(request) ? done(createNotFound()) : done(),
  );
  server.setNotFoundHandler((request, reply) =>
    sendPage && acceptsPage(request) ? sendPage(request, reply) : respondToFailure(createNotFound(), request, reply),
  );
}

/**
 * Mounts the endpoints below `/api/v1` (and at the root where declared). Other methods on these paths are answered
 * with 405.
 */
export function mountRoutes(server: FastifyInstance, routes: readonly Route[], services: RequestServices): void {
  const endpointsByUrl = new Map<string, Endpoint[]>();
  const readRoutesOf = findReadRoutes(routes);
  for (const route of routes) {
    const { endpoint } = route;
    const reads = readRoutesOf(endpoint);
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
      endpointsByUrl.set(url, [...(endpointsByUrl.get(url) ?? []), endpoint]);
    }
  }
  for (const [url, endpoints] of endpointsByUrl) {
    const methods = new Set<string>(endpoints.map(({ method }) => method));
    const allow = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort().join(', ');
    refuseOtherMethods(server, url, methods, allow);
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
  return endpoint.hasUnprefixedPath ? [`/api/v1${endpoint.path}`, endpoint.path] : [`/api/v1${endpoint.path}`];
}

function requestIdOf(header: string | string[] | undefined): string {
  return typeof header === 'string' && /^[A-Za-z0-9._-]{1,128}$/.test(header) ? header : randomUUID();
}

/** How long running requests may take when the server closes. */
const finishMs = 8000;

/** Drains the server: event streams end, running requests are finished, then all connections are closed. */
function drainBeforeClosing(server: FastifyInstance, running: RunningRequests): void {
  server.addHook('preClose', async () => {
    for (const reply of running.allReplies()) if (isEventStream(reply)) reply.raw.destroy();
    await running.waitUntilEnded(finishMs);
    server.server.closeAllConnections();
  });
}

/** Event streams do not end by themselves; they are closed immediately, since clients reconnect. */
function isEventStream(reply: FastifyReply): boolean {
  return String(reply.getHeader('content-type')).startsWith('text/event-stream');
}

/** Answers the other methods of a path with 405. */
export function refuseOtherMethods(
  server: FastifyInstance,
  url: string,
  handledMethods: ReadonlySet<string>,
  allow: string,
): void {
  const otherMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE'].filter(
    (method) => !handledMethods.has(method),
  );
  server.route({
    method: otherMethods,
    url,
    onRequest: async (_request, reply) => {
      reply.header('allow', allow);
      throw new Failure('method-not-allowed', `This path only supports ${allow}.`);
    },
    handler: () => undefined,
  });
}
