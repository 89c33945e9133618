import { create } from 'content-disposition';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import type { Archive } from '../storage/archive.ts';
import type { ObjectStorage } from '../storage/s3.ts';
import { notFound, Refusal } from '../http/answer.ts';

const contentTypes: Readonly<Record<string, string>> = {
  m3u8: 'application/vnd.apple.mpegurl',
  m4s: 'video/iso.segment',
  mp4: 'video/mp4',
  vtt: 'text/vtt; charset=utf-8',
  jpg: 'image/jpeg',
};

/** Files up to this size are read into memory, which is cheaper than a stream. */
const maxBufferedBytes = 1_000_000;

/** Sends a file or a range of it. Readable by players on any site. */
export async function sendFile(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  path: string,
  { name, cacheSeconds, downloadName, archive }: FileOptions & { readonly archive?: Archive },
): Promise<void> {
  const stats = await stat(path).catch(() => null);
  if (!stats?.isFile()) {
    if (archive?.storage)
      return await sendStored({ request, response }, archive.storage, archive.keyOf(path), {
        name,
        cacheSeconds,
        downloadName,
      });
    throw notFound('The file');
  }
  const { size, mtimeMs } = stats;
  const etag = `"${size.toString(36)}-${Math.round(mtimeMs).toString(36)}"`;
  setHeaders(response, { name, cacheSeconds, downloadName });
  response.setHeader('etag', etag);
  if (request.headers['if-none-match'] === etag) return void response.writeHead(304).end();
  const range = readRange(request.headers.range, size);
  if (range === 'unsatisfiable') {
    response.setHeader('content-range', `bytes */${size}`);
    throw new Refusal(416, 'range', 'The file does not have the requested range.');
  }
  const { start, end } = range ?? { start: 0, end: size - 1 };
  const length = end - start + 1;
  if (range) response.setHeader('content-range', `bytes ${start}-${end}/${size}`);
  response.setHeader('content-length', length);
  response.writeHead(range ? 206 : 200);
  if (request.method === 'HEAD' || length === 0) return void response.end();
  if (length <= maxBufferedBytes) return void response.end(await readPart(path, start, length));
  // A player that seeks closes the connection.
  await pipeline(createReadStream(path, { start, end }), response).catch(() => {});
}

interface FileOptions {
  readonly name: string;
  /** How long browsers may cache the file. */
  readonly cacheSeconds: number;
  /** Offers the file for saving under this name, instead of playing it. */
  readonly downloadName?: string | undefined;
}

function setHeaders(response: ServerResponse, { name, cacheSeconds, downloadName }: FileOptions): void {
  allowPlayers(response);
  response.setHeader('content-type', downloadName === undefined ? typeOf(name) : 'application/octet-stream');
  response.setHeader('cache-control', `private, max-age=${cacheSeconds}`);
  response.setHeader('accept-ranges', 'bytes');
  if (downloadName !== undefined) response.setHeader('content-disposition', create(downloadName));
}

const stallMs = 15_000;
const forwardedHeaders = ['content-length', 'content-range', 'etag'];

/** Like `sendFile`, from object storage; forwards the range of the request. */
async function sendStored(
  { request, response }: { readonly request: IncomingMessage; readonly response: ServerResponse },
  storage: ObjectStorage,
  key: string,
  options: FileOptions,
): Promise<void> {
  const unavailable = new Refusal(503, 'storage-unavailable', 'The storage of the media server does not respond.');
  const abort = new AbortController();
  const stall = setTimeout(() => abort.abort(), stallMs);
  response.once('close', () => abort.abort());
  try {
    const { method, headers } = request;
    const storageResponse = await storage
      .get(key, method === 'HEAD' ? 'HEAD' : 'GET', headers.range, abort.signal)
      .catch(() => {
        throw unavailable;
      });
    if (storageResponse.status === 404) throw notFound('The file');
    if (storageResponse.status === 416) throw new Refusal(416, 'range', 'The file does not have the requested range.');
    if (!storageResponse.ok) throw unavailable;
    setHeaders(response, options);
    for (const name of forwardedHeaders) {
      const value = storageResponse.headers.get(name);
      if (value !== null) response.setHeader(name, value);
    }
    response.writeHead(storageResponse.status);
    if (method === 'HEAD' || !storageResponse.body) return void response.end();
    const source = Readable.fromWeb(storageResponse.body as ReadableStream<Uint8Array>);
    // Aborts if the storage sends nothing. A slow player does not count.
    source.on('data', () => stall.refresh());
    await pipeline(source, response).catch(() => {});
  } finally {
    clearTimeout(stall);
  }
}

export function sendText(response: ServerResponse, text: string, name: string, cacheSeconds = 0): void {
  allowPlayers(response);
  const cache = cacheSeconds === 0 ? 'no-store' : `private, max-age=${cacheSeconds}`;
  response
    .writeHead(200, {
      'content-type': typeOf(name),
      'content-length': Buffer.byteLength(text),
      'cache-control': cache,
    })
    .end(text);
}

/** Sends bytes from memory. */
export function sendBytes(
  { response }: { readonly response: ServerResponse },
  bytes: Buffer,
  name: string,
  cacheSeconds: number,
): void {
  allowPlayers(response);
  response
    .writeHead(200, {
      'content-type': typeOf(name),
      'content-length': bytes.length,
      'cache-control': `private, max-age=${cacheSeconds}`,
    })
    .end(bytes);
}

export function allowPlayers(response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('access-control-expose-headers', 'Content-Length, Content-Range, Date');
  response.setHeader('cross-origin-resource-policy', 'cross-origin');
  response.setHeader('x-content-type-options', 'nosniff');
}

async function readPart(path: string, start: number, length: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function typeOf(name: string): string {
  return contentTypes[name.split('.').at(-1) ?? ''] ?? 'application/octet-stream';
}

/** Parses one range. @returns null for the whole file, which is also sent for several ranges */
function readRange(header: string | undefined, size: number): { start: number; end: number } | 'unsatisfiable' | null {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (from === '' && to === '') return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size - 1 : Math.min(Number(to), size - 1);
  return start >= size || start > end ? 'unsatisfiable' : { start, end };
}
