import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limitOf } from '@foyer/contract/resources/packages/feature-value.ts';
import type { Dependencies } from '../../dependencies.ts';
import { Failure, notFound } from '../../platform/failures.ts';
import { describeFailure } from '../../platform/http/failures/respond-to-failure.ts';
import { brokenPageHandler } from '../../platform/page/page-options.ts';
import { sendScriptPage, sendSecretPage } from '../../platform/page/send-page.ts';
import { textFrameFor } from '../../platform/page/text-frame.ts';
import { ProviderFailure } from '../../providers/provider-failure.ts';
import { appearanceOf, withAppearance } from '../customers/index.ts';
import { roomUrl } from '../rooms/index.ts';
import {
  type BroadcastRoom,
  disconnectBroadcast,
  endBroadcast,
  findSourceError,
  startBroadcast,
} from '../streams/index.ts';
import { broadcastPage, broadcastRefusedPage } from './broadcast-page.tsx';
import { mayBroadcast, type Watch, requireWatch, watchUrl } from './pages.ts';
import { renewPlayback, type RenewedPlayback, type WatchRefusal } from './renew-playback.ts';
import { watchEndedPage } from './watch-page.tsx';

/** The size of the largest SDP offer that the media server accepts, in characters. */
const maxOfferCharacters = 65_536;

/** The page on which moderators broadcast from the browser, and the endpoints of its script. */
export function registerBroadcastPages(server: FastifyInstance, dependencies: Dependencies): void {
  const config = { hasSecretPath: true };
  const url = `${watchUrl}/broadcast`;
  server.get(url, { config, errorHandler: brokenPageHandler(dependencies, 'watch page') }, (request, reply) =>
    show(dependencies, request, reply),
  );
  const options = { config, errorHandler: refuse, bodyLimit: 2 * maxOfferCharacters };
  server.post(url, options, (request, reply) => start(dependencies, request, reply));
  server.delete(`${url}/:broadcast_id`, options, (request, reply) => stop(dependencies, request, reply));
}

async function show(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { room, link } = await requireWatch(dependencies, request);
  if (room.room_type === 'video') throw notFound();
  const frame = textFrameFor(dependencies, request);
  const chrome = withAppearance(frame, await appearanceOf(dependencies.db, room.customer_id));
  const watchHref = (request.url.split('?')[0] ?? '').replace(/\/broadcast$/, '');
  const { watch, broadcast: texts } = frame.texts;
  if (!mayBroadcast(room, link)) return sendSecretPage(reply, 403, broadcastRefusedPage(chrome, texts, watchHref));
  const roomHref = new URL(roomUrl(dependencies.publicUrl(), room)).pathname;
  const renewed = await renewPlayback(dependencies, room.id, link);
  if (typeof renewed === 'string')
    return sendSecretPage(reply, 410, watchEndedPage(chrome, watch, { refusal: renewed, roomHref }));
  const limit = (tag: string) => limitOf(renewed.features.get(tag) ?? 'unlimited');
  const html = broadcastPage({
    chrome,
    texts,
    refusals: watch.refusals,
    roomName: room.room_name,
    watchHref,
    hasViewers: renewed.hasViewers,
    roomHref,
    maxKbps: limit('max_bitrate'),
    maxHeight: limit('max_resolution'),
    sourceError: await findSourceError(dependencies.db, room.id),
  });
  return sendScriptPage(reply, {
    html,
    connectTo: [new URL(renewed.playback.baseUrl).origin],
    policy: { 'media-src': "'self' blob:" },
    headers: {
      'permissions-policy':
        'camera=(self), microphone=(self), display-capture=(self), geolocation=(), payment=(), usb=()',
    },
  });
}

async function start(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { watch, renewed } = await requireBroadcaster(dependencies, request);
  const { offer } = (request.body ?? {}) as { offer?: unknown };
  if (typeof offer !== 'string' || offer.length > maxOfferCharacters)
    throw new Failure('validation-failed', 'The offer must be SDP with at most 65,536 characters.');
  const broadcast = await startBroadcast(dependencies, broadcastRoomOf(watch, renewed), offer);
  return reply.status(201).header('cache-control', 'no-store').send(broadcast);
}

async function stop(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { watch, renewed } = await requireBroadcaster(dependencies, request);
  const { broadcast_id: id = '' } = request.params as { broadcast_id?: string };
  const room = broadcastRoomOf(watch, renewed);
  const { session } = request.query as { session?: unknown };
  if (session === 'keep') await disconnectBroadcast(room, id);
  else await endBroadcast(dependencies, room, id);
  return reply.status(204).send();
}

/** The watch page of the viewer is no longer valid, or the viewer is not a moderator. */
class BroadcastRefused extends Error {
  readonly code: WatchRefusal | 'not-moderator';

  constructor(code: WatchRefusal | 'not-moderator') {
    super(code);
    this.code = code;
  }
}

async function requireBroadcaster(dependencies: Dependencies, request: FastifyRequest) {
  const watch = await requireWatch(dependencies, request);
  if (!mayBroadcast(watch.room, watch.link)) throw new BroadcastRefused('not-moderator');
  const renewed = await renewPlayback(dependencies, watch.room.id, watch.link);
  if (typeof renewed === 'string') throw new BroadcastRefused(renewed);
  return { watch, renewed };
}

function broadcastRoomOf({ room }: Watch, { adapter, providerId }: RenewedPlayback): BroadcastRoom {
  return { roomId: room.id, providerId, adapter };
}

/** The script has a sentence for each code. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code } = refusalOf(error);
  if (status >= 500 && !(error instanceof ProviderFailure)) request.log.error({ err: error }, 'broadcast failed');
  void reply.status(status).header('cache-control', 'no-store').send({ refusal: code });
}

function refusalOf(error: unknown): { status: number; code: string } {
  if (error instanceof BroadcastRefused) return { status: 403, code: error.code };
  if (error instanceof ProviderFailure) {
    const isRefused = error.kind === 'refused' && error.messageKey !== null;
    return isRefused
      ? { status: 409, code: error.messageKey ?? '' }
      : { status: 503, code: 'media-server-unavailable' };
  }
  const { status, code } = describeFailure(error);
  return { status, code };
}
