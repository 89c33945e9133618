import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createFakeStreams, type FakeStream, type Json, type StreamState } from './fake-media-streams.ts';
import { errorResponse, createFakeVideos, type FakeVideo, type JsonResponse } from './fake-media-videos.ts';

/** A media server with the signed API of the real one, in memory. It transcodes and delivers no media. */
export interface FakeMediaServer {
  readonly url: string;
  readonly secret: string;
  readonly videos: ReadonlyMap<string, FakeVideo>;
  /** Streams that were registered, by room. */
  readonly streams: ReadonlyMap<string, FakeStream>;
  readonly sessions: ReadonlyMap<string, Json>;
  /** The recordings that the server lists. */
  readonly recordings: Json[];
  /** The requests, as `METHOD path`. */
  readonly requests: string[];
  /** Offers of browsers, with the key that came with each. */
  readonly offers: readonly { readonly key: string; readonly offer: string }[];
  /** The code with which the next offers are rejected. */
  offerRejection: string | null;
  /** Members of the response about the server itself, instead of the usual ones. */
  facts: Json;
  /** The next responses: an error, or `drop` to close the connection; null for real responses. */
  fail: { readonly status: number; readonly code: string; readonly message: string } | 'drop' | null;
  /** Simulates a change of a video by the transcoder. */
  changeVideo(id: string, members: Json): FakeVideo;
  /** Simulates a change of the stream by an encoder or a target. @returns its new state */
  changeStream(roomId: string, members: Json): StreamState;
  /** Opens the session of the room, as for an encoder. */
  openSession(roomId: string, body: Json): Json;
  forgetStream(roomId: string): void;
  /** Ends the session of the room, which the platform learns at its next request. */
  closeSession(roomId: string): void;
  close(): Promise<void>;
}

/** The address and secret of a media server. */
export type MediaTarget = Pick<FakeMediaServer, 'url' | 'secret'>;

/** An address without a server. */
export const absentMediaServer: MediaTarget = { url: 'http://127.0.0.1:9', secret: 'no-server-there' };

export async function startFakeMediaServer(nowMs: () => number = Date.now): Promise<FakeMediaServer> {
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const streams = createFakeStreams(nowMs);
  const videos = createFakeVideos(() => url);
  const offers: { key: string; offer: string }[] = [];
  const media: FakeMediaServer = {
    url,
    secret: randomUUID(),
    videos: videos.videos,
    streams: streams.streams,
    sessions: streams.sessions,
    recordings: [],
    requests: [],
    offers,
    offerRejection: null,
    facts: {},
    fail: null,
    changeVideo: videos.change,
    changeStream: streams.change,
    openSession: streams.openSession,
    forgetStream: (roomId) => void streams.streams.delete(roomId),
    closeSession: (roomId) => void streams.sessions.delete(roomId),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '' } = request;
    media.requests.push(`${method} ${path}`);
    if (media.fail === 'drop') return void request.socket.destroy();
    if (path.startsWith('/uploads/')) return videos.upload(request, body, response);
    if (path.startsWith('/whip/')) return takeOffer(request, response, body.toString());
    sendJson(response, respond(request, body));
  }

  function respond(request: IncomingMessage, body: Buffer): JsonResponse {
    if (media.fail !== null && media.fail !== 'drop')
      return errorResponse(media.fail.status, media.fail.code, media.fail.message);
    if (!isSigned(media.secret, request, body)) return errorResponse(401, 'unauthenticated', 'Wrong signature.');
    const { method = '', url: path = '' } = request;
    const address = new URL(path, url);
    const [, , collection = '', id = '', action = ''] = address.pathname.split('/');
    if (collection === 'videos') return videos.respond(method, address, body);
    const json = body.length === 0 ? {} : (JSON.parse(body.toString()) as Json);
    if (collection === 'recordings') return [200, { recordings: media.recordings }];
    if (collection === 'sessions') return streams.respondToSession(method, id, json);
    if (collection === 'streams') return streams.respondToStream(method, id, action, json);
    if (collection !== 'server') return errorResponse(404, 'not-found', 'No such path.');
    const usual = { name: 'foyer-media', version: '1', rtmp_url: 'rtmp://media.example/live', problem: null };
    return [200, { ...usual, now_ms: nowMs(), ...media.facts }];
  }

  function takeOffer({ method, url: path = '', headers }: IncomingMessage, response: ServerResponse, offer: string) {
    const [, , roomId = ''] = path.split('/');
    if (method === 'DELETE') {
      streams.change(roomId, { state: 'reconnecting' });
      return void response.writeHead(200).end();
    }
    offers.push({ key: String(headers.authorization).replace('Bearer ', ''), offer });
    if (media.offerRejection !== null) return sendJson(response, errorResponse(409, media.offerRejection, 'Rejected.'));
    response.writeHead(201, { 'content-type': 'application/sdp', location: `/whip/${roomId}/${randomUUID()}` });
    response.end('v=0 answer');
  }

  return media;
}

function sendJson(response: ServerResponse, [status, body]: JsonResponse): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body === null ? '' : JSON.stringify(body));
}

function isSigned(secret: string, { headers, method = '', url = '' }: IncomingMessage, body: Buffer): boolean {
  const digest = createHash('sha256').update(body).digest('hex');
  const text = `${String(headers['x-foyer-timestamp'])}.${String(headers['x-foyer-nonce'])}.${method}.${url}.${digest}`;
  const expected = createHmac('sha256', secret).update(text).digest('hex');
  const signature = String(headers['x-foyer-signature']);
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}
