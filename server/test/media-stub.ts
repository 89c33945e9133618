import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A video in the API of a media server. */
export interface StubVideo {
  video_id: string;
  room_id: string;
  revision: number;
  state: string;
  size_bytes: number;
  stored_bytes: number;
  [member: string]: unknown;
}

export interface MediaStub {
  readonly url: string;
  readonly secret: string;
  readonly videos: Map<string, StubVideo>;
  /** Method and path of each request, in order. */
  readonly requests: string[];
  /** Simulates a change of a video by the transcoder. */
  change(id: string, members: Record<string, unknown>): StubVideo;
  /** The next responses: an API error, or `drop` to close the connection; null for real responses. */
  fail: { readonly status: number; readonly code: string; readonly message: string } | 'drop' | null;
  close(): Promise<void>;
}

const none = {
  progress: 0,
  received_bytes: 0,
  failure: null,
  duration_seconds: null,
  width: null,
  height: null,
  playable: false,
  renditions: [],
  captions: [],
  has_poster: false,
  has_sprite: false,
};

/** The video API of a media server, in memory. It verifies signatures and does not transcode. */
export async function startMediaStub(): Promise<MediaStub> {
  const secret = 'media stub secret';
  const videos = new Map<string, StubVideo>();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = await bodyOf(request);
      requests.push(`${request.method} ${request.url}`);
      if (request.url?.startsWith('/uploads/')) return upload(request, body, response);
      const answer = stub.fail ?? answerOf(request, body);
      if (answer === 'drop') return void request.socket.destroy();
      const isError = 'code' in answer;
      const json = isError ? { error: { code: answer.code, message: answer.message } } : answer;
      response.writeHead(isError ? Number(answer.status) : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(json));
    })();
  });

  function answerOf(request: IncomingMessage, body: Buffer): Record<string, unknown> {
    const { method = '', url = '', headers } = request;
    const timestamp = String(headers['x-foyer-timestamp']);
    const digest = createHash('sha256').update(body).digest('hex');
    const signature = createHmac('sha256', secret).update(`${timestamp}.${method}.${url}.${digest}`).digest('hex');
    if (headers['x-foyer-signature'] !== signature) return refusal(401, 'unauthorized', 'Wrong signature.');
    const { pathname, searchParams } = new URL(url, stub.url);
    if (pathname === '/v1/videos') {
      const ids = (searchParams.get('ids') ?? '').split(',');
      return { videos: ids.flatMap((id) => videos.get(id) ?? []) };
    }
    const [, id = '', action = '', language = ''] =
      /^\/v1\/videos\/([^/]+)(?:\/(\w+))?(?:\/([\w-]+))?$/.exec(pathname) ?? [];
    if (method === 'PUT' && action === '') return prepared(id, JSON.parse(body.toString()) as Record<string, unknown>);
    if (method === 'POST' && action === 'copy') {
      prepared(id, JSON.parse(body.toString()) as Record<string, unknown>);
      return videos.get(id) ?? {};
    }
    const video = videos.get(id);
    if (method === 'DELETE' && action === '') {
      videos.delete(id);
      return {};
    }
    if (!video) return refusal(404, 'not-found', 'There is no such video.');
    if (action === 'retry') {
      return video['received_bytes'] === 0 ? video : stub.change(id, { state: 'queued', failure: null });
    }
    if (body.toString().startsWith('bad')) return refusal(422, 'file-invalid', 'Line 1 is no cue.');
    if (action === 'poster') return stub.change(id, { has_poster: true });
    const others = (video['captions'] as { language: string }[]).filter((track) => track.language !== language);
    const own = method === 'PUT' ? [{ language, label: searchParams.get('label') }] : [];
    return stub.change(id, { captions: [...others, ...own] });
  }

  /** The tus requests HEAD and PATCH. */
  function upload({ method, url = '', headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const id = url.split('/').at(-1) ?? '';
    const video = videos.get(id);
    const offset = Number(video?.['received_bytes'] ?? 0);
    if (method === 'PATCH' && headers['upload-offset'] !== String(offset)) return void response.writeHead(409).end();
    const after = method === 'PATCH' ? offset + body.length : offset;
    if (after > (video?.size_bytes ?? 0)) return void response.writeHead(413).end();
    if (method === 'PATCH') stub.change(id, { state: 'uploading', received_bytes: after });
    response.writeHead(204, { 'tus-resumable': '1.0.0', 'upload-offset': String(after) }).end();
  }

  function prepared(id: string, plan: Record<string, unknown>): Record<string, unknown> {
    const { room_id, size_bytes, expires_at_ms } = plan as {
      room_id: string;
      size_bytes: number;
      expires_at_ms: number;
    };
    if (!videos.has(id))
      videos.set(id, {
        ...none,
        video_id: id,
        room_id,
        revision: 1,
        state: 'awaiting-upload',
        size_bytes,
        stored_bytes: 0,
      });
    return { upload_url: `${stub.url}/uploads/${id}`, expires_at_ms };
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stub: MediaStub = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    secret,
    videos,
    requests,
    fail: null,
    change(id, members) {
      const video = videos.get(id);
      if (!video) throw new Error(`The stub has no video ${id}`);
      const changed = { ...video, ...members, revision: video.revision + 1 };
      videos.set(id, changed);
      return changed;
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return stub;
}

function refusal(status: number, code: string, message: string) {
  return { status, code, message };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
