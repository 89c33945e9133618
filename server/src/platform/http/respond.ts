import { type Endpoint, canRunInOneTransaction } from '@foyer/contract/conventions/endpoint.ts';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '../identity/address-group.ts';
import { Failure } from '../failures.ts';
import type { Uuid } from '../identity/identifier.ts';
import { includePaths } from '../list-query/include.ts';
import type { TotalCache } from '../list-query/total-cache.ts';
import type { Reader, ReadSnapshot } from '../list-query/view.ts';
import type { Slots } from '../limits/slots.ts';
import type { AnswerContext } from './answer/answer-context.ts';
import { type Answer, printAnswer, send } from './answer/answer.ts';
import { bearerOf } from './input/bearer.ts';
import type { Actor, Call, Principal, Route } from './input/call.ts';
import { closedSignal } from './answer/closed-signal.ts';
import {
  guard,
  guardResource,
  refuseReservedMembers,
  inScope,
  type IsUsable,
  may,
  type RightsOf,
} from './input/guard.ts';
import { answerOnce, type IdempotencyKeys } from './input/idempotency.ts';
import { changedId, parseBody, parseParams, singleValues } from './input/parse-request.ts';
import { hasPreconditions, requirePreconditions } from './input/preconditions.ts';
import type { UnsentRows } from './answer/unsent-rows.ts';
import type { ReadRoutes } from './input/write-target.ts';

