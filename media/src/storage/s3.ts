import { AwsClient } from 'aws4fetch';
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';

export interface S3Target {
  /** Without a slash at its end; null for Amazon S3. */
  readonly endpoint: string | null;
  readonly region: string;
  readonly bucket: string;
  /** Empty, or with a slash at its end. */
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Objects of a bucket, by keys below the prefix. Requests that hang or fail reject. */
export interface ObjectStorage {
  /** Stores the file. Large files are sent in parts. */
  put(key: string, path: string): Promise<void>;
  /** Stores an empty object. */
  mark(key: string): Promise<void>;
  /** @returns the response with the object, or with status 404; the caller reads the body */
  get(key: string, method: 'GET' | 'HEAD', range: string | undefined, signal: AbortSignal): Promise<Response>;
  /** The keys that begin with the prefix. */
  list(prefix: string): Promise<string[]>;
  /** Removes the object with this key, and those below it. */
  removeAll(key: string): Promise<void>;
}

/** The smallest part. Each part is held in memory. */
const minPartBytes = 16 * 1024 * 1024;
const maxParts = 10_000;
const requestTimeoutMs = 60_000;
const maxConcurrentRemovals = 8;

export function createS3(target: S3Target): ObjectStorage {
  const { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey } = target;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 2 });
  const base = endpoint === null ? `https://${bucket}.s3.${region}.amazonaws.com` : `${endpoint}/${bucket}`;
  const urlOf = (key: string, query = '') =>
    `${base}/${`${prefix}${key}`.split('/').map(encodeURIComponent).join('/')}${query}`;

  async function send(url: string, method: string, body?: Buffer | string): Promise<Response> {
    const response = await client.fetch(url, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(requestTimeoutMs),
      ...(body !== undefined && {
        body: body as BodyInit,
        headers: { 'x-amz-content-sha256': createHash('sha256').update(body).digest('hex') },
      }),
    });
    if (response.ok) return response;
    await response.body?.cancel();
    throw new Error(`The storage responded with status ${response.status}.`);
  }

  async function putParts(key: string, parts: AsyncIterable<Buffer>): Promise<void> {
    const started = await (await send(urlOf(key, '?uploads='), 'POST')).text();
    const id = /<UploadId>([^<]+)<\/UploadId>/.exec(started)?.[1];
    if (id === undefined) throw new Error('The storage did not begin an upload.');
    const upload = `uploadId=${encodeURIComponent(id)}`;
    try {
      const partElements: string[] = [];
      for await (const part of parts) {
        const response = await send(urlOf(key, `?partNumber=${partElements.length + 1}&${upload}`), 'PUT', part);
        await response.body?.cancel();
        const etag = response.headers.get('etag') ?? '';
        partElements.push(`<Part><PartNumber>${partElements.length + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
      }
      const list = `<CompleteMultipartUpload>${partElements.join('')}</CompleteMultipartUpload>`;
      const completed = await (await send(urlOf(key, `?${upload}`), 'POST', list)).text();
      // The status of this request may be 200 before the outcome is known.
      if (completed.includes('<Error>')) throw new Error('The storage did not complete an upload.');
    } catch (error) {
      await send(urlOf(key, `?${upload}`), 'DELETE').catch(() => {});
      throw error;
    }
  }

  /** @param token of the page; empty for the first one */
  async function listPage(prefixOfKeys: string, token: string): Promise<{ keys: string[]; next: string }> {
    const page = token === '' ? '' : `&continuation-token=${encodeURIComponent(token)}`;
    const query = `?list-type=2&max-keys=1000&prefix=${encodeURIComponent(`${prefix}${prefixOfKeys}`)}${page}`;
    const text = await (await send(`${base}/${query}`, 'GET')).text();
    return {
      keys: Array.from(text.matchAll(/<Key>([^<]+)<\/Key>/g), ([, key = '']) => key.slice(prefix.length)),
      next: /<NextContinuationToken>([^<]+)</.exec(text)?.[1] ?? '',
    };
  }

  return {
    async put(key, path) {
      const { size } = await stat(path);
      const partBytes = Math.max(minPartBytes, Math.ceil(size / maxParts));
      if (size > partBytes) return await putParts(key, readParts(path, size, partBytes));
      for await (const part of readParts(path, size, partBytes)) {
        const response = await send(urlOf(key), 'PUT', part);
        await response.body?.cancel();
      }
    },
    async mark(key) {
      const response = await send(urlOf(key), 'PUT', '');
      await response.body?.cancel();
    },
    async get(key, method, range, signal) {
      const headers = range === undefined ? {} : { range };
      // A failure is not retried, since a player waits for the response.
      const request = await client.sign(urlOf(key), { method, headers });
      return await fetch(request, { redirect: 'error', signal });
    },
    async list(prefixOfKeys) {
      const all: string[] = [];
      for (let page = await listPage(prefixOfKeys, ''); ; page = await listPage(prefixOfKeys, page.next)) {
        all.push(...page.keys);
        if (page.next === '') return all;
      }
    },
    async removeAll(key) {
      for (;;) {
        const { keys: listed } = await listPage(key, '');
        const keys = listed.filter((listedKey) => listedKey === key || listedKey.startsWith(`${key}/`));
        if (keys.length === 0) return;
        for (let index = 0; index < keys.length; index += maxConcurrentRemovals) {
          const batch = keys.slice(index, index + maxConcurrentRemovals);
          await Promise.all(batch.map((listedKey) => send(urlOf(listedKey), 'DELETE')));
        }
      }
    },
  };
}

/** The file in parts; one empty part for an empty file. */
async function* readParts(path: string, size: number, partBytes: number): AsyncIterable<Buffer> {
  const file = await open(path);
  try {
    for (let start = 0; start === 0 || start < size; start += partBytes) {
      const length = Math.min(partBytes, size - start);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, start);
      if (bytesRead !== length) throw new Error('The file changed while it was stored.');
      yield buffer;
    }
  } finally {
    await file.close();
  }
}
