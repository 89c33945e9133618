import fastifyStatic from '@fastify/static';
import { openApiDocument } from '@foyer/contract/openapi/openapi.ts';
import type { FastifyInstance } from 'fastify';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { App } from './app.ts';
import { createReader } from './create-reader.ts';
import { createOriginCheck } from './database/allowed-origins.ts';
import { inOneTransaction } from './database/one-transaction.ts';
import type { Snapshot } from './database/snapshot.ts';
import { recordEscalationAttempt } from './modules/audit/index.ts';
import { createAuthenticator } from './modules/auth/index.ts';
import { createIdempotencyKeys } from './modules/idempotency/index.ts';
import { rightsOf } from './modules/memberships/index.ts';
import { isSubscriptionUsable } from './modules/subscriptions/index.ts';
import { modules } from './modules.ts';
import { version } from './platform/version.ts';
import type { Principal, Route } from './platform/http/input/call.ts';
import { addCorsHeaders } from './platform/http/server/cors.ts';
import { assetsPath, registerPageAssets } from './platform/page/page-assets.ts';
import { messagePage } from './platform/page/message-page.tsx';
import { textFrameFor } from './platform/page/text-frame.ts';
import { sendSecretPage } from './platform/page/send-page.ts';
import { createHttpServer, type HttpServerOptions, mountRoutes } from './platform/http/server/http-server.ts';
import type { RequestServices } from './platform/http/respond.ts';
import { limitRequests } from './platform/http/server/rate-limit.ts';
import { parseAcceptLanguage } from './platform/time/relative-time.ts';
import { createUnsentRows } from './platform/http/answer/unsent-rows.ts';
import { createSlots, type Slots } from './platform/limits/slots.ts';
import type { Dependencies } from './dependencies.ts';
import { registerConsole } from './register-console.ts';
import { mountReference } from './reference/mount-reference.ts';
import { registerProbes } from './runtime/probes.ts';

/** Serves everything over HTTP: the API, its reference, the pages, the console and the probes. */
export async function buildApi(
  app: App,
  options: Omit<HttpServerOptions, 'logger' | 'sendMissingPage'>,
): Promise<FastifyInstance> {
  const { dependencies } = app;
  const server = createHttpServer({
    ...options,
    logger: dependencies.logger,
    sendMissingPage: (request, reply) => {
      const chrome = textFrameFor(dependencies, request);
      const { missingTitle: title, missing: sentence } = chrome.texts.failures;
      return sendSecretPage(reply, 404, messagePage(chrome, { title, sentence }));
    },
  });
  const authenticate = createAuthenticator(
    dependencies.db,
    dependencies.invalidations,
    dependencies.clock,
    dependencies.settings,
  );
  addCorsHeaders(server, allowedOrigins(dependencies));
  if (app.rateLimiter)
    limitRequests(server, { rateLimiter: app.rateLimiter, authenticate, limits: dependencies.settings });
  mountRoutes(server, routesOf(dependencies), requestServices(app, authenticate));
  registerPageAssets(server);
  for (const { pages } of modules) pages?.(server, dependencies);
  mountReference(server, () => openApiDocument({ version, serverUrl: dependencies.publicUrl() }));
  registerProbes(server, app);
  await registerConsole(server, dependencies);
  await registerPlayer(server);
  await server.ready();
  return server;
}

/** The services that request handlers use. */
export function requestServices(
  { dependencies, views, rateLimiter }: App,
  authenticate: RequestServices['authenticate'],
): RequestServices {
  const streamSlots = createSlots(maxConcurrentStreams);
  return {
    authenticate,
    inOneTransaction: (act) => inOneTransaction(dependencies.db, act),
    recordRefusal: (endpoint, call, failure) =>
      recordEscalationAttempt(dependencies, endpoint, call, failure).catch((error: unknown) =>
        dependencies.logger.error({ err: error }, 'refused escalation not written to the audit log'),
      ),
    idempotencyKeys: createIdempotencyKeys(dependencies),
    rightsOf: (userId, level, id) => rightsOf(dependencies.db, userId, level, id),
    isUsable: (level, id) => isSubscriptionUsable(dependencies, level, id),
    readerFor: (viewer) => createReader(dependencies, views, viewer),
    openSnapshot: (principal, signal) => openListSnapshot(dependencies, streamSlots, principal, signal),
    // Benchmarks switch these limits off together with the rate limits.
    listSlots: rateLimiter ? createSlots(maxConcurrentLists) : null,
    callerSlots: rateLimiter ? createSlots(slotsPerCaller, { maxPauseMs }) : null,
    tenantSlots: rateLimiter ? createSlots(slotsPerCaller, { maxPauseMs }) : null,
    unsentRows: createUnsentRows(),
    systemLocale: () => dependencies.settings().system_locale,
    preferredLocale: parseAcceptLanguage,
    defaultPageSize: () => dependencies.settings().default_page_size,
    totals: dependencies.totals,
  };
}

/** The maximum number of concurrent list requests of one principal in this process. */
const maxConcurrentLists = 8;
/**
 * The maximum number of concurrent pages and writes of one principal, and of all users of one tenant. On a small machine PostgreSQL runs on the same
 * cores, and on a large one the connections of a pool are the limit.
 */
const slotsPerCaller = Math.max(1, Math.min(3, Math.floor(availableParallelism() / 2)));
/**
 * The longest pause before a waiting page or write gets a slot. A request that waits for a lock uses its slot longer.
 */
const maxPauseMs = 200;
/** The maximum number of concurrent streamed lists of one tenant. Further ones wait in turn. */
const maxConcurrentStreams = 2;
const streamWaitMs = 10_000;

async function openListSnapshot(
  { openSnapshot }: Dependencies,
  slots: Slots,
  principal: Principal | null,
  signal: AbortSignal,
): Promise<Snapshot> {
  const releaseSlot = await slots.enter(principal?.tenantId ?? principal?.id ?? 'anonymous', streamWaitMs);
  return await openSnapshot({ signal, onClosed: releaseSlot });
}

/** Foyer's own pages, and the origins that customers and OAuth clients list. */
function allowedOrigins({ db, invalidations, publicUrl }: Dependencies): (origin: string) => Promise<boolean> {
  const isAllowed = createOriginCheck(db, invalidations);
  return async (origin) => origin === new URL(publicUrl()).origin || (await isAllowed(origin));
}

/** Serves the built player of watch pages. */
async function registerPlayer(server: FastifyInstance): Promise<void> {
  const root = fileURLToPath(new URL('../../web/player/dist/', import.meta.url));
  if (!existsSync(root)) return;
  await server.register(fastifyStatic, {
    root,
    prefix: `${assetsPath}/player/`,
    wildcard: false,
    index: false,
    decorateReply: false,
    preCompressed: true,
    cacheControl: false,
    setHeaders: (reply) => {
      reply.header('cache-control', 'no-cache');
      reply.header('x-content-type-options', 'nosniff');
    },
  });
}

export function routesOf(dependencies: Dependencies): Route[] {
  return modules.flatMap(({ routes }) => routes?.(dependencies) ?? []);
}
