import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../dependencies.ts';
import { Failure, notFound } from '../../platform/failures.ts';
import { parseIdentifier, type Uuid } from '../../platform/identity/identifier.ts';
import { isMediaProvider } from '../../providers/media.ts';
import {
  callbackAddress,
  callbackRoute,
  currentMeeting,
  observeMeeting,
  readCallbackAddress,
} from '../meetings/index.ts';
import { handleRecordingEvent } from '../recordings/index.ts';
import { findServiceProvider, meetingProvider } from '../service-providers/index.ts';
import { handleStreamEvent } from '../streams/index.ts';
import { handleVideoEvent } from '../videos/index.ts';

const maxCallBytes = 256 * 1024;

/** The endpoint that media servers call. Calls must be signed. */
export function registerMediaCallbacks(server: FastifyInstance, dependencies: Dependencies): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    scope.post(
      callbackRoute('media-events'),
      { config: { hasSecretPath: true, isCallback: true as const }, bodyLimit: maxCallBytes },
      (request, reply) => receive(dependencies, request, reply),
    );
  });
}

async function receive(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply) {
  const { address = '' } = request.params as { address?: string };
  const providerId = readCallbackAddress(dependencies, 'media-events', address);
  const provider = providerId && (await findServiceProvider(dependencies.db, providerId));
  if (!provider) throw notFound();
  const adapter = await meetingProvider(dependencies, provider);
  const event = isMediaProvider(adapter)
    ? adapter.readCall({
        method: 'POST',
        path: new URL(callbackAddress(dependencies, 'media-events', provider.id)).pathname,
        timestamp: headerOf(request, 'x-foyer-timestamp'),
        signature: headerOf(request, 'x-foyer-signature'),
        body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        nowMs: Date.now(),
      })
    : null;
  if (!event) throw new Failure('unauthenticated', 'The signature of the provider is missing or wrong.');
  switch (event.type) {
    case 'video.uploaded':
    case 'video.changed':
      return await reply.send((await handleVideoEvent(dependencies, { id: provider.id }, event)) ?? {});
    case 'stream.changed':
      await handleStreamEvent(dependencies, { id: provider.id }, event);
      if (event.stream.state === 'live') await observe(dependencies, provider.id, event.stream.roomId, true);
      break;
    case 'stream.publish':
      return await reply.send((await handleStreamEvent(dependencies, { id: provider.id }, event)) ?? {});
    case 'recording.changed':
      await handleRecordingEvent(dependencies, { providerId: provider.id, adapter }, event);
      break;
    case 'session.changed':
    case 'session.ended':
      await observe(dependencies, provider.id, event.roomId);
      break;
    default:
  }
  return await reply.send({});
}

/**
 * Reads the session from the media server, as in a poll.
 * @param onlyIfNew skips a session that was read before
 */
async function observe(dependencies: Dependencies, providerId: Uuid, room: string, onlyIfNew = false): Promise<void> {
  const roomId = parseIdentifier('room', room);
  const meeting = roomId && (await currentMeeting(dependencies.db, roomId));
  if (!meeting || meeting.state !== 'open' || meeting.service_provider_id !== providerId) return;
  if (onlyIfNew && meeting.provider_internal_id !== null) return;
  const provider = await findServiceProvider(dependencies.db, providerId);
  if (!provider) return;
  const observedAt = dependencies.clock.now();
  const adapter = await meetingProvider(dependencies, provider);
  await observeMeeting(dependencies, meeting, await adapter.state(meeting.provider_meeting_id), observedAt);
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}
