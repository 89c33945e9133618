import type { OpenApiDocument } from '@foyer/contract/openapi/document.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import { acceptedCoding } from '../platform/http/answer/compress-answers.ts';
import { matchEntityTag } from '../platform/http/answer/entity-tag.ts';
import { type GuideFile, readGuide } from './guide/read-guide.ts';
import { makeReference, type Reference } from './reference-pages.tsx';
import { referenceScript } from './reference-script.ts';
import { referenceStyle } from './reference-style.ts';

/**
 * Serves the OpenAPI document at `/openapi.json`, and the guide and the reference below `/docs`. Each file is generated
 * at the first request and cached until the public address changes.
 */
export function mountReference(server: FastifyInstance, document: () => OpenApiDocument): void {
  const guide = readGuide();
  let cache: Cache | null = null;
  function getCache(): Cache {
    const latest = document();
    if (!cache || !isSameDocument(cache.document, latest)) cache = createCache(latest, guide);
    return cache;
  }
  function sendPage(slug: string, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { file, reference } = getCache();
    const html = file(`page ${slug}`, 'text/html', () => reference.html(slug));
    if (!html) {
      reply.callNotFound();
      return reply;
    }
    return send(request, reply.headers(pageHeaders), html);
  }
  function serve(path: string, type: string, text: (cache: Cache) => string): void {
    server.get(path, (request, reply) => {
      const latest = getCache();
      const file = latest.file(path, type, () => text(latest));
      return file ? send(request, reply, file) : reply.callNotFound();
    });
  }
  serve('/openapi.json', 'application/json', (latest) => JSON.stringify(latest.document));
  serve('/docs/search.json', 'application/json', ({ reference }) => reference.searchIndex());
  serve('/docs/reference.css', 'text/css', () => referenceStyle);
  serve('/docs/reference.js', 'text/javascript', () => referenceScript);
  server.get('/docs', (request, reply) => sendPage('', request, reply));
  server.get<{ Params: { page: string } }>('/docs/:page', (request, reply) => {
    return sendPage(request.params.page, request, reply);
  });
}

interface Cache {
  readonly document: OpenApiDocument;
  readonly reference: Reference;
  /** Generates the file at the first call; null if `text` is null. */
  readonly file: (name: string, type: string, text: () => string | null) => File | null;
}

function createCache(document: OpenApiDocument, guide: readonly GuideFile[]): Cache {
  const files = new Map<string, File>();
  return {
    document,
    reference: makeReference(document, guide),
    file: (name, type, text) => {
      const cached = files.get(name);
      if (cached) return cached;
      const content = text();
      if (content === null) return null;
      const file = makeFile(type, content);
      files.set(name, file);
      return file;
    },
  };
}

interface File {
  readonly type: string;
  readonly etag: string;
  /** Its address contains its fingerprint, so browsers may cache it without revalidation. */
  readonly isFingerprinted: boolean;
  readonly text: string;
}

function isSameDocument(one: OpenApiDocument, other: OpenApiDocument): boolean {
  return (
    one === other ||
    (one.paths === other.paths &&
      one.servers[0]?.url === other.servers[0]?.url &&
      one.info.version === other.info.version)
  );
}

function makeFile(type: string, text: string): File {
  return {
    type: `${type}; charset=utf-8`,
    etag: `"${hash('sha256', text, 'base64url').slice(0, 22)}"`,
    isFingerprinted: fingerprintedTypes.has(type),
    text,
  };
}

const fingerprintedTypes: ReadonlySet<string> = new Set(['text/css', 'text/javascript']);

const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

function send(request: FastifyRequest, reply: FastifyReply, { type, etag, isFingerprinted, text }: File): FastifyReply {
  reply
    .header('cache-control', isFingerprinted ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('x-content-type-options', 'nosniff');
  const known = matchEntityTag(request.headers['if-none-match'], etag, acceptedCoding(request));
  reply.header('etag', known ?? etag);
  return known === null ? reply.header('content-type', type).send(text) : reply.status(304).send();
}
