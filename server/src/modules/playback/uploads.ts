import { videoEndpoints } from '@foyer/contract/resources/media/video.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { Failure, forbidden, notFound, unauthenticated } from '../../platform/failures.ts';
import { describeFailure } from '../../platform/http/failures/respond-to-failure.ts';
import { parseBody } from '../../platform/http/input/parse-request.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { actorOf } from '../../platform/http/respond.ts';
import { parseIdentifier, printIdentifier } from '../../platform/identity/identifier.ts';
import { brokenPageHandler } from '../../platform/page/page-options.ts';
import { sendScriptPage, sendSecretPage } from '../../platform/page/send-page.ts';
import { textFrameFor } from '../../platform/page/text-frame.ts';
import { appearanceOf, withAppearance } from '../customers/index.ts';
import { isCrossSite, signedInUser, uploadsAddress } from '../meet-entry/index.ts';
import { mayManageVideos } from '../room-access/index.ts';
import { requireRoom, type RoomRow, roomUrl } from '../rooms/index.ts';
import { listMediaOrigins } from '../service-providers/index.ts';
import { createVideo, discardUpload } from '../videos/index.ts';
import { uploadPage, uploadRefusedPage } from './upload-page.tsx';

const url = uploadsAddress('/rooms/:room_id/:slug');

/** The page on which signed-in users upload videos into a room, and the endpoints of its script. */
export function registerUploadPages(server: FastifyInstance, dependencies: Dependencies): void {
  server.get(url, { errorHandler: brokenPageHandler(dependencies, 'watch page') }, (request, reply) =>
    show(dependencies, request, reply),
  );
  server.post(url, { errorHandler: refuse }, (request, reply) => create(dependencies, request, reply));
  server.delete(`${url}/:video_id`, { errorHandler: refuse }, (request, reply) =>
    discard(dependencies, request, reply),
  );
}

async function show(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { db } = dependencies;
  const room = await requireVideoRoom(dependencies, request);
  const roomHref = new URL(roomUrl(dependencies.publicUrl(), room)).pathname;
  const user = await signedInUser(dependencies, request);
  if (user === null) return reply.header('cache-control', 'no-store').redirect(`${roomHref}/sign-in`, 302);
  const frame = textFrameFor(dependencies, request);
  const chrome = withAppearance(frame, await appearanceOf(db, room.customer_id));
  const texts = frame.texts.upload;
  if (!(await mayManageVideos(db, user.id, room.id)))
    return sendSecretPage(reply, 403, uploadRefusedPage(chrome, texts, roomHref));
  const html = uploadPage({
    chrome,
    texts,
    roomId: printIdentifier('room', room.id),
    roomName: room.room_name,
    roomHref,
    uploadsHref: uploadsAddress(roomHref),
  });
  // Requests of the script must name this site, see `isCrossSite`.
  const headers = { 'referrer-policy': 'same-origin' };
  return sendScriptPage(reply, { html, connectTo: await listMediaOrigins(db), headers });
}

async function create(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { room, actor } = await requireUploader(dependencies, request);
  const { body } = await parseBody(videoEndpoints.createVideo, request, null);
  const { name, size_bytes, content_type } = body as Parameters<typeof createVideo>[1]['body'];
  const { id, upload } = await createVideo(dependencies, {
    actor,
    params: { room_id: room.id },
    body: { name, size_bytes, content_type: content_type ?? null },
  });
  return reply
    .status(201)
    .header('cache-control', 'no-store')
    .send({ video_id: printIdentifier('video', id), url: upload?.url, expires_at: upload?.expires_at });
}

async function discard(
  dependencies: Dependencies,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { room, actor } = await requireUploader(dependencies, request);
  const id = parseIdentifier('video', (request.params as { video_id?: string }).video_id ?? '');
  if (id === null) throw notFound();
  await discardUpload(dependencies, actor, { videoId: id, roomId: room.id });
  return reply.status(204).header('cache-control', 'no-store').send();
}

/** @throws 404 */
async function requireVideoRoom(dependencies: Dependencies, request: FastifyRequest): Promise<RoomRow> {
  const roomId = parseIdentifier('room', (request.params as { room_id?: string }).room_id ?? '');
  const room = roomId && (await requireRoom(dependencies.db, roomId));
  if (!room || room.room_type !== 'video') throw notFound();
  return room;
}

/** @throws 401 without a sign-in, 403 without the right, and for pages of other sites */
async function requireUploader(
  dependencies: Dependencies,
  request: FastifyRequest,
): Promise<{ readonly room: RoomRow; readonly actor: Actor }> {
  const room = await requireVideoRoom(dependencies, request);
  if (isCrossSite(request, dependencies.publicUrl())) throw forbidden('forbidden', 'Another site sent this request.');
  const user = await signedInUser(dependencies, request);
  if (user === null) throw unauthenticated();
  if (!(await mayManageVideos(dependencies.db, user.id, room.id)))
    throw forbidden('forbidden', 'The user may not manage the videos of this room.');
  return { room, actor: { ...actorOf(null, request), type: 'user', id: user.id, name: user.email } };
}

/** The script has a sentence for each code; `limit` is the tag of the feature whose limit is reached. */
function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, code } = describeFailure(error);
  if (status >= 500) request.log.error({ err: error }, 'upload failed');
  const limit = error instanceof Failure ? (error.details.limit?.tag ?? null) : null;
  void reply.status(status).header('cache-control', 'no-store').send({ code, limit });
}
