import type { Meeting, Stay, User } from './meeting.ts';
import { signToken } from './signed-token.ts';
import type { World } from './world.ts';

/** Reports the attendance some seconds after the end, if the events of the meeting were kept. */
export function queueAnalytics(world: World, meeting: Meeting, endedAt: number): void {
  const url = meeting.callbackUrls.analytics;
  // `keepEvents` is the name in older servers.
  const { meetingKeepEvents, keepEvents } = meeting.settings;
  if (url === null || !(meetingKeepEvents || keepEvents)) return;
  const body = JSON.stringify(describeAttendance(meeting, endedAt));
  world.callbacks.queue({
    kind: 'analytics',
    url,
    meetingId: meeting.externalId,
    at: endedAt + delayMs,
    retryDelaysMs: [],
    prepare(secret, now) {
      const token = signToken({ exp: Math.floor(now / 1_000) + tokenSeconds }, secret, 'HS512');
      return {
        method: 'POST',
        url,
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'user-agent': 'BigBlueButton Analytics Callback',
        },
        body,
      };
    },
    isAccepted: (status) => status >= 200 && status < 300,
  });
}

/** A real server sends the callback only after minutes. */
const delayMs = 5_000;
const tokenSeconds = 24 * 60 * 60;

function describeAttendance(meeting: Meeting, endedAt: number) {
  const attendees = new Map<string, User[]>();
  for (const user of meeting.users.values()) {
    if (user.stays.length === 0) continue;
    attendees.set(user.externalId, [...(attendees.get(user.externalId) ?? []), user]);
  }
  return {
    version: '1.0',
    meeting_id: meeting.externalId,
    internal_meeting_id: meeting.internalId,
    data: {
      metadata: {
        ...Object.fromEntries([...meeting.metadata].map(([key, value]) => [key.replaceAll('-', '_'), value])),
        is_breakout: String(meeting.parentId !== null),
        meeting_id: meeting.externalId,
        meeting_name: meeting.name,
        record: String(meeting.settings.record),
      },
      duration: toSeconds(endedAt - meeting.createTime),
      start: printInstant(meeting.createTime),
      finish: printInstant(endedAt),
      attendees: [...attendees].map(([externalId, sessions]) => describeAttendee(externalId, sessions, endedAt)),
      files: ['default.pdf', ...meeting.documents.map(({ name }) => name)],
      polls: [],
    },
  };
}

function describeAttendee(externalId: string, sessions: User[], endedAt: number) {
  const stays = sessions.flatMap((user) => user.stays).sort((one, other) => one.joinedAt - other.joinedAt);
  return {
    ext_user_id: externalId,
    name: sessions[0]?.fullName ?? '',
    moderator: sessions.some((user) => user.role === 'MODERATOR'),
    joins: stays.map((stay) => printInstant(stay.joinedAt)),
    leaves: stays.map((stay) => printInstant(stay.leftAt ?? endedAt)),
    duration: toSeconds(attendedMs(stays, endedAt)),
    recent_talking_time: '',
    engagement: { chats: 0, talks: 0, raisehand: 0, emojis: 0, poll_votes: 0, talk_time: 0 },
    sessions: Object.fromEntries(sessions.map((user) => [user.internalId, describeSession(user, endedAt)])),
  };
}

function describeSession(user: User, endedAt: number) {
  const entry = (at: number, event: 'join' | 'left') => ({
    timestamp: printInstant(at),
    userid: user.internalId,
    ext_userid: user.externalId,
    event,
    remove: false,
  });
  return {
    joins: user.stays.map((stay) => entry(stay.joinedAt, 'join')),
    lefts: user.stays.map((stay) => entry(stay.leftAt ?? endedAt, 'left')),
  };
}

/** Overlapping stays of one user count once. The stays are in order. */
function attendedMs(stays: readonly Stay[], endedAt: number): number {
  let total = 0;
  let countedUntil = 0;
  for (const { joinedAt, leftAt } of stays) {
    const until = leftAt ?? endedAt;
    total += Math.max(0, until - Math.max(joinedAt, countedUntil));
    countedUntil = Math.max(countedUntil, until);
  }
  return total;
}

/** Like `2025-11-20 10:00:00 +0000`. */
function printInstant(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace('T', ' ')} +0000`;
}

function toSeconds(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}
