import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { sign } from '../../../media/src/http/signature.ts';
import { type ProcessFigures, readFigures } from './process-figures.ts';

const program = fileURLToPath(new URL('../../media/dist/main.js', import.meta.url));

const secret = 'a secret of the benchmark';

type Json = Record<string, unknown>;

/** The media server in a process of its own, and a platform that allows everything. */
export interface MediaServer {
  readonly url: string;
  readonly rtmpUrl: string;
  call(method: string, path: string, body?: unknown): Promise<Json>;
  figures(): Promise<ProcessFigures>;
  /** Registers the stream of a new room. */
  createStream(changes?: Json): Promise<LiveStream>;
  /** The base address of the playlists of a room, for a viewer. */
  playbackUrl(roomId: string): Promise<string>;
  readonly callbackUrl: string;
  stop(): Promise<void>;
}

export interface LiveStream {
  readonly roomId: string;
  /** The address for the encoder. */
  readonly address: string;
  readonly key: string;
}

/** @throws when it does not start */
export async function startMediaServer(dataDirectory: string): Promise<MediaServer> {
  const plans = new Map<string, Json>();
  const platform = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      const { room_id: roomId } = JSON.parse(text) as { room_id?: string };
      const stream = plans.get(roomId ?? '');
      const session = { service_type: stream?.['service_type'], name: 'Bench', callback_url: callbackUrl };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ allow: true, ...(stream && { stream, session }) }));
    });
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  const callbackUrl = `http://127.0.0.1:${(platform.address() as AddressInfo).port}/callbacks/media`;
  const child = spawn(process.execPath, [program], {
    env: {
      ...process.env,
      FOYER_MEDIA_SECRET: secret,
      FOYER_MEDIA_PORT: '0',
      FOYER_MEDIA_RTMP_PORT: '0',
      FOYER_MEDIA_DATA_DIR: dataDirectory,
      FOYER_MEDIA_DISK_RESERVE_GB: '0',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const { media: url, rtmp: rtmpUrl } = await readReadyMessage(child);

  async function call(method: string, path: string, body?: unknown): Promise<Json> {
    const content = body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body));
    const timestamp = String(Math.floor(Date.now() / 1000));
    const nonce = randomBytes(16).toString('hex');
    const response = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: content }),
      headers: {
        'content-type': 'application/json',
        'x-foyer-timestamp': timestamp,
        'x-foyer-nonce': nonce,
        'x-foyer-signature': sign(secret, { timestamp, nonce, method, path, body: content }),
      },
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    const text = await response.text();
    return text === '' ? {} : (JSON.parse(text) as Json);
  }

  return {
    url,
    rtmpUrl,
    call,
    callbackUrl,
    figures: () => readFigures(child.pid ?? 0),
    async createStream(changes = {}) {
      const roomId = randomUUID();
      const plan = { ...streamPlan, callback_url: callbackUrl, ...changes };
      plans.set(roomId, plan);
      await call('PUT', `/v1/streams/${roomId}`, plan);
      const key = `${roomId.replaceAll('-', '')}_secret-of-the-stream`;
      return { roomId, key, address: `${rtmpUrl}/${key}` };
    },
    async playbackUrl(roomId) {
      const session = await call('PUT', `/v1/sessions/${roomId}`, {
        service_type: plans.get(roomId)?.['service_type'] ?? 'video',
        name: 'Bench',
        callback_url: callbackUrl,
      });
      return `${url}/play/${playbackToken(roomId, String(session['session_id']))}`;
    },
    async stop() {
      platform.closeAllConnections();
      platform.close();
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

const streamPlan: Json = {
  service_type: 'live',
  latency_mode: 'low',
  dvr_minutes: 0,
  record: false,
  ladder: [],
  max_bitrate_kbps: null,
  max_duration_minutes: null,
  source: null,
  outputs: [],
  has_viewers: true,
  allow_private_addresses: true,
};

async function readReadyMessage({ stdout }: ChildProcess): Promise<{ readonly media: string; readonly rtmp: string }> {
  if (stdout) for await (const line of createInterface(stdout)) return JSON.parse(line);
  throw new Error('The media server did not start.');
}

/** A token in the format of the platform. */
function playbackToken(roomId: string, sessionId: string): string {
  const expires = Math.floor(Date.now() / 1000) + 3600;
  const payload = { r: roomId, s: sessionId, v: randomUUID(), n: 'Bench', o: 'guest', x: expires, k: ['play'] };
  const text = Buffer.from(JSON.stringify(payload)).toString('base64url');
  const key = createHmac('sha256', secret).update('foyer-media playback v1').digest();
  return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}
