import type { FastifyReply, FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import type { Uuid } from '../../identity/identifier.ts';
import { parseListRequest } from '../../list-query/list-request.ts';
import { parseFilter } from '../../list-query/print-row.ts';
import { viewOn } from '../../list-query/view.ts';
import type { AnswerContext } from './answer-context.ts';
import type { Result } from '../input/call.ts';
import { acceptedCoding } from './compress-answers.ts';
import { entityTag, matchEntityTag } from './entity-tag.ts';
import { limitReading } from './limit-reading.ts';
import { printPage, streamList } from './print-list.ts';
import { printObject, printPlain, printResource } from './print-resource.ts';
import { describeFailure } from '../failures/respond-to-failure.ts';

/** An answer that is ready to be sent. */
export interface Answer {
  readonly status: number;
  /** JSON, whole or in chunks; null for none. */
  readonly body: string | AsyncIterable<string> | null;
  readonly etag: string | null;
  readonly replayed?: boolean;
  /** The resource that the body prints. */
  readonly resourceId?: Uuid;
  /** Set for answers that are not JSON. */
  readonly file?: { readonly contentType: string; readonly name: string | null };
}

/** Serializes the result of a handler as the endpoint declares it, with includes and filter. */
export async function printAnswer(result: Result, context: AnswerContext): Promise<Answer> {
  const { endpoint } = context;
  const { status } = endpoint.answer;
  if (result.kind === 'nothing') return { status: 204, body: null, etag: null };
  if (result.kind === 'stream') {
    const { contentType, fileName, chunks } = result;
    return { status, body: chunks, etag: null, file: { contentType, name: fileName } };
  }
  if (result.kind === 'row') {
    const { id } = result.row as { readonly id: Uuid };
    return { status, resourceId: id, ...(await printResource(result, context)) };
  }
  if (result.kind === 'object') {
    const body = printObject(result.value, context, parseFilter(context.query['filter']));
    const isResource = endpoint.answer.kind === 'object' && endpoint.answer.enveloped;
    return { status, body, etag: isResource ? entityTag(printPlain(result, context), body) : null };
  }
  const view = viewOn(result.view, context.reader.today);
  const request = parseListRequest(context.query, view, context.defaultPageSize);
  const list = { view: result.view, scope: result.scope, request };
  const body = request.limit === null ? await streamList(list, context) : await printPage(list, request.limit, context);
  return { status, body, etag: null };
}

/** Sends the answer, or 304 if the client has it already. */
export function send({ status, body, etag, replayed, file }: Answer, request: FastifyRequest, reply: FastifyReply) {
  if (replayed) reply.header('idempotent-replayed', 'true');
  if (etag !== null) {
    reply.header('etag', etag);
    const matchingTag = request.method !== 'POST' && status === 200 ? knownTag(etag, request) : null;
    if (matchingTag !== null) return reply.status(304).header('etag', matchingTag).send();
  }
  if (body === null) return reply.status(status).send();
  reply.status(status).header('content-type', file?.contentType ?? 'application/json; charset=utf-8');
  if (file?.name) reply.header('content-disposition', `attachment; filename="${file.name}"`);
  if (typeof body === 'string') return reply.send(body);
  if (request.method === 'HEAD') {
    void body[Symbol.asyncIterator]().return?.();
    return reply.send();
  }
  const chunks = limitReading(body, () => void reply.raw.destroy());
  const stream = Readable.from(chunks, { objectMode: false, highWaterMark: 65_536 });
  stream.once('error', (error) => {
    request.log[hasClientLeft(error, reply) ? 'debug' : levelOf(error)]({ err: error }, 'streamed answer aborted');
  });
  return reply.send(stream);
}

/** A compressed answer ends with this error when its connection is closed; an error of its source has another code. */
function hasClientLeft(error: Error & { readonly code?: unknown }, { raw }: FastifyReply): boolean {
  return error.code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.destroyed;
}

function levelOf(error: Error): 'error' | 'warn' {
  return describeFailure(error).status >= 500 ? 'error' : 'warn';
}

/** The tag in `If-None-Match` that matches the answer; null if the client does not have the answer yet. */
function knownTag(etag: string, request: FastifyRequest): string | null {
  if (request.method !== 'GET' && request.method !== 'HEAD') return null;
  return matchEntityTag(request.headers['if-none-match'], etag, acceptedCoding(request));
}
