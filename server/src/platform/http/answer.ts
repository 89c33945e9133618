import type { Endpoint } from '@foyer/contract/endpoint.ts';
import type { Resource } from '@foyer/contract/resource.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { parseInclude, present } from '../list-query/include.ts';
import { type ListRequest, parseListRequest, type QueryParameters } from '../list-query/list-request.ts';
import { readPage, streamRows } from '../list-query/run-list.ts';
import { type FieldFilter, parseFilter, printRow as printOne } from '../list-query/print-row.ts';
import type { TotalCache } from '../list-query/total-cache.ts';
import { type Reader, type View, viewOn } from '../list-query/view.ts';
import type { RawBuilder } from 'kysely';
import type { Result } from './call.ts';
import { entityTag, matchesEntityTag } from './entity-tag.ts';

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly query: QueryParameters;
  readonly reader: Reader;
  readonly totals: TotalCache;
  readonly defaultPageSize: number;
  readonly request: FastifyRequest;
}

/** An answer as it goes out. */
export interface Answer {
  readonly status: number;
  /** JSON, whole or in pieces as they are made; null for none. */
  readonly body: string | AsyncIterable<string> | null;
  readonly etag: string | null;
  readonly replayed?: boolean;
  /** Of what is not JSON alone. */
  readonly file?: { readonly contentType: string; readonly name: string | null };
}

/** Prints what a handler returned as the endpoint declares it, with includes and filter. */
export async function printAnswer(result: Result, context: AnswerContext): Promise<Answer> {
  const { endpoint } = context;
  const { status } = endpoint.answer;
  if (result.kind === 'nothing') return { status: 204, body: null, etag: null };
  if (result.kind === 'stream') {
    const { contentType, fileName, chunks } = result;
    return { status, body: chunks, etag: null, file: { contentType, name: fileName } };
  }
  if (result.kind === 'row') {
    const body = await printRow(result, context);
    return { status, body, etag: entityTag(isPlain(context) ? body : printPlain(result, context), body) };
  }
  if (result.kind === 'object') {
    const body = printObject(result.value, context, parseFilter(context.query['filter']));
    const isResource = endpoint.answer.kind === 'object' && endpoint.answer.enveloped;
    return { status, body, etag: isResource ? entityTag(printPlain(result, context), body) : null };
  }
  const view = viewOn(result.view, context.reader.today);
  const request = parseListRequest(context.query, view, context.defaultPageSize);
  const body =
    request.limit === null
      ? streamList(result.view, result.scope, request, context)
      : await printPage(result.view, result.scope, request, request.limit, context);
  return { status, body, etag: null };
}

/** Whether nothing is asked for but the resource. */
function isPlain({ endpoint, query }: AnswerContext): boolean {
  const { answer } = endpoint;
  const hasIncludes = answer.kind === 'resource' && (answer.includes ?? []).length > 0;
  return !hasIncludes && query['include'] === undefined && query['filter'] === undefined;
}

/** The resource as a read answers that asks for nothing special: its state, as far as anybody sees it. */
export function printPlain(
  result: Extract<Result, { kind: 'row' | 'object' }>,
  context: Pick<AnswerContext, 'endpoint' | 'reader'>,
): string {
  if (result.kind === 'object') return printObject(result.value, context, null);
  const data = printOne(result.view as never, result.row, context.reader, null);
  return JSON.stringify({ data, meta: metaOf(result.view.resource, []) });
}

/** Sends it, or 304 to a reader that has it already. */
export function send({ status, body, etag, replayed, file }: Answer, request: FastifyRequest, reply: FastifyReply) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (etag !== null) {
    reply.header('etag', etag);
    if (request.method !== 'POST' && status === 200 && isKnown(etag, request)) return reply.status(304).send();
  }
  if (body === null) return reply.status(status).send();
  reply.status(status).header('content-type', file?.contentType ?? 'application/json; charset=utf-8');
  if (file?.name) reply.header('content-disposition', `attachment; filename="${file.name}"`);
  if (typeof body === 'string') return reply.send(body);
  return reply.send(Readable.from(body, { objectMode: false, highWaterMark: 65_536 }));
}