/** The services that request handlers use. */
export interface RequestServices {
  readonly authenticate: (token: string) => Promise<Principal | null>;
  readonly rightsOf: RightsOf;
  readonly isUsable: IsUsable;
  /** Runs all statements of `act` in one transaction. */
  readonly inOneTransaction: <Outcome>(act: () => Promise<Outcome>) => Promise<Outcome>;
  /** Called with every failure of an endpoint, after its rollback. */
  readonly recordRefusal: (endpoint: Endpoint, call: Call, failure: unknown) => Promise<void>;
  readonly idempotencyKeys: IdempotencyKeys;
  readonly readerFor: (viewer: Viewer) => Reader;
  /** Opens the connection of a streamed answer. @throws 503 `busy` if none becomes free in time */
  readonly openSnapshot: (principal: Principal | null, signal: AbortSignal) => Promise<ReadSnapshot>;
  /** Limits list requests by principal, else by address; null if they are not limited. */
  readonly listSlots: Slots | null;
  /** Limits the pages and writes that one principal runs at the same time; others wait in turn. Null if not limited. */
  readonly callerSlots: Slots | null;
  /** Limits them for all users of a tenant. A user waits here with one request at a time, so the users take turns. */
  readonly tenantSlots: Slots | null;
  readonly unsentRows: UnsentRows;
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

/** An authorized request to an endpoint. */
interface Exchange {
  readonly endpoint: Endpoint;
  readonly principal: Principal | null;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly services: RequestServices;
}

/**
 * Handles every request to an endpoint: authenticate, authorize, parse, act, serialize.
 * @param reads the routes that read the resource that a write changes, and the resource of its answer
 */
export async function respond(
  { endpoint, handle }: Route,
  reads: ReadRoutes,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  services: RequestServices,
): Promise<FastifyReply> {
  const principal = await principalOf(endpoint, request, services);
  guard(endpoint, principal);
  if (endpoint.answer.kind === 'list') takeListSlot(services.listSlots, principal, request, reply);
  const exchange: Exchange = { endpoint, principal, request, reply, services };
  const call = await parseCall(exchange);
  const context = answerContextOf(exchange, call);
  const act = async () => await printAnswer(await handle(call), context);
  const actIfUnchanged = withPreconditions(exchange, reads.target, act, (target) =>
    requirePreconditions(target, call, context),
  );
  // Runs inside the transaction of an idempotency key, which commits the refusal as the answer, but after the
  // transaction of a precondition, which is rolled back.
  const actOrReport = () =>
    actIfUnchanged().catch(async (failure: unknown) => {
      await services.recordRefusal(endpoint, call, failure);
      throw failure;
    });
  const hasKey = endpoint.method === 'POST' && request.headers['idempotency-key'] !== undefined;
  const isKeyed = hasKey && endpoint.access.kind !== 'public';
  const printAgain = createPrintAgain(reads.answer, call, context);
  const answer = await inWriteSlot(exchange, () =>
    isKeyed ? answerOnce(endpoint, call, services, { act: actOrReport, printAgain }) : actOrReport(),
  );
  return send(answer, request, reply);
}

/** How long a write waits for other writes and pages of the same caller. */
const writeWaitMs = 30_000;

/** Lets concurrent writes of a principal wait in turn, except those that may wait for a provider. */
async function inWriteSlot<Outcome>(exchange: Exchange, act: () => Promise<Outcome>): Promise<Outcome> {
  const { endpoint, principal } = exchange;
  const isLimited = principal && endpoint.method !== 'GET' && canRunInOneTransaction(endpoint);
  return isLimited ? await inSlots(exchange, act, writeWaitMs) : await act();
}

async function inSlots<Outcome>(
  { principal, request, services: { callerSlots, tenantSlots } }: Exchange,
  act: () => Promise<Outcome>,
  waitMs: number,
): Promise<Outcome> {
  if (!callerSlots || !tenantSlots) return await act();
  const tenantId = principal?.tenantId ?? null;
  const actInTenantSlot = tenantId === null ? act : () => tenantSlots.run(tenantId, act, waitMs);
  return await callerSlots.run(callerOf(principal, request), actInTenantSlot, waitMs);
}

/** Parses the request, and checks the caller's rights on the resources in it. */
async function parseCall({ endpoint, principal, request, reply, services }: Exchange): Promise<Call> {
  const params = parseParams(endpoint, request.params as Record<string, string>);
  const rights = await guardResource(endpoint, principal, { from: 'params', values: params }, services);
  const { body, immutable } = await parseBody(endpoint, request, changedId(endpoint, params, principal));
  if (body) {
    const rightsOfBody = await guardResource(endpoint, principal, { from: 'body', values: body }, services);
    refuseReservedMembers(endpoint, principal, rights ?? rightsOfBody, body);
  }
  const query = singleValues(request.query as Record<string, unknown>);
  // Checked before a write, whose answer could otherwise not be printed.
  includePaths(query['include']);
  return {
    params,
    body: body as never,
    immutable,
    query,
    principal,
    actor: actorOf(principal, request),
    reader: readerOf(principal, request, services),
    request,
    reply,
    isStillAllowed: () => isAllowed(endpoint, request, services),
  };
}

function readerOf(principal: Principal | null, request: FastifyRequest, services: RequestServices): Reader {
  const { preferredLocale, systemLocale, readerFor } = services;
  const isUser = principal?.kind === 'user';
  return readerFor({
    locale: principal?.locale ?? preferredLocale(request.headers['accept-language']) ?? systemLocale(),
    may: (permission) => (isUser ? inScope(principal, permission) : may(principal, permission)),
    userId: isUser ? principal.id : null,
  });
}

function answerContextOf(exchange: Exchange, call: Call): AnswerContext {
  const { endpoint, principal, request, reply, services } = exchange;
  const { unsentRows } = services;
  const reader = { caller: callerOf(principal, request), tenant: principal?.tenantId ?? null };
  return {
    endpoint,
    query: call.query,
    reader: call.reader,
    totals: services.totals,
    defaultPageSize: services.defaultPageSize(),
    request,
    openSnapshot: () => services.openSnapshot(principal, closedSignal(reply)),
    // A write that returns a list holds a slot already.
    inPageSlot: async (read) => (endpoint.method === 'GET' ? await inSlots(exchange, read, pageWaitMs) : await read()),
    checkHeldRows: () => unsentRows.check(reader),
    holdRows(bytes) {
      // The write is already done, so its answer is not refused.
      if (endpoint.method !== 'GET') return;
      const release = unsentRows.hold(reader, bytes);
      reply.raw.on('close', release);
      if (reply.raw.destroyed) release();
    },
  };
}

/** If the request has preconditions, compares them and acts in one transaction. */
function withPreconditions(
  { endpoint, request, services }: Exchange,
  target: Route | null,
  act: () => Promise<Answer>,
  compare: (target: Route | null) => Promise<void>,
): () => Promise<Answer> {
  const isConditional =
    endpoint.method !== 'GET' && canRunInOneTransaction(endpoint) && hasPreconditions(request.headers);
  if (!isConditional) return act;
  const compareAndAct = async () => {
    await compare(target);
    return await act();
  };
  return target === null ? compareAndAct : () => services.inOneTransaction(compareAndAct);
}

/** How long a page waits for other pages of the same caller. */
const pageWaitMs = 10_000;

function callerOf(principal: Principal | null, request: FastifyRequest): string {
  return principal ? `${principal.kind} ${principal.id}` : `address ${addressGroup(request.ip)}`;
}

/** Creates a function that reads the resource of an answer by its id, and prints it as the answer of the endpoint. */
function createPrintAgain(
  read: Route | null,
  call: Call,
  context: AnswerContext,
): ((id: Uuid) => Promise<Answer>) | null {
  const idParam = read && Object.keys(read.endpoint.params ?? {}).at(-1);
  if (!read || idParam === undefined || idParam === null) return null;
  return async (id) =>
    await printAnswer(await read.handle({ ...call, params: { ...call.params, [idParam]: id } }), context);
}

/** Holds a slot until the answer has ended or its client has disconnected. @throws 429 `too-many-at-once` */
function takeListSlot(
  slots: Slots | null,
  principal: Principal | null,
  request: FastifyRequest,
  { raw }: FastifyReply,
): void {
  if (!slots) return;
  const release = slots.tryEnter(callerOf(principal, request));
  if (!release) {
    const sentence = 'You have too many list requests running at once. Wait until one of them ends.';
    throw new Failure('too-many-at-once', sentence, { retryAfter: 1 });
  }
  raw.on('close', release);
  if (raw.destroyed) release();
}

async function isAllowed(endpoint: Endpoint, request: FastifyRequest, services: RequestServices): Promise<boolean> {
  try {
    await authorizeEarly(endpoint, request, services);
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}

/** Authenticates and authorizes before the body is read. @throws 401, 403 */
export async function authorizeEarly(
  endpoint: Endpoint,
  request: FastifyRequest,
  services: RequestServices,
): Promise<void> {
  guard(endpoint, await principalOf(endpoint, request, services));
}

async function principalOf(
  endpoint: Endpoint,
  request: FastifyRequest,
  services: RequestServices,
): Promise<Principal | null> {
  if (endpoint.access.kind === 'public') return null;
  const token = bearerOf(request);
  if (token === null) return null;
  const principal = await services.authenticate(token);
  // An invalid token is rejected, although the endpoint needs none.
  if (!principal && endpoint.access.kind === 'optional-token')
    guard({ ...endpoint, access: { kind: 'authenticated', population: null } }, null);
  return principal;
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
