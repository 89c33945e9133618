import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readStream } from '../src/providers/foyer-media/streams.ts';
import { handleStreamEvent } from '../src/modules/streams/index.ts';
import type { TestApi } from './api.ts';
import { makeRoom, unique } from './factories.ts';

type Json = Record<string, unknown>;

interface FakeStream {
  body: Json | null;
  state: Json & { revision: number };
}

/** A media server with the signed API of the real one. It stores sessions and streams, and delivers no media. */
export interface FakeMediaServer {
  readonly url: string;
  readonly secret: string;
  /** Streams that were registered, by room. */
  readonly streams: ReadonlyMap<string, FakeStream>;
  readonly sessions: ReadonlyMap<string, Json>;
  /** The requests, as `METHOD path`. */
  readonly requests: readonly string[];
  /** Offers of browsers, with the key that came with each. */
  readonly offers: readonly { readonly key: string; readonly offer: string }[];
  /** The code with which the next offers are refused. */
  refusesOffers: string | null;
  /** Members of the answer about the server itself, instead of the usual ones. */
  facts: Json;
  /** Simulates a change of the stream by an encoder or a target. @returns its new state */
  change(roomId: string, members: Json): Json & { revision: number };
  /** Opens the session of the room, as for an encoder. */
  open(roomId: string, body: Json): Json;
  forget(roomId: string): void;
  /** Ends the session of the room, which the platform learns when it asks. */
  closeSession(roomId: string): void;
  isDown: boolean;
  close(): Promise<void>;
}

