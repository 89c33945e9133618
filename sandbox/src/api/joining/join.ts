import { type Answer, redirect } from '../../http/answer.ts';
import { registerUser } from '../../world/attendance.ts';
import { appendQuery } from '../../world/callbacks/callbacks.ts';
import { type JoinPreferences, type Meeting, type Role, type User, joinedUsers } from '../../world/meeting.ts';
import { findEndedMeeting, findMeeting } from '../../world/world.ts';
import type { ApiCall } from '../request/call.ts';
import { decideGuestStatus } from './guest-status.ts';
import {
  type Parameters,
  readFlag,
  readMeetingId,
  readPassword,
  readText,
  readWholeNumber,
} from '../request/parameters.ts';
import { randomName } from './random-name.ts';
import { type ApiRefusal, refusal } from '../request/refusals.ts';
import { failed, success } from '../request/xml.ts';

/** Registers a user. They are in the meeting only once their client page has connected. */
export function join(call: ApiCall): Answer {
  const { world, parameters, origin } = call;
  const request = readJoinRequest(parameters);
  const meeting = findMeetingToJoin(call, request);
  const role = readRole(parameters, meeting, request.password);
  const isGuest = request.guest ?? false;
  const isAuthenticated = request.auth ?? request.guest === undefined;
  const { guestPolicy } = meeting.settings;
  const guestStatus = decideGuestStatus(guestPolicy, { role, isGuest, isAuthenticated }, world.authenticatedGuest);
  const internalId = `w_${randomName(12)}`;
  const externalId = readText(parameters, 'userID') ?? internalId;
  if (isFull(meeting, externalId)) throw refusal('maxParticipants');
  if (guestStatus === 'DENY') throw refusal('guestDenied');
  const user = newUser({
    internalId,
    externalId,
    fullName: request.fullName,
    role,
    isGuest,
    guestStatus,
    customData: readCustomData(parameters),
    preferences: readPreferences(parameters),
  });
  registerUser(world, meeting, user);
  const page = guestStatus === 'WAIT' ? 'guestWait' : 'join';
  const url = `${origin}/html5client/${page}?sessionToken=${user.sessionToken}`;
  return wantsRedirect(parameters) ? redirect(302, url) : printJoined(meeting, user, url);
}

/**
 * Redirects a browser with the error, or responds with XML to a program.
 * @param isTrusted whether the checksum was valid: only holders of the secret may choose the target of redirects
 */
export function refuseJoin(call: ApiCall, reason: ApiRefusal, isTrusted: boolean): Answer {
  if (!wantsRedirect(call.parameters) || reason.key === 'Params required') return failed(reason);
  const meeting = isTrusted ? findNamedMeeting(call) : undefined;
  const target =
    (isTrusted && validWebAddress(readText(call.parameters, 'errorRedirectUrl'))) ||
    validWebAddress(meeting?.settings.logoutURL) ||
    `${call.origin}/bigbluebutton/`;
  const errors = JSON.stringify([{ key: reason.key, message: reason.message }]);
  return redirect(302, appendQuery(target, `errors=${encodeURIComponent(errors)}`));
}

export function newUser(
  identity: Pick<
    User,
    'internalId' | 'externalId' | 'fullName' | 'role' | 'isGuest' | 'guestStatus' | 'customData' | 'preferences'
  >,
): User {
  return {
    ...identity,
    authToken: randomName(12),
    sessionToken: randomName(16),
    presence: 'registered',
    joinedAt: null,
    stays: [],
    isListeningOnly: false,
    hasJoinedVoice: false,
    hasVideo: false,
    connections: new Map(),
  };
}

/** Whether no slot is free. A joined external user needs none to join again. */
export function isFull(meeting: Meeting, externalUserId: string): boolean {
  const { maxParticipants } = meeting.settings;
  if (maxParticipants === 0) return false;
  const joinedIds = new Set(joinedUsers(meeting).map((user) => user.externalId));
  return !joinedIds.has(externalUserId) && joinedIds.size >= maxParticipants;
}

