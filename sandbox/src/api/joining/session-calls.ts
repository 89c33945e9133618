import { createHash } from 'node:crypto';
import { type Answer, json } from '../../http/answer.ts';
import { leaveMeeting } from '../../world/attendance.ts';
import { runDueTasks } from '../../world/ending.ts';
import { isModerator, isRunning, logoutUrlOf, waitingUsers } from '../../world/meeting.ts';
import type { Session } from '../../world/meeting-table.ts';
import type { ApiCall } from '../request/call.ts';
import { isDisabled } from './insert-document-and-chat.ts';
import { readText } from '../request/parameters.ts';
import { success } from '../request/xml.ts';

// The requests of a user's browser. They have a session token instead of a checksum.

/** A join address for the same user on another device. */
export function getJoinUrl(call: ApiCall): Answer {
  const session = sessionOf(call);
  if (!session) return failedResponse(call, 'Invalid Session');
  if (!isRunning(session.meeting)) return failedResponse(call, 'Meeting not found');
  const { meeting, user } = session;
  const query = new URLSearchParams({
    fullName: user.fullName,
    meetingID: meeting.externalId,
    role: user.role,
    redirect: 'true',
    userID: user.externalId,
  }).toString();
  const secret = call.world.secrets[0] ?? '';
  const checksum = createHash('sha1').update(`join${query}${secret}`).digest('hex');
  return response({
    returncode: 'SUCCESS',
    message: 'Join URL provided successfully.',
    url: `${call.origin}/bigbluebutton/api/join?${query}&checksum=${checksum}`,
  });
}

/** Only for moderators. `data` is a JSON string. */
export function learningDashboard(call: ApiCall): Answer {
  const session = sessionOf(call);
  if (!session) return failedResponse(call, 'Invalid Session');
  const { meeting, user } = session;
  if (!isModerator(user)) return failedResponse(call, 'Access denied');
  if (!isRunning(meeting)) return failedResponse(call, 'Meeting not found');
  if (isDisabled(meeting, 'learningDashboard')) {
    return failedResponse(call, 'Learning Dashboard disabled for this meeting');
  }
  const users = [...meeting.users.values()].filter(
    ({ stays, preferences }) => stays.length > 0 && !preferences.excludeFromDashboard,
  );
  const data = {
    intId: meeting.internalId,
    extId: meeting.externalId,
    name: meeting.name,
    createdOn: meeting.createTime,
    endedOn: meeting.endedAt ?? 0,
    users: Object.fromEntries(
      users.map(({ internalId, externalId, fullName, role, stays }) => [
        internalId,
        {
          userKey: internalId,
          extId: externalId,
          name: fullName,
          isModerator: role === 'MODERATOR',
          intIds: { [internalId]: { intId: internalId, sessions: stays.map(printStay) } },
        },
      ]),
    ),
  };
  return response({ returncode: 'SUCCESS', data: JSON.stringify(data), sessionToken: user.sessionToken });
}

/** Accepts JSON from former participants. */
export function feedback(call: ApiCall): Answer {
  const session = sessionOf(call);
  if (!session) return failedResponse(call, 'Invalid Session');
  session.meeting.feedback.push(call.json ?? {});
  return response({ returncode: 'SUCCESS', message: 'Feedback received.' });
}

/** A sandbox needs no STUN and no TURN servers. */
export function stuns(call: ApiCall): Answer {
  if (!sessionOf(call)) {
    return json(200, {
      returncode: 'FAILED',
      message: 'Could not find conference.',
      logoutURL: `${call.origin}/bigbluebutton/`,
    });
  }
  return json(200, { stunServers: [], turnServers: [], remoteIceCandidates: [] });
}

export function enter(call: ApiCall): Answer {
  const session = sessionOf(call);
  if (!session || session.meeting.endedAt !== null) return missingSession(call);
  const { meeting, user } = session;
  if (user.guestStatus === 'DENY' || user.presence === 'ejected') return missingSession(call);
  return response({
    returncode: 'SUCCESS',
    fullname: user.fullName,
    confname: meeting.name,
    meetingID: meeting.internalId,
    externMeetingID: meeting.externalId,
    externUserID: user.externalId,
    internalUserID: user.internalId,
    authToken: user.authToken,
    role: user.role,
    guest: user.isGuest,
    guestStatus: user.guestStatus,
    voicebridge: meeting.voiceBridge,
    dialnumber: meeting.settings.dialNumber,
    record: meeting.settings.record,
    isBreakout: meeting.parentId !== null,
    allowStartStopRecording: meeting.settings.allowStartStopRecording,
    welcome: meeting.settings.welcome,
    muteOnStart: meeting.settings.muteOnStart,
    logoutUrl: logoutUrlOf(meeting, user),
    enforceLayout: user.preferences.enforceLayout,
    avatarURL: user.preferences.avatarURL,
    webcamBackgroundURL: user.preferences.webcamBackgroundURL,
    customdata: [...user.customData].map(([name, value]) => ({ [name]: value })),
    metadata: [...meeting.metadata].map(([name, value]) => ({ [name]: value })),
  });
}

/** Returns the address of the user's next page and, for waiting users, the position in the queue. */
export function guestWait(call: ApiCall): Answer {
  const session = sessionOf(call);
  if (!session || session.meeting.endedAt !== null) return missingSession(call);
  const { meeting, user } = session;
  if (user.presence === 'ejected') return missingSession(call);
  const page = (name: string) => `${call.origin}/html5client/${name}?sessionToken=${user.sessionToken}`;
  const states = {
    WAIT: ['guestWait', 'Please wait for a moderator to approve you joining the meeting.', page('guestWait')],
    DENY: ['guestDeny', 'Guest denied of joining the meeting.', logoutUrlOf(meeting, user)],
    ALLOW: ['guestAllowed', 'Guest allowed to join meeting.', page('join')],
  } as const;
  const [messageKey, message, url] = states[user.guestStatus];
  return response({
    returncode: 'SUCCESS',
    messageKey,
    message,
    meeting_id: meeting.internalId,
    user_id: user.internalId,
    auth_token: user.authToken,
    session_token: user.sessionToken,
    guestStatus: user.guestStatus,
    lobbyMessage: '',
    url,
    positionInWaitingQueue: String(waitingUsers(meeting).indexOf(user) + 1),
  });
}

export function signOut(call: ApiCall): Answer {
  const session = sessionOf(call);
  if (session) {
    leaveMeeting(session.meeting, session.user, call.world.clock.now());
    runDueTasks(call.world);
  }
  return success({});
}

function sessionOf({ world, parameters, json: body }: ApiCall): Session | undefined {
  const token = readText(parameters, 'sessionToken') ?? body?.['sessionToken'];
  return typeof token === 'string' ? world.meetings.findSession(token) : undefined;
}

function missingSession(call: ApiCall): Answer {
  return response({
    returncode: 'FAILED',
    message: 'Session not found.',
    messageKey: 'missingSession',
    sessionToken: readText(call.parameters, 'sessionToken') ?? null,
    logoutURL: `${call.origin}/bigbluebutton/`,
  });
}

function failedResponse(call: ApiCall, message: string): Answer {
  const sessionToken = readText(call.parameters, 'sessionToken') ?? null;
  return response({ returncode: 'FAILED', message, sessionToken });
}

function printStay({ joinedAt, leftAt }: { joinedAt: number; leftAt: number | null }) {
  return { registeredOn: joinedAt, leftOn: leftAt ?? 0 };
}

function response(content: object): Answer {
  return json(200, { response: content });
}