function isKnown(etag: string, { method, headers }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && matchesEntityTag(headers['if-none-match'], etag);
}

async function printRow(
  { view, row, custom = {} }: Extract<Result, { kind: 'row' }>,
  context: AnswerContext,
): Promise<string> {
  const declared = context.endpoint.answer.kind === 'resource' ? (context.endpoint.answer.includes ?? []) : [];
  const wanted = [...declared, context.query['include'] ?? ''].join(',');
  const { tree, ignored } = parseInclude(wanted, view, context.reader);
  const [data] = await present(view, [row], context.reader, tree, parseFilter(context.query['filter']));
  return JSON.stringify({ data, meta: metaOf(view.resource, ignored, custom) });
}

function printObject(
  value: Record<string, unknown>,
  { endpoint }: Pick<AnswerContext, 'endpoint'>,
  filter: FieldFilter,
): string {
  if (endpoint.answer.kind !== 'object') throw new Error(`${endpoint.path} does not answer with an object`);
  const declared = Object.keys(endpoint.answer.schema.properties);
  if (!endpoint.answer.enveloped)
    return JSON.stringify(Object.fromEntries(declared.map((name) => [name, value[name]])));
  const kept = declared.filter((name) => filter === null || filter.has(name));
  return JSON.stringify({
    data: Object.fromEntries(kept.map((name) => [name, value[name]])),
    meta: { include: [], custom: [] },
  });
}

async function printPage(
  view: View<never>,
  scope: RawBuilder<unknown> | null,
  request: ListRequest,
  limit: number,
  context: AnswerContext,
): Promise<string> {
  const { tree, ignored } = parseInclude(context.query['include'], view, context.reader);
  const page = await readPage(view, scope, request, limit, context.reader, context.totals);
  const data = await present(view, page.rows, context.reader, tree, parseFilter(context.query['filter']));
  const links = linksOf(request, page.hasNext, page.pagination, context);
  const pagination = Object.assign(page.pagination, { links });
  return JSON.stringify({ data, meta: Object.assign(metaOf(view.resource, ignored), { pagination }) });
}

function linksOf(
  request: ListRequest,
  hasNext: boolean,
  pagination: { next_cursor: string | null; total_pages?: number },
  context: AnswerContext,
): { previous: string | null; next: string | null } {
  if (request.cursor) {
    return {
      previous: null,
      next: pagination.next_cursor ? linkTo(context, 'cursor', pagination.next_cursor) : null,
    };
  }
  const previous = request.page > 1 ? Math.min(request.page - 1, pagination.total_pages ?? request.page - 1) : null;
  return {
    previous: previous === null ? null : linkTo(context, 'page', String(previous)),
    next: hasNext ? linkTo(context, 'page', String(request.page + 1)) : null,
  };
}

function linkTo({ request, reader }: AnswerContext, name: string, value: string): string {
  const url = new URL(request.url, reader.publicUrl);
  url.searchParams.set(name, value);
  return url.href;
}

/** Every match as it comes from the database; a caller that goes away closes the cursor. */
async function* streamList(
  view: View<never>,
  scope: RawBuilder<unknown> | null,
  request: ListRequest,
  { reader, query }: AnswerContext,
): AsyncGenerator<string> {
  const { tree, ignored } = parseInclude(query['include'], view, reader);
  const filter = parseFilter(query['filter']);
  let separator = '{"data":[';
  for await (const rows of streamRows(view, scope, request, reader)) {
    const objects = await present(view, rows, reader, tree, filter);
    yield separator + objects.map((object) => JSON.stringify(object)).join(',');
    separator = ',';
  }
  const opening = separator === ',' ? '' : separator;
  yield `${opening}],"meta":${JSON.stringify(metaOf(view.resource, ignored))}}`;
}

function metaOf(
  resource: Resource,
  ignored: readonly string[],
  custom: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const told = Object.assign({}, custom, ignored.length > 0 ? { ignored_includes: ignored } : {});
  return { include: Object.keys(resource.includes), custom: Object.keys(told).length > 0 ? told : [] };
}