function readJoinRequest(parameters: Parameters) {
  const meetingId = readMeetingId(parameters);
  const fullName =
    readText(parameters, 'fullName') ??
    [readText(parameters, 'firstName'), readText(parameters, 'lastName')]
      .filter((part) => part !== undefined)
      .join(' ');
  return {
    meetingId,
    fullName,
    password: readPassword(parameters, 'password'),
    guest: readFlag(parameters, 'guest', 'Guest must be a boolean value (true or false)'),
    auth: readFlag(parameters, 'auth', 'Auth must be a boolean value (true or false)'),
    createTime: readWholeNumber(parameters, 'createTime', 'Value must be an integral number'),
  };
}

function findMeetingToJoin(call: ApiCall, request: ReturnType<typeof readJoinRequest>): Meeting {
  const meeting = findMeeting(call.world, request.meetingId);
  if (!meeting) {
    throw refusal(findEndedMeeting(call.world, request.meetingId) ? 'meetingEnded' : 'joinMeetingUnknown');
  }
  if (request.fullName === '') throw refusal('fullNameMissing');
  if (request.createTime !== undefined && request.createTime !== meeting.createTime) {
    throw refusal('createTimeMismatch');
  }
  return meeting;
}

/** A valid role takes precedence over the password. */
function readRole(parameters: Parameters, meeting: Meeting, password: string | undefined): Role {
  const role = readText(parameters, 'role')?.toUpperCase();
  if (role === 'MODERATOR' || role === 'VIEWER') return role;
  if (password === undefined) throw refusal('roleMissing');
  if (password === meeting.moderatorPassword) return 'MODERATOR';
  if (password === meeting.attendeePassword) return 'VIEWER';
  throw refusal('passwordWrong');
}

/** Reads the `userdata-*` parameters whose names are valid names of XML elements. */
function readCustomData(parameters: Parameters): Map<string, string> {
  const data = new Map<string, string>();
  for (const [name, value] of parameters) {
    const key = /^userdata-([A-Za-z_][\w.-]*)$/.exec(name)?.[1];
    if (key !== undefined) data.set(key, value);
  }
  return data;
}

export function readPreferences(parameters: Parameters): JoinPreferences {
  const readOrEmpty = (name: string) => readText(parameters, name) ?? '';
  const excluded = readFlag(
    parameters,
    'excludeFromDashboard',
    'ExcludeFromDashboard must be a boolean value (true or false)',
  );
  return {
    logoutURL: readOrEmpty('logoutURL'),
    enforceLayout: readOrEmpty('enforceLayout'),
    avatarURL: readOrEmpty('avatarURL'),
    webcamBackgroundURL: readOrEmpty('webcamBackgroundURL'),
    excludeFromDashboard: excluded ?? false,
  };
}

function findNamedMeeting(call: ApiCall): Meeting | undefined {
  const id = readText(call.parameters, 'meetingID');
  return id === undefined ? undefined : (findMeeting(call.world, id) ?? findEndedMeeting(call.world, id));
}

/** Redirects for `true` or without the parameter. */
function wantsRedirect(parameters: Parameters): boolean {
  return (readText(parameters, 'redirect') ?? 'true').toLowerCase() === 'true';
}

function validWebAddress(url: string | undefined): string | undefined {
  if (url === undefined || !/^https?:\/\//i.test(url)) return undefined;
  // Not with `URL.canParse`: optimized by Node 20, it rejects non-ASCII host names.
  try {
    void new URL(url);
    return url;
  } catch {
    return undefined;
  }
}

function printJoined(meeting: Meeting, user: User, url: string): Answer {
  const isWaiting = user.guestStatus === 'WAIT';
  return success({
    messageKey: isWaiting ? 'guestWait' : 'successfullyJoined',
    message: isWaiting ? 'Guest waiting for approval to join meeting.' : 'You have joined successfully.',
    meeting_id: meeting.internalId,
    user_id: user.internalId,
    auth_token: user.authToken,
    session_token: user.sessionToken,
    guestStatus: user.guestStatus,
    url,
  });
}
