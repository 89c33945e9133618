import type { SessionPlan } from '../media.ts';
import type { MeetingPlan, MeetingState, OpenedMeeting } from '../meet.ts';
import { ProviderFailure } from '../provider-failure.ts';
import { requestMedia, type Json, type MediaConnection } from './connection.ts';
import { listIn, numberOf, textOf } from './members.ts';

const maximumViewers = 5000;

export async function openSession(connection: MediaConnection, plan: MeetingPlan): Promise<OpenedMeeting> {
  const session = await requestMedia(connection, {
    method: 'PUT',
    path: `/v1/sessions/${plan.meetingId}`,
    json: sessionBody(connection, plan),
  });
  const state = readSession(plan.meetingId, session);
  if (state.internalId === null || state.createdAtMs === null) {
    throw new ProviderFailure('malformed', connection.providerId, 'The media server did not open a session.');
  }
  return {
    meetingId: plan.meetingId,
    internalId: state.internalId,
    createdAtMs: state.createdAtMs,
    wasOpen: session['already'] === true,
  };
}

/** The body of the request that opens a session. */
export function sessionBody({ providerId }: MediaConnection, plan: SessionPlan): Json {
  const limit = (tag: string) => {
    const value = plan.features.get(tag);
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : null;
  };
  return {
    service_type: plan.serviceType,
    name: plan.name,
    callback_url: plan.callbacks?.media?.(providerId) ?? null,
    max_viewers: limit('max_viewers'),
    max_duration_minutes: limit('max_duration'),
  };
}

export async function sessionState(connection: MediaConnection, roomId: string): Promise<MeetingState> {
  try {
    return readSession(roomId, await requestMedia(connection, { method: 'GET', path: `/v1/sessions/${roomId}` }));
  } catch (error) {
    if (isNotFound(error)) return readSession(roomId, null);
    throw error;
  }
}

export async function allSessions(connection: MediaConnection): Promise<MeetingState[]> {
  const { sessions } = await requestMedia(connection, { method: 'GET', path: '/v1/sessions' });
  return listIn({ sessions }, 'sessions').flatMap((session) => {
    const roomId = textOf(session, 'room_id');
    return roomId === null ? [] : [readSession(roomId, session)];
  });
}

export async function endSession(connection: MediaConnection, roomId: string): Promise<void> {
  await requestMedia(connection, { method: 'DELETE', path: `/v1/sessions/${roomId}?reason=platform` });
}

export function isNotFound(error: unknown): boolean {
  return error instanceof ProviderFailure && error.messageKey === 'not-found';
}

function readSession(roomId: string, session: Json | null): MeetingState {
  const viewers = session ? listIn(session, 'viewers').slice(0, maximumViewers) : [];
  const attendees = viewers.flatMap((viewer) => {
    const userId = textOf(viewer, 'viewer_id');
    const isModerator = viewer['role'] === 'moderator';
    return userId === null ? [] : [{ userId, fullName: (textOf(viewer, 'name') ?? '').slice(0, 150), isModerator }];
  });
  const createdAtMs = session && numberOf(session, 'created_at_ms');
  return {
    meetingId: roomId,
    exists: session !== null,
    running: attendees.length > 0 || (session !== null && numberOf(session, 'live_since_ms') !== null),
    internalId: session && textOf(session, 'session_id'),
    createdAtMs,
    startedAtMs: createdAtMs,
    endedAtMs: null,
    participantCount: attendees.length,
    moderatorCount: attendees.filter(({ isModerator }) => isModerator).length,
    listenerCount: attendees.length,
    voiceParticipantCount: 0,
    videoCount: 0,
    recording: false,
    attendees,
    metadata: {},
  };
}