export async function startFakeMediaServer(nowMs: () => number): Promise<FakeMediaServer> {
  const secret = randomUUID();
  const streams = new Map<string, FakeStream>();
  const sessions = new Map<string, Json>();
  const requests: string[] = [];
  const offers: { key: string; offer: string }[] = [];
  const idle = (roomId: string) => ({
    room_id: roomId,
    revision: 1,
    state: 'idle',
    session_id: null,
    started_at_ms: null,
    ended_at_ms: null,
    protocol: null,
    input: null,
    viewers: 0,
    outputs: [],
    recording: null,
    end_reason: null,
  });
  const media = {
    secret,
    streams,
    sessions,
    requests,
    offers,
    refusesOffers: null as string | null,
    isDown: false,
    facts: {} as Json,
    change(roomId: string, members: Json) {
      const stream = streams.get(roomId) ?? { body: null, state: idle(roomId) };
      stream.state = { ...stream.state, ...members, revision: stream.state.revision + 1 };
      streams.set(roomId, stream);
      return stream.state;
    },
    open(roomId: string, body: Json) {
      const session = sessions.get(roomId) ?? openSession(roomId, body);
      sessions.set(roomId, session);
      return session;
    },
    forget: (roomId: string) => void streams.delete(roomId),
    closeSession: (roomId: string) => void sessions.delete(roomId),
  };

  function answer(method: string, path: string, body: Json): [number, unknown] {
    const [, , collection = '', id = '', verb = ''] = path.split('?')[0]?.split('/') ?? [];
    if (collection === 'server') {
      return [
        200,
        {
          name: 'foyer-media',
          version: '1',
          now_ms: nowMs(),
          rtmp_url: 'rtmp://media.example/live',
          problem: null,
          ...media.facts,
        },
      ];
    }
    if (collection === 'sessions') {
      if (method === 'PUT') {
        const already = sessions.has(id);
        const session = sessions.get(id) ?? openSession(id, body);
        sessions.set(id, session);
        return [200, { ...session, already }];
      }
      if (method === 'DELETE') {
        sessions.delete(id);
        if (streams.get(id)?.state['state'] !== 'idle') endStream(id, 'platform');
        return [204, null];
      }
      if (id === '') return [200, { sessions: [...sessions.values()] }];
      const session = sessions.get(id);
      return session ? [200, session] : [404, { error: { code: 'not-found', message: 'No session.' } }];
    }
    if (collection === 'streams') {
      if (id === '') return [200, { streams: Array.from(streams.values(), ({ state }) => state) }];
      if (method === 'PUT') {
        media.change(id, {});
        const stream = streams.get(id);
        if (stream) stream.body = body;
        return [200, stream?.state];
      }
      if (method === 'DELETE') {
        streams.delete(id);
        return [204, null];
      }
      if (verb === 'end') {
        endStream(id, String(body['reason']));
        return [204, null];
      }
      const stream = streams.get(id);
      return stream ? [200, stream.state] : [404, { error: { code: 'not-found', message: 'No stream.' } }];
    }
    return [404, { error: { code: 'not-found', message: 'No such path.' } }];
  }

  function openSession(roomId: string, body: Json): Json {
    return {
      room_id: roomId,
      session_id: randomUUID(),
      service_type: body['service_type'],
      created_at_ms: nowMs(),
      live_since_ms: null,
      viewers: [],
      peak_viewers: 0,
    };
  }

  function endStream(roomId: string, reason: string): void {
    const isLive = streams.get(roomId)?.state['state'] !== 'idle' && streams.has(roomId);
    sessions.delete(roomId);
    if (!isLive) return;
    media.change(roomId, {
      state: 'idle',
      session_id: null,
      started_at_ms: null,
      input: null,
      viewers: 0,
      end_reason: reason,
      ended_at_ms: nowMs(),
    });
  }

  const server = createServer((request, response) => void handle(request, response));
  function takeOffer({ method, url = '', headers }: IncomingMessage, response: ServerResponse, offer: string): void {
    const [, , roomId = ''] = url.split('/');
    if (method === 'DELETE') {
      media.change(roomId, { state: 'reconnecting' });
      return void response.writeHead(200).end();
    }
    offers.push({ key: String(headers.authorization).replace('Bearer ', ''), offer });
    if (media.refusesOffers !== null) {
      response.writeHead(409, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ error: { code: media.refusesOffers, message: 'Refused.' } }));
    }
    response.writeHead(201, { 'content-type': 'application/sdp', location: `/whip/${roomId}/${randomUUID()}` });
    response.end('v=0 answer');
  }
  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { method = '', url: path = '' } = request;
    if (media.isDown) return void request.socket.destroy();
    requests.push(`${method} ${path}`);
    if (path.startsWith('/whip/')) return takeOffer(request, response, body.toString());
    const [status, json] = isSigned(secret, request, body)
      ? answer(method, path, body.length === 0 ? {} : (JSON.parse(body.toString()) as Json))
      : [401, { error: { code: 'unauthenticated', message: 'Wrong signature.' } }];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(json === null ? '' : JSON.stringify(json));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(media, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function isSigned(secret: string, { headers, method = '', url = '' }: IncomingMessage, body: Buffer): boolean {
  const digest = createHash('sha256').update(body).digest('hex');
  const text = `${String(headers['x-foyer-timestamp'])}.${method}.${url}.${digest}`;
  const expected = createHmac('sha256', secret).update(text).digest('hex');
  const signature = String(headers['x-foyer-signature']);
  return signature.length === expected.length && timingSafeEqual(Buffer.from(signature), Buffer.from(expected));
}

/** The default features of a test package for streams. */
export const soldToBroadcasters: Readonly<Record<string, string>> = {
  max_accounts: '10',
  max_rooms: '25',
  stream_minutes: '600',
  viewer_minutes: '6000',
  max_viewers: '100',
  max_outputs: '5',
  guest_access: 'true',
};

/** The address and secret of a media server. */
export type MediaTarget = Pick<FakeMediaServer, 'url' | 'secret'>;

/** An address without a server. */
export const absentMediaServer: MediaTarget = { url: 'http://127.0.0.1:9', secret: 'no-server-there' };

export interface BroadcastRoomOptions {
  readonly media: MediaTarget;
  readonly type?: 'live' | 'simulcast';
  readonly features?: Readonly<Record<string, string>>;
  readonly provider?: string;
}

export async function makeMediaProvider({ admin }: TestApi, media: MediaTarget, type: 'live' | 'simulcast') {
  const { data } = await admin.createServiceProvider({
    body: {
      provider_name: unique('Media'),
      provider_type: 'foyer-media',
      service_type: type,
      properties: { host_url: media.url, secret: media.secret },
    },
  });
  return data;
}

/** A live or simulcast room on the media server, with its customer, subscription and account. */
export async function makeBroadcastRoom(api: TestApi, options: BroadcastRoomOptions) {
  const { media, type = 'live', features = {} } = options;
  const provider = options.provider ?? (await makeMediaProvider(api, media, type)).id;
  const fixture = await makeRoom(api, {
    provider,
    features: { ...soldToBroadcasters, ...features },
    body: { service_type: type },
  });
  const { data } = await api.admin.readServiceProvider({ params: { service_provider_id: provider } });
  return { ...fixture, params: { room_id: fixture.room.id }, provider: data };
}

export interface BroadcastRoom {
  readonly params: { readonly room_id: string };
  readonly room: { readonly id: string; readonly uuid: string; readonly room_name: string };
  readonly account: { readonly id: string };
  readonly subscription: { readonly id: string; readonly uuid: string };
  readonly customer: { readonly id: string };
  readonly provider: { readonly id: string; readonly uuid: string };
}

/** The encoder was admitted: the media server opens the session and reports that the room is live. */
export async function goLive(api: TestApi, media: FakeMediaServer, fixture: BroadcastRoom, members: Json = {}) {
  const { params, room } = fixture;
  const { data: stream } = await api.admin.revealStreamKey({ params });
  const answer = await askToPublish(api, fixture, stream.ingest.stream_key);
  if (answer['allow'] !== true) throw new Error(`The encoder was refused: ${JSON.stringify(answer)}`);
  const session = media.open(room.uuid, answer['session'] as Json);
  await report(
    api,
    fixture,
    media.change(room.uuid, {
      state: 'live',
      session_id: session['session_id'],
      started_at_ms: api.clock.nowMs(),
      ended_at_ms: null,
      end_reason: null,
      ...members,
    }),
  );
  return { key: stream.ingest.stream_key, answer };
}

/** Reports a change to the platform, like a media server. */
export async function report(api: TestApi, { provider }: Pick<BroadcastRoom, 'provider'>, state: Json): Promise<void> {
  await handleStreamEvent(
    api.app.dependencies,
    { id: provider.uuid },
    { type: 'stream.changed', stream: readStream(state) },
  );
}

/** Requests the admission of an encoder, like a media server. */
export async function askToPublish(
  api: TestApi,
  { room, provider }: Pick<BroadcastRoom, 'room' | 'provider'>,
  key: string,
  protocol: 'rtmp' | 'whip' | 'pull' = 'rtmp',
): Promise<Json> {
  const { dependencies } = api.app;
  return (await handleStreamEvent(
    dependencies,
    { id: provider.uuid },
    {
      type: 'stream.publish',
      roomId: room.uuid,
      key,
      protocol,
    },
  )) as Json;
}
