import { type Meeting, type User, isModerator, isRunning, joinedUsers, presenterOf } from '../world/meeting.ts';
import type { World } from '../world/world.ts';
import type { XmlElements } from './request/xml.ts';

/** A live meeting as getMeetingInfo and getMeetings show it; clients rely on the order of the elements. */
export function printMeeting(world: World, meeting: Meeting): XmlElements {
  const joined = joinedUsers(meeting);
  const presenter = presenterOf(meeting);
  return {
    meetingName: meeting.name,
    meetingID: meeting.externalId,
    internalMeetingID: meeting.internalId,
    createTime: meeting.createTime,
    createDate: printDate(meeting.createTime),
    voiceBridge: meeting.voiceBridge,
    dialNumber: meeting.settings.dialNumber,
    attendeePW: meeting.attendeePassword,
    moderatorPW: meeting.moderatorPassword,
    running: isRunning(meeting),
    duration: meeting.settings.duration,
    hasUserJoined: meeting.hasUserJoined,
    recording: meeting.settings.record,
    hasBeenForciblyEnded: false,
    startTime: meeting.createTime,
    endTime: 0,
    participantCount: joined.length,
    listenerCount: joined.filter((user) => user.isListeningOnly).length,
    voiceParticipantCount: joined.filter((user) => user.hasJoinedVoice).length,
    videoCount: joined.filter((user) => user.hasVideo).length,
    maxUsers: meeting.settings.maxParticipants,
    moderatorCount: joined.filter(isModerator).length,
    attendees: listOf(
      'attendee',
      joined.map((user) => printAttendee(user, user === presenter)),
    ),
    metadata: Object.fromEntries(meeting.metadata),
    isBreakout: meeting.parentId !== null,
    ...printBreakout(meeting),
    ...printBreakoutRooms(world, meeting),
  };
}

/** Like `Thu Nov 20 10:00:00 UTC 2025`. */
export function printDate(instant: number): string {
  const [weekday, day, month, year, time] = new Date(instant).toUTCString().split(/,? /);
  return `${weekday} ${month} ${day} ${time} UTC ${year}`;
}

/** An empty list is an empty element, not an element with one empty item. */
export function listOf(name: string, items: XmlElements[]): XmlElements | string {
  return items.length === 0 ? '' : { [name]: items };
}

function printAttendee(user: User, isPresenter: boolean): XmlElements {
  return {
    userID: user.externalId,
    fullName: user.fullName,
    role: user.role,
    isPresenter,
    isListeningOnly: user.isListeningOnly,
    hasJoinedVoice: user.hasJoinedVoice,
    hasVideo: user.hasVideo,
    clientType: 'HTML5',
    customdata: Object.fromEntries(user.customData),
  };
}

function printBreakout(meeting: Meeting): XmlElements {
  if (meeting.parentId === null) return {};
  const { sequence, freeJoin } = meeting.settings;
  return { parentMeetingID: meeting.parentId, sequence, freeJoin };
}

function printBreakoutRooms(world: World, meeting: Meeting): XmlElements {
  const rooms = world.meetings.roomsOf(meeting.internalId).filter(({ endedAt }) => endedAt === null);
  if (rooms.length === 0) return {};
  return { breakoutRooms: { breakout: rooms.map((room) => room.internalId) } };
}
