import { sharedWork } from '../../../platform/shared-work.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Dependencies } from '../../../dependencies.ts';
import { Failure, notFound, unavailable } from '../../../platform/failures.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { SignedCall } from '../../../providers/meet.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { findMeetingProvider } from '../../service-providers/index.ts';
import { applyAttendance } from '../participants/attendance.ts';
import { callbackAddress, type CallbackKind, callbackRoute, readCallbackAddress } from './callback-address.ts';
import { observeMeeting } from '../observe-meeting.ts';
import { applyProviderEvents } from './provider-events.ts';
import { currentMeeting, findMeeting, type MeetingRow } from '../store.ts';

/** Enough for the attendance record of a meeting with thousands of participants. */
const maxRecordBytes = 4 * 1024 * 1024;
/** Enough for a batch of events. */
const maxCallBytes = 256 * 1024;

/**
 * The endpoints that providers call. A call must be signed by the provider; an unsigned call only makes Foyer read the
 * meeting from the provider.
 */
export function registerCallbacks(server: FastifyInstance, dependencies: Dependencies): void {
  void server.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    const options = { config: { hasSecretPath: true, isCallback: true as const }, bodyLimit: maxCallBytes };
    for (const method of ['GET', 'POST'] as const) {
      scope.route({
        ...options,
        method,
        url: callbackRoute('meeting-ended'),
        handler: (request, reply) => receiveMeetingEnd(dependencies, request, reply),
      });
    }
    scope.post(
      callbackRoute('meeting-attendance'),
      { ...options, bodyLimit: maxRecordBytes },
      async (request, reply) => await receiveAttendance(dependencies, request, reply),
    );
    scope.post(callbackRoute('provider-events'), options, (request, reply) =>
      receiveEvents(dependencies, request, reply),
    );
  });
}

/** The call is not signed, so the meeting is read from the provider, which calls again after an answer other than 2xx. */
async function receiveMeetingEnd(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply) {
  const meeting = await meetingOf(dependencies, 'meeting-ended', request);
  // The session may belong to a later meeting of the same room.
  const row = meeting.state === 'ended' ? await currentMeeting(dependencies.db, meeting.room_id) : meeting;
  if (row?.state === 'open') {
    const after = await readOnce(dependencies, row.id, () => readAndObserve(dependencies, row));
    if (after.id === meeting.id && after.state !== 'ended')
      throw unavailable('provider-unavailable', 'The meeting is still running on the provider.');
  }
  return await reply.code(204).send();
}

async function receiveAttendance(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply) {
  const meeting = await meetingOf(dependencies, 'meeting-attendance', request);
  const adapter = await findMeetingProvider(dependencies, meeting.service_provider_id);
  const attendance = await adapter?.readAttendance?.(callOf(dependencies, 'meeting-attendance', meeting.id, request));
  if (!attendance) throw invalidSignature();
  await applyAttendance(dependencies, meeting.id, attendance);
  return await reply.code(204).send();
}

async function receiveEvents(dependencies: Dependencies, request: FastifyRequest, reply: FastifyReply) {
  const id = requireIdOfAddress(dependencies, 'provider-events', request);
  const adapter = await findMeetingProvider(dependencies, id);
  const events = adapter?.readEvents?.(callOf(dependencies, 'provider-events', id, request));
  if (!events) throw invalidSignature();
  await applyProviderEvents(dependencies, id, events);
  return await reply.code(204).send();
}

/** Calls within a short time cause one request to the provider. */
const readOnce = sharedWork<MeetingRow>();

async function readAndObserve(dependencies: Dependencies, row: MeetingRow): Promise<MeetingRow> {
  const adapter = await findMeetingProvider(dependencies, row.service_provider_id);
  if (!adapter) return row;
  const at = dependencies.clock.now();
  try {
    return await observeMeeting(dependencies, row, await adapter.state(row.provider_meeting_id), at);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    throw unavailable('provider-unavailable', 'The provider does not respond.', { cause: error });
  }
}

async function meetingOf(dependencies: Dependencies, kind: CallbackKind, request: FastifyRequest): Promise<MeetingRow> {
  const row = await findMeeting(dependencies.db, requireIdOfAddress(dependencies, kind, request));
  // After a 404 the provider stops calling, as it should for a meeting whose room was deleted.
  if (!row) throw notFound();
  return row;
}

/** @throws 404 if the address is not valid */
function requireIdOfAddress(dependencies: Dependencies, kind: CallbackKind, request: FastifyRequest): Uuid {
  const { address = '' } = request.params as { address?: string };
  const id = readCallbackAddress(dependencies, kind, address);
  if (id === null) throw notFound();
  return id;
}

function callOf(dependencies: Dependencies, kind: CallbackKind, id: Uuid, request: FastifyRequest): SignedCall {
  const { checksum } = request.query as { checksum?: unknown };
  return {
    url: callbackAddress(dependencies, kind, id),
    checksum: typeof checksum === 'string' ? checksum : undefined,
    authorization: request.headers.authorization,
    body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
    nowMs: dependencies.clock.nowMs(),
  };
}

function invalidSignature(): Failure {
  return new Failure('unauthenticated', 'The signature of the provider is missing or wrong.');
}
