import type { OpenApiDocument } from '@foyer/contract/openapi-document.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { referencePage } from './reference-page.tsx';

/**
 * Serves the OpenAPI document at `/openapi.json` and the page made of it at `/docs`. Both are made on the first request
 * and kept until the document's address changes.
 */
export function mountReference(app: FastifyInstance, document: () => OpenApiDocument): void {
  let kept: Reference | null = null;
  function current(): Reference {
    const wanted = document();
    if (!kept || !isSame(kept.document, wanted)) kept = makeReference(wanted);
    return kept;
  }
  app.get('/openapi.json', (request, reply) => send(request, reply, current().json));
  app.get('/docs', (request, reply) => send(request, reply.headers(pageHeaders), current().html));
  app.get('/docs/reference.css', (request, reply) => send(request, reply, current().css));
  app.get('/docs/reference.js', (request, reply) => send(request, reply, current().js));
}

interface Reference {
  readonly document: OpenApiDocument;
  readonly json: File;
  readonly html: File;
  readonly css: File;
  readonly js: File;
}

interface File {
  readonly type: string;
  readonly etag: string;
  /** The browser may keep it for good: its address changes with it. */
  readonly isFingerprinted: boolean;
  readonly encodings: { readonly br: Buffer; readonly gzip: Buffer; readonly identity: Buffer };
}

function isSame(one: OpenApiDocument, other: OpenApiDocument): boolean {
  return (
    one === other ||
    (one.paths === other.paths &&
      one.servers[0]?.url === other.servers[0]?.url &&
      one.info.version === other.info.version)
  );
}

function makeReference(document: OpenApiDocument): Reference {
  const { html, css, js } = referencePage(document);
  return {
    document,
    json: makeFile('application/json', JSON.stringify(document), false),
    html: makeFile('text/html', html, false),
    css: makeFile('text/css', css, true),
    js: makeFile('text/javascript', js, true),
  };
}

function makeFile(type: string, text: string, isFingerprinted: boolean): File {
  const identity = Buffer.from(text);
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    type: `${type}; charset=utf-8`,
    etag: createHash('sha256').update(identity).digest('base64url').slice(0, 22),
    isFingerprinted,
    encodings: { identity, gzip: gzipSync(identity), br: brotliCompressSync(identity, quality) },
  };
}

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

function send(request: FastifyRequest, reply: FastifyReply, file: File): FastifyReply {
  const encoding = acceptedEncoding(request.headers['accept-encoding']);
  const etag = `"${file.etag}${encoding === 'identity' ? '' : `-${encoding}`}"`;
  reply
    .header('etag', etag)
    .header('cache-control', file.isFingerprinted ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
    .header('x-content-type-options', 'nosniff');
  if (namesTag(request.headers['if-none-match'], etag)) return reply.status(304).send();
  if (encoding !== 'identity') reply.header('content-encoding', encoding);
  return reply.header('content-type', file.type).send(file.encodings[encoding]);
}

function acceptedEncoding(header: string | string[] | undefined): 'br' | 'gzip' | 'identity' {
  const accepted = String(header ?? '')
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*$/.test(part))
    .map((part) => part.split(';', 1)[0]?.trim());
  if (accepted.includes('br')) return 'br';
  return accepted.includes('gzip') ? 'gzip' : 'identity';
}

function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((part) => ['*', etag].includes(part.trim().replace(/^W\//, '')));
}
