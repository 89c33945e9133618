import { createHmac } from 'node:crypto';
import { isEqual } from '../http/signature.ts';
import { Refusal } from '../http/answer.ts';

/** The content of a playback token. Only the platform issues tokens. */
export interface PlaybackToken {
  readonly roomId: string;
  /** Null for pictures, which need no session. */
  readonly sessionId: string | null;
  readonly viewerId: string | null;
  readonly name: string;
  readonly role: string;
  /** The only video that it allows; null for all videos of the room. */
  readonly videoId: string | null;
  /** The recording that it allows, and nothing else; null for videos and streams. */
  readonly recordingId: string | null;
  /** What the token allows: `play`, `image`, `download`, `copy`. */
  readonly actions: ReadonlySet<string>;
}

interface Payload {
  readonly r: string;
  readonly s: string | null;
  readonly v: string | null;
  readonly n?: string;
  readonly o?: string;
  readonly x: number;
  readonly i?: string;
  readonly c?: string;
  readonly k: readonly string[];
}

const maxTokenLength = 2048;

/** @throws Refusal 403 `token-invalid` or `token-expired` */
export function readToken(secret: string, token: string, nowMs: number): PlaybackToken {
  const [text = '', mac = '', rest] = token.split('.');
  const key = createHmac('sha256', secret).update('foyer-media playback v1').digest();
  const expected = createHmac('sha256', key).update(text).digest('base64url');
  if (token.length > maxTokenLength || rest !== undefined || !isEqual(mac, expected))
    throw new Refusal(403, 'token-invalid', 'This playback address is not valid.');
  const payload = JSON.parse(Buffer.from(text, 'base64url').toString()) as Payload;
  if (nowMs >= payload.x * 1000) throw new Refusal(403, 'token-expired', 'This playback address has expired.');
  return {
    roomId: payload.r,
    sessionId: payload.s,
    viewerId: payload.v,
    name: payload.n ?? '',
    role: payload.o ?? 'guest',
    videoId: payload.i ?? null,
    recordingId: payload.c ?? null,
    actions: new Set(payload.k),
  };
}
