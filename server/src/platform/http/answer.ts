import type { Endpoint } from '@foyer/contract/endpoint.ts';
import type { Resource } from '@foyer/contract/resource.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { parseInclude, present } from '../list-query/include.ts';
import { type ListRequest, parseListRequest, type QueryParameters } from '../list-query/list-request.ts';
import { readPage, streamRows } from '../list-query/run-list.ts';
import { parseFilter } from '../list-query/print-row.ts';
import type { TotalCache } from '../list-query/total-cache.ts';
import type { Reader, View } from '../list-query/view.ts';
import type { RawBuilder } from 'kysely';
import type { Result } from './call.ts';

export interface AnswerContext {
  readonly endpoint: Endpoint;
  readonly query: QueryParameters;
  readonly reader: Reader;
  readonly totals: TotalCache;
  readonly defaultPageSize: number;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Prints what a handler returned as the endpoint declares it, with includes and filter. */
export async function answer(result: Result, context: AnswerContext): Promise<FastifyReply> {
  const { endpoint, reply } = context;
  if (result.kind === 'nothing') return reply.status(204).send();
  if (result.kind === 'row') return sendJson(context, await printRow(result.view, result.row, context));
  if (result.kind === 'object') return sendJson(context, printObject(result.value, context));
  const request = parseListRequest(context.query, result.view, context.defaultPageSize);
  if (request.limit === null) return streamList(result.view, result.scope, request, context);
  reply.status(endpoint.answer.status);
  return sendJson(context, await printPage(result.view, result.scope, request, request.limit, context));
}

function sendJson({ reply, endpoint }: AnswerContext, json: string): FastifyReply {
  return reply.status(endpoint.answer.status).header('content-type', 'application/json; charset=utf-8').send(json);
}

async function printRow(view: View<never>, row: { id: string }, context: AnswerContext): Promise<string> {
  const declared = context.endpoint.answer.kind === 'resource' ? (context.endpoint.answer.includes ?? []) : [];
  const wanted = [...declared, context.query['include'] ?? ''].join(',');
  const { tree, ignored } = parseInclude(wanted, view, context.reader);
  const [data] = await present(view, [row], context.reader, tree, parseFilter(context.query['filter']));
  return JSON.stringify({ data, meta: metaOf(view.resource, ignored) });
}

function printObject(value: Record<string, unknown>, { endpoint, query }: AnswerContext): string {
  if (endpoint.answer.kind !== 'object') throw new Error(`${endpoint.path} does not answer with an object`);
  const declared = Object.keys(endpoint.answer.schema.properties);
  if (!endpoint.answer.enveloped)
    return JSON.stringify(Object.fromEntries(declared.map((name) => [name, value[name]])));
  const filter = parseFilter(query['filter']);
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
function streamList(
  view: View<never>,
  scope: RawBuilder<unknown> | null,
  request: ListRequest,
  context: AnswerContext,
): FastifyReply {
  const { reply, reader, query } = context;
  const { tree, ignored } = parseInclude(query['include'], view, reader);
  const filter = parseFilter(query['filter']);
  async function* pieces(): AsyncGenerator<string> {
    let separator = '{"data":[';
    for await (const rows of streamRows(view, scope, request, reader)) {
      const objects = await present(view, rows, reader, tree, filter);
      yield separator + objects.map((object) => JSON.stringify(object)).join(',');
      separator = ',';
    }
    const opening = separator === ',' ? '' : separator;
    yield `${opening}],"meta":${JSON.stringify(metaOf(view.resource, ignored))}}`;
  }
  return reply
    .status(200)
    .header('content-type', 'application/json; charset=utf-8')
    .send(Readable.from(pieces(), { objectMode: false, highWaterMark: 65_536 }));
}

function metaOf(resource: Resource, ignored: readonly string[]): Record<string, unknown> {
  return {
    include: Object.keys(resource.includes),
    custom: ignored.length > 0 ? { ignored_includes: ignored } : [],
  };
}
