import type { IncomingMessage, ServerResponse } from 'node:http';

/** A video in the API of a media server. */
export interface FakeVideo {
  video_id: string;
  room_id: string;
  revision: number;
  state: string;
  size_bytes: number;
  stored_bytes: number;
  [member: string]: unknown;
}

/** A response with a JSON body. */
export type JsonResponse = readonly [status: number, body: unknown];

const emptyVideo = {
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
  state: 'awaiting-upload',
  stored_bytes: 0,
};

/** The videos of a fake media server. They are not transcoded. @param origin the address of the server */
export function createFakeVideos(origin: () => string) {
  const videos = new Map<string, FakeVideo>();

  function change(id: string, members: Record<string, unknown>): FakeVideo {
    const video = videos.get(id);
    if (!video) throw new Error(`The fake media server has no video ${id}.`);
    const changed = { ...video, ...members, revision: video.revision + 1 };
    videos.set(id, changed);
    return changed;
  }

  function prepare(id: string, body: Buffer): Record<string, unknown> {
    const { room_id, size_bytes, expires_at_ms } = JSON.parse(body.toString()) as {
      room_id: string;
      size_bytes: number;
      expires_at_ms: number;
    };
    if (!videos.has(id)) videos.set(id, { ...emptyVideo, video_id: id, room_id, revision: 1, size_bytes });
    return { upload_url: `${origin()}/uploads/${id}`, expires_at_ms };
  }

  /** Requests below `/v1/videos`. */
  function respond(method: string, { pathname, searchParams }: URL, body: Buffer): JsonResponse {
    if (pathname === '/v1/videos') {
      const ids = (searchParams.get('ids') ?? '').split(',');
      return [200, { videos: ids.flatMap((id) => videos.get(id) ?? []) }];
    }
    const [, , , id = '', action = '', language = ''] = pathname.split('/');
    if (method === 'PUT' && action === '') return [200, prepare(id, body)];
    if (action === 'copy') {
      prepare(id, body);
      return [200, videos.get(id)];
    }
    if (method === 'DELETE' && action === '') {
      videos.delete(id);
      return [200, {}];
    }
    if (action === 'hidden') {
      if (videos.has(id)) change(id, JSON.parse(body.toString()) as { hidden: boolean });
      return [200, {}];
    }
    const video = videos.get(id);
    if (!video) return errorResponse(404, 'not-found', 'There is no such video.');
    if (action === 'retry')
      return [200, video['received_bytes'] === 0 ? video : change(id, { state: 'queued', failure: null })];
    if (body.toString().startsWith('bad')) return errorResponse(422, 'file-invalid', 'Line 1 is no cue.');
    if (action === 'poster') return [200, change(id, { has_poster: true })];
    const otherTracks = (video['captions'] as { language: string }[]).filter((track) => track.language !== language);
    const newTracks = method === 'PUT' ? [{ language, label: searchParams.get('label') }] : [];
    return [200, change(id, { captions: [...otherTracks, ...newTracks] })];
  }

  /** The tus requests HEAD and PATCH. */
  function upload({ method, url = '', headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
    const id = url.split('/').at(-1) ?? '';
    const video = videos.get(id);
    const offset = Number(video?.['received_bytes'] ?? 0);
    if (method === 'PATCH' && headers['upload-offset'] !== String(offset)) return void response.writeHead(409).end();
    const received = method === 'PATCH' ? offset + body.length : offset;
    if (received > (video?.size_bytes ?? 0)) return void response.writeHead(413).end();
    if (method === 'PATCH') change(id, { state: 'uploading', received_bytes: received });
    response.writeHead(204, { 'tus-resumable': '1.0.0', 'upload-offset': String(received) }).end();
  }

  return { videos, change, respond, upload };
}

export function errorResponse(status: number, code: string, message: string): JsonResponse {
  return [status, { error: { code, message } }];
}
