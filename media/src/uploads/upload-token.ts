import { createHmac } from 'node:crypto';
import { isEqual } from '../http/signature.ts';
import { Refusal } from '../http/answer.ts';

/** The content of an upload token: one video, until the expiry. */
export interface UploadGrant {
  readonly videoId: string;
  readonly sizeBytes: number;
  readonly expiresAtMs: number;
}

/** The token in the address of an upload, which authenticates every request to it. */
export function signUpload(secret: string, { videoId, sizeBytes, expiresAtMs }: UploadGrant): string {
  const text = `${videoId}.${sizeBytes}.${expiresAtMs}`;
  return `${text}.${macOf(secret, text)}`;
}

/** @throws Refusal 403, or 410 if it has expired */
export function readUploadToken(secret: string, token: string, nowMs: number): UploadGrant {
  const [videoId = '', size = '', expires = '', mac = ''] = token.split('.');
  if (token.length > 200 || !isEqual(mac, macOf(secret, `${videoId}.${size}.${expires}`)))
    throw new Refusal(403, 'upload-invalid', 'This upload address is not valid.');
  const expiresAtMs = Number(expires);
  if (nowMs >= expiresAtMs) throw new Refusal(410, 'upload-expired', 'This upload address has expired.');
  return { videoId, sizeBytes: Number(size), expiresAtMs };
}

function macOf(secret: string, text: string): string {
  return createHmac('sha256', secret).update(`foyer-media upload v1 ${text}`).digest('base64url');
}
