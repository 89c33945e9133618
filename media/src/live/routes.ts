import { notFound, Refusal, sendEmpty, sendJson } from '../http/answer.ts';
import { requireUuid } from '../http/json-members.ts';
import { type Call, type Route, signedRoute } from '../http/route.ts';
import { playerRoute } from '../playback/player-route.ts';
import { sendBytes, sendFile, sendText } from '../playback/send-file.ts';
import { type PlaybackToken, readToken } from '../playback/token.ts';
import { printSession, type Session, type Sessions } from '../sessions/sessions.ts';
import { liveMasterPlaylist, livePlaylist } from './origin/live-playlists.ts';
import type { Rendition } from './origin/rendition.ts';
import type { Stream } from './stream.ts';
import { readStreamPlan } from './stream-plan.ts';
import type { Streams } from './streams.ts';

export interface LiveServices {
  readonly secret: string;
  readonly sessions: Sessions;
  readonly streams: Streams;
}

const initCacheSeconds = 3600;
const segmentCacheSeconds = 60;
const eventEveryMs = 15_000;

export function liveRoutes({ secret, sessions, streams }: LiveServices): Route[] {
  const requireStream = ({ params }: Call): Stream => {
    const stream = streams.find(requireUuid(params['room_id'], 'room_id'));
    if (!stream) throw notFound('The stream');
    return stream;
  };
  const tokenOf = ({ params }: Call) => readToken(secret, params['token'] ?? '', Date.now());
  return [
    signedRoute('GET', '/v1/streams', ({ response }) =>
      sendJson(response, 200, { streams: streams.all().map((stream) => stream.print()) }),
    ),
    signedRoute('GET', '/v1/streams/:room_id', (call) => sendJson(call.response, 200, requireStream(call).print())),
    signedRoute('PUT', '/v1/streams/:room_id', async ({ response, params, json }) => {
      const stream = await streams.set(readStreamPlan(requireUuid(params['room_id'], 'room_id'), json()));
      sendJson(response, 200, stream.print());
    }),
    signedRoute('DELETE', '/v1/streams/:room_id', async ({ response, params }) => {
      await streams.remove(requireUuid(params['room_id'], 'room_id'));
      sendEmpty(response);
    }),
    signedRoute('POST', '/v1/streams/:room_id/end', (call) => {
      const { plan } = requireStream(call);
      const { reason } = call.json();
      streams.end(plan.roomId, typeof reason === 'string' ? reason.slice(0, 100) : 'platform');
      sendEmpty(call.response);
    }),
    playerRoute('GET', '/play/:token/live/*', async (call) => {
      const token = requirePlay(tokenOf(call));
      const { roomId } = sessions.countViewer(token);
      const stream = streams.find(roomId);
      if (!stream || stream.renditions.length === 0) throw notLive();
      await sendLive(call, stream, call.params['rest'] ?? '');
    }),
    playerRoute('GET', '/play/:token/events', (call) => {
      const token = requirePlay(tokenOf(call));
      sendEvents(call, { sessions, streams }, token);
    }),
  ];
}

function requirePlay(token: PlaybackToken): PlaybackToken {
  if (token.actions.has('play') && token.videoId === null) return token;
  throw new Refusal(403, 'token-invalid', 'This address is not for the live stream.');
}

function notLive(): Refusal {
  return new Refusal(404, 'not-live', 'The stream has not begun yet.');
}

async function sendLive(call: Call, { renditions }: Stream, name: string): Promise<void> {
  if (name === 'master.m3u8') {
    const playlist = liveMasterPlaylist(renditions);
    if (playlist === null) throw notLive();
    return sendText(call.response, playlist, name);
  }
  const [, directory = '', file = ''] = /^([a-z0-9]{1,10})\/([a-z0-9.-]{1,40})$/.exec(name) ?? [];
  const rendition = renditions.find((candidate) => candidate.name === directory)?.rendition;
  if (!rendition) throw notFound('The file');
  if (file === 'index.m3u8') return await sendPlaylist(call, rendition);
  const [, init = ''] = /^init-(\d{1,12})\.mp4$/.exec(file) ?? [];
  if (init !== '') return sendBytes(call, rendition.readInit(Number(init)) ?? missing(), file, initCacheSeconds);
  const [, number = '', part] = /^(\d{1,12})(?:\.(\d{1,4}))?\.m4s$/.exec(file) ?? [];
  if (number === '') throw notFound('The file');
  await sendMedia(call, rendition, { number: Number(number), part: part === undefined ? null : Number(part) }, file);
}

function missing(): never {
  throw notFound('The file');
}

/** A blocking reload (`_HLS_msn`, `_HLS_part`) is answered when the requested part exists. */
async function sendPlaylist({ response, query }: Call, rendition: Rendition): Promise<void> {
  const [number, part] = [query.get('_HLS_msn'), query.get('_HLS_part')];
  if (number !== null && rendition.isLowLatency) {
    if (!/^\d{1,12}$/.test(number) || !/^\d{1,4}$/.test(part ?? '0'))
      throw new Refusal(400, 'invalid', '_HLS_msn and _HLS_part must be whole numbers.');
    await waitForPart(rendition, Number(number), part === null ? null : Number(part));
  }
  const playlist = livePlaylist(rendition, { isDelta: query.get('_HLS_skip') === 'YES' });
  if (playlist === null) throw notLive();
  sendText(response, playlist, 'index.m3u8');
}

async function waitForPart(rendition: Rendition, number: number, part: number | null): Promise<void> {
  const media = await rendition.wait(number, part);
  if (media === 'far') throw new Refusal(400, 'invalid', 'The requested part is too far ahead.');
  if (media === 'late') throw new Refusal(503, 'late', 'The requested part has not arrived.');
}

interface PartRequest {
  readonly number: number;
  readonly part: number | null;
}

async function sendMedia(call: Call, rendition: Rendition, { number, part }: PartRequest, name: string): Promise<void> {
  // Players request the hinted part before it exists.
  if (part !== null) await waitForPart(rendition, number, part);
  const media = rendition.read(number, part);
  if (media === null) throw notFound('The segment');
  if (typeof media === 'string') return await sendFile(call, media, { name, cacheSeconds: segmentCacheSeconds });
  sendBytes(call, media, name, segmentCacheSeconds);
}

/** The state for players, without the names and addresses of viewers. */
export function printForPlayers(session: Session, stream: Stream | null) {
  const { viewers, ...printed } = printSession(session);
  const hasPicture = (stream?.renditions[0]?.rendition.segments.length ?? 0) > 0;
  return {
    session: printed,
    stream: stream && { state: stream.state, has_picture: hasPicture },
    viewers: viewers.length,
  };
}

/** Server-sent events: the current state, each change, and the state again every 15 seconds to keep the connection open. */
function sendEvents(
  { response }: Call,
  { sessions, streams }: Pick<LiveServices, 'sessions' | 'streams'>,
  token: PlaybackToken,
): void {
  const { roomId } = sessions.countViewer(token);
  const stream = streams.find(roomId);
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const stop = () => {
    clearInterval(timer);
    stopListening?.();
    response.end();
  };
  const send = () => {
    try {
      response.write(`event: state\ndata: ${JSON.stringify(printForPlayers(sessions.countViewer(token), stream))}\n\n`);
    } catch {
      // The token's session has ended, or the viewer was removed.
      response.write(`event: ended\ndata: {}\n\n`);
      stop();
    }
  };
  const timer = setInterval(send, eventEveryMs);
  const stopListening = stream?.onChange(send);
  response.once('close', stop);
  send();
}
