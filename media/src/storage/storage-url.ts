import { fileURLToPath } from 'node:url';
import type { S3Target } from './s3.ts';

export interface StorageChoice {
  /** Null for the data directory. */
  readonly directory: string | null;
  readonly s3: S3Target | null;
}

/**
 * Reads `FOYER_STORAGE_URL`: `file:` with a path, or `s3://bucket/prefix?endpoint=…&region=…`.
 * @returns the problem in one sentence, if there is one
 */
export function readStorage(read: (name: string) => string | null): StorageChoice | string {
  const text = read('FOYER_STORAGE_URL');
  if (text === null) return { directory: null, s3: null };
  const url = URL.parse?.(text) ?? (URL.canParse(text) ? new URL(text) : null);
  if (url?.protocol === 'file:' && url.pathname.length > 1 && url.host === '')
    return { directory: fileURLToPath(url), s3: null };
  if (url?.protocol !== 's3:' || url.hostname === '')
    return 'FOYER_STORAGE_URL must be file: with a path, or s3://bucket/prefix?endpoint=…&region=….';
  const [accessKeyId, secretAccessKey] = [read('AWS_ACCESS_KEY_ID'), read('AWS_SECRET_ACCESS_KEY')];
  if (accessKeyId === null || secretAccessKey === null)
    return 'FOYER_STORAGE_URL with s3: needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.';
  const endpoint = url.searchParams.get('endpoint')?.replace(/\/+$/, '') ?? null;
  if (endpoint !== null && !/^https?:\/\/[^/?#]+$/.test(endpoint))
    return 'The endpoint in FOYER_STORAGE_URL must be an http or https address without a path.';
  const prefix = url.pathname.replaceAll(/^\/+|\/+$/g, '');
  return {
    directory: null,
    s3: {
      endpoint,
      region: url.searchParams.get('region') ?? 'us-east-1',
      bucket: url.hostname,
      prefix: prefix === '' ? '' : `${decodeURIComponent(prefix)}/`,
      accessKeyId,
      secretAccessKey,
    },
  };
}
