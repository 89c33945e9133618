import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { pipeline, type Readable } from 'node:stream';
import { promisify } from 'node:util';
import {
  brotliCompress,
  brotliCompressSync,
  constants,
  createBrotliCompress,
  createGzip,
  gzip,
  gzipSync,
} from 'node:zlib';
import { type Coding, withCoding } from './entity-tag.ts';

/** Shorter answers gain little from compression. */
const minBytes = 1024;
/**
 * Longer answers are compressed in the thread pool; for shorter ones, switching threads costs more than compressing.
 */
const maxInlineBytes = 65_536;

const compressible = /^(?:text\/(?!event-stream)|application\/(?:json|javascript|[\w.-]+\+json)|image\/svg\+xml)/;

/**
 * Compresses answers for clients that accept it, at the lowest levels: Brotli at quality 1 is both faster and smaller
 * than gzip. Responses that may contain a credential or a form token next to input of the caller are not compressed,
 * since their length would tell an attacker about the secret (BREACH): answers to POST, and the pages of logins,
 * consent and secret links. This hook does not run for server-sent events, which are written to the socket.
 */
export function compressAnswers(server: FastifyInstance): void {
  // A hook with a callback, since most answers need no promise.
  server.addHook('onSend', (request, reply, payload, done) => {
    if (reply.hasHeader('content-encoding') || !mayBeCompressed(request, reply)) return done(null, payload);
    varyBy(reply, 'Accept-Encoding');
    const coding = acceptedCoding(request);
    if (coding === null || payload === null || payload === undefined || payload === '') return done(null, payload);
    if (typeof payload === 'string' || Buffer.isBuffer(payload)) {
      if (Buffer.byteLength(payload) < minBytes) return done(null, payload);
      setCoding(coding, reply);
      const compressed = compressWhole[coding](Buffer.from(payload as string));
      if (Buffer.isBuffer(compressed)) return done(null, compressed);
      return void compressed.then((bytes) => done(null, bytes), done);
    }
    if (!isReadable(payload)) return done(null, payload);
    setCoding(coding, reply);
    reply.removeHeader('content-length');
    // Each chunk is flushed as it comes. An error or an early end of either stream ends both.
    done(
      null,
      pipeline(payload, createCompressor[coding](), () => {}),
    );
  });
}

/** Adds a field to `Vary`. */
export function varyBy(reply: FastifyReply, field: string): void {
  const fields = String(reply.getHeader('vary') ?? '');
  if (
    fields
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(field.toLowerCase())
  )
    return;
  reply.header('vary', fields === '' ? field : `${fields}, ${field}`);
}

/** The coding that the client prefers; null for none. */
export function acceptedCoding(request: FastifyRequest): Coding | null {
  if (request.headers['accept-encoding'] === undefined) return null;
  // @types/negotiator lacks the second argument.
  const negotiator: EncodingNegotiator = new Negotiator(request);
  const preferred = negotiator.encoding(['br', 'gzip', 'identity'], { preferred: ['br', 'gzip'] });
  return preferred === 'br' || preferred === 'gzip' ? preferred : null;
}

interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

function mayBeCompressed(request: FastifyRequest, reply: FastifyReply): boolean {
  const { hasSecretPath, holdsSecret } = request.routeOptions.config;
  if (request.method === 'POST' || hasSecretPath || holdsSecret) return false;
  if (reply.statusCode === 206) return false;
  // A 304 has the same `Vary` as the full answer.
  if (reply.statusCode === 304) return true;
  return compressible.test(String(reply.getHeader('content-type') ?? ''));
}

/** A strong tag names the bytes that are sent, so each coding has its own. */
function setCoding(coding: Coding, reply: FastifyReply): void {
  reply.header('content-encoding', coding);
  const etag = reply.getHeader('etag');
  if (typeof etag === 'string') reply.header('etag', withCoding(etag, coding));
}

const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const gzipOptions = { level: 1 };
const brotliAsync = promisify<Buffer, typeof brotliOptions, Buffer>(brotliCompress);
const gzipAsync = promisify<Buffer, typeof gzipOptions, Buffer>(gzip);

const compressWhole: Readonly<Record<Coding, (contents: Buffer) => Buffer | Promise<Buffer>>> = {
  br: (contents) =>
    contents.length > maxInlineBytes
      ? brotliAsync(contents, brotliOptions)
      : brotliCompressSync(contents, brotliOptions),
  gzip: (contents) =>
    contents.length > maxInlineBytes ? gzipAsync(contents, gzipOptions) : gzipSync(contents, gzipOptions),
};

const createCompressor = {
  br: () => createBrotliCompress({ ...brotliOptions, flush: constants.BROTLI_OPERATION_FLUSH }),
  gzip: () => createGzip({ ...gzipOptions, flush: constants.Z_SYNC_FLUSH }),
} as const;

function isReadable(payload: unknown): payload is Readable {
  return typeof payload === 'object' && payload !== null && 'pipe' in payload;
}
