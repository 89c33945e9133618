import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { notFound } from '../../platform/failures.ts';
import { parseIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { secretPageOptions } from '../../platform/page/page-options.ts';
import { sendScriptPage, sendSecretPage } from '../../platform/page/send-page.ts';
import { type TextFrame, textFrameFor } from '../../platform/page/text-frame.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';
import { appearanceOf, withAppearance } from '../customers/index.ts';
import { readWatchLink, signedInUser, uploadsAddress, type WatchLink } from '../meet-entry/index.ts';
import { mayManageVideos } from '../room-access/index.ts';
import { findBroadcastEndReason } from '../streams/index.ts';
import { requireRoom, type RoomRow, roomUrl } from '../rooms/index.ts';
import { listPlayableVideos } from '../videos/index.ts';
import { renewPlayback, type RenewedPlayback, type WatchRefusal } from './renew-playback.ts';
import { watchEndedPage, type WatchPage, watchPage } from './watch-page.tsx';

export const watchUrl = '/rooms/:room_id/:slug/watch/:link';

/** The watch pages, and the endpoint where players renew their playback address. */
export function registerWatchPages(server: FastifyInstance, dependencies: Dependencies): void {
  const options = secretPageOptions(dependencies, 'watch page');
  server.get(watchUrl, options, (request, reply) => show(dependencies, request, reply));
  server.post(`${watchUrl}/playback`, options, (request, reply) => renew(dependencies, request, reply));
}

export interface Watch {
  readonly room: RoomRow;
  readonly link: WatchLink;
}

/** @throws 404 if the address is not valid */
export async function requireWatch(dependencies: Dependencies, request: FastifyRequest): Promise<Watch> {
  const { room_id: id = '', link: sealed = '' } = request.params as { room_id?: string; link?: string };
  const roomId = parseIdentifier('room', id);
  if (!roomId) throw notFound();
  const link = await readWatchLink(dependencies, roomId, sealed);
  if (!link) throw notFound();
  return { room: await requireRoom(dependencies.db, roomId), link };
}

/** Whether the viewer may broadcast in the room. */
export function mayBroadcast(room: Pick<RoomRow, 'room_type'>, link: Watch['link']): boolean {
  return room.room_type !== 'video' && link.role === 'moderator';
}

/** Links to the pages on which the viewer may broadcast or upload videos. */
async function listLinks(
  dependencies: Dependencies,
  request: FastifyRequest,
  { room, link }: Watch,
  { broadcast, upload }: TextFrame['texts'],
): Promise<WatchPage['links']> {
  if (mayBroadcast(room, link)) return [{ label: broadcast.title, href: `${request.url.split('?')[0]}/broadcast` }];
  const user = room.room_type === 'video' ? await signedInUser(dependencies, request) : null;
  if (user === null || !(await mayManageVideos(dependencies.db, user.id, room.id))) return [];
  const { pathname } = new URL(roomUrl(dependencies.publicUrl(), room));
  return [{ label: upload.title, href: uploadsAddress(pathname) }];
}

async function show(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { room, link } = await requireWatch(dependencies, request);
  const appearance = await appearanceOf(dependencies.db, room.customer_id);
  const frame = textFrameFor(dependencies, request);
  const chrome = withAppearance(frame, appearance);
  const roomHref = new URL(roomUrl(dependencies.publicUrl(), room)).pathname;
  const texts = watchTextsFor(frame, room);
  const renewed = await renewPlayback(dependencies, room.id, link);
  if (typeof renewed === 'string')
    return sendSecretPage(reply, 410, watchEndedPage(chrome, texts, { refusal: renewed, roomHref }));
  if (!renewed.hasViewers)
    return reply.header('cache-control', 'no-store').redirect(`${request.url.split('?')[0]}/broadcast`, 302);
  const { description } = room.room_settings as { description?: unknown };
  const path = request.url.split('?')[0] ?? '';
  const mediaOrigin = new URL(renewed.playback.baseUrl).origin;
  const html = watchPage({
    chrome,
    texts,
    links: await listLinks(dependencies, request, { room, link }, frame.texts),
    room: {
      name: room.room_name,
      type: room.room_type,
      description: typeof description === 'string' && description !== '' ? description : null,
    },
    playbackPath: `${path}/playback`,
    roomHref,
  });
  return sendScriptPage(reply, {
    html,
    connectTo: [mediaOrigin],
    policy: {
      // The player's controls have inline styles in their shadow trees.
      'style-src': "'self' 'unsafe-inline'",
      'media-src': `'self' blob: ${mediaOrigin}`,
      'worker-src': 'blob:',
      'form-action': "'self'",
      // Only sites that the customer allows can embed the player.
      'frame-ancestors': ["'self'", ...appearance.frameOrigins].join(' '),
    },
    headers: {
      'referrer-policy': 'same-origin',
      'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
    },
  });
}

/** In rooms with a stream, the session ends with the broadcast. */
function watchTextsFor({ texts: { watch } }: TextFrame, { room_type }: Pick<RoomRow, 'room_type'>): WatchPage['texts'] {
  const { streamEnded, refusals } = watch;
  return room_type === 'video' ? watch : { ...watch, refusals: { ...refusals, ended: streamEnded } };
}

async function renew(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { room, link } = await requireWatch(dependencies, request);
  const renewed = await renewPlayback(dependencies, room.id, link);
  reply.header('cache-control', 'no-store');
  if (typeof renewed === 'string') {
    const hasBroadcastEnded = renewed === 'ended' && mayBroadcast(room, link);
    const endReason = hasBroadcastEnded
      ? await findBroadcastEndReason(dependencies.db, room.id, link.createdAtMs)
      : null;
    return reply.status(403).send({ refusal: renewed satisfies WatchRefusal, end_reason: endReason });
  }
  const { playback } = renewed;
  return reply.send({
    base_url: playback.baseUrl,
    expires_at: instantOfMicroseconds(playback.expiresAtMs * 1000),
    videos: room.room_type === 'video' ? await printPlaylist(dependencies, room.id, renewed) : [],
  });
}

async function printPlaylist({ db }: Dependencies, roomId: Uuid, { playback, mayDownload }: RenewedPlayback) {
  return (await listPlayableVideos(db, roomId)).map((video) => {
    const base = `${playback.baseUrl}videos/${video.id}/`;
    return {
      id: video.id,
      name: video.name,
      description: video.description,
      duration_seconds: video.duration_seconds,
      hls_url: `${base}master.m3u8`,
      poster_url: video.has_poster ? `${base}poster.jpg` : null,
      sprite_url: video.has_sprite ? `${base}sprite.vtt` : null,
      download_url: mayDownload ? `${base}download?name=${encodeURIComponent(video.name)}` : null,
    };
  });
}
