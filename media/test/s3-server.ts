import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface S3Server {
  readonly url: string;
  readonly objects: Map<string, Buffer>;
  readonly requests: string[];
  /** How it handles the next requests. */
  mode: 'works' | 'fails' | 'hangs' | 'deletes-nothing';
  close(): Promise<void>;
}

export const s3Keys = { AWS_ACCESS_KEY_ID: 'key-of-the-test', AWS_SECRET_ACCESS_KEY: 'secret-of-the-test' };
const region = 'eu-test-1';
const pageSize = 3;

/** Objects in memory, behind the part of S3 that media servers use; signatures and digests are verified. */
export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Buffer[]>();
  const server = createServer((request, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      s3Server.requests.push(`${request.method} ${request.url}`);
      if (s3Server.mode === 'hangs') return;
      if (s3Server.mode === 'fails') return void response.writeHead(500).end();
      if (!isSigned(request, body)) return void response.writeHead(403).end();
      const { pathname, searchParams } = new URL(request.url ?? '', s3Server.url);
      const key = decodeURIComponent(pathname.replace(/^\/bucket\//, ''));
      const upload = searchParams.get('uploadId');
      switch (request.method) {
        case 'POST': {
          if (upload === null) {
            uploads.set(`id-${uploads.size}`, []);
            return void response.end(`<R><UploadId>id-${uploads.size - 1}</UploadId></R>`);
          }
          objects.set(key, Buffer.concat(uploads.get(upload) ?? []));
          return void response.end('<CompleteMultipartUploadResult/>');
        }
        case 'PUT':
          if (upload === null) objects.set(key, body);
          else uploads.get(upload)?.splice(Number(searchParams.get('partNumber')) - 1, 1, body);
          return void response.writeHead(200, { etag: '"x"' }).end();
        case 'DELETE':
          if (s3Server.mode === 'deletes-nothing') return void response.writeHead(500).end();
          objects.delete(key);
          return void response.writeHead(204).end();
        default:
      }
      if (searchParams.has('list-type')) {
        const prefix = searchParams.get('prefix') ?? '';
        const start = Number(searchParams.get('continuation-token') ?? 0);
        const all = [...objects.keys()].filter((objectKey) => objectKey.startsWith(prefix)).toSorted();
        const keys = all.slice(start, start + pageSize);
        const token = start + pageSize < all.length ? start + pageSize : null;
        const next = token === null ? '' : `<NextContinuationToken>${token}</NextContinuationToken>`;
        return void response.end(
          keys.map((listedKey) => `<Contents><Key>${listedKey}</Key></Contents>`).join('') + next,
        );
      }
      const object = objects.get(key);
      if (!object) return void response.writeHead(404).end();
      const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
      if (from === undefined) return void response.writeHead(200, { 'content-length': object.length }).end(object);
      const end = to ? Number(to) : object.length - 1;
      const part = object.subarray(Number(from), end + 1);
      const range = `bytes ${from}-${end}/${object.length}`;
      response.writeHead(206, { 'content-length': part.length, 'content-range': range }).end(part);
    })();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const s3Server: S3Server = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    requests: [],
    mode: 'works',
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return s3Server;
}

/** AWS Signature Version 4, of the Authorization header. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const { headers, method = '', url = '' } = request;
  const authorization =
    /Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      headers.authorization ?? '',
    );
  const [, key, date = '', region_ = '', names = '', signature] = authorization ?? [];
  if (key !== s3Keys.AWS_ACCESS_KEY_ID || region_ !== region) return false;
  const digest = String(headers['x-amz-content-sha256']);
  if (body.length > 0 && digest !== sha256(body)) return false;
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    path,
    query.split('&').toSorted().join('&'),
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    digest,
  ].join('\n');
  const scope = `${date}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${sha256(canonical)}`;
  const derived = [date, region, 's3', 'aws4_request'].reduce<Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    Buffer.from(`AWS4${s3Keys.AWS_SECRET_ACCESS_KEY}`),
  );
  return createHmac('sha256', derived).update(text).digest('hex') === signature;
}

function sha256(data: string | Buffer): string {
  return createHash('sha256').update(data).digest('hex');
}

export function storageUrl({ url }: S3Server): string {
  return `s3://bucket/media?endpoint=${encodeURIComponent(url)}&region=${region}`;
}
