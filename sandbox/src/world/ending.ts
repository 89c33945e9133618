import { queueAnalytics } from './analytics.ts';
import { putEverybodyOut, setRecording } from './attendance.ts';
import { queueEndCallbacks } from './end-callbacks.ts';
import { announceNoted } from './hooks.ts';
import { endedMeetingListedMs, scheduledEnd } from './lifecycle.ts';
import { type EndReason, type Meeting, note } from './meeting.ts';
import { archive, publishProcessed } from './processing.ts';
import { type World, liveMeetings } from './world.ts';

/** Ends a live meeting and its breakout rooms; everybody is put out. Ending what has ended changes nothing. */
export function endMeeting(world: World, meeting: Meeting, at: number, reason: EndReason): void {
  if (meeting.endedAt !== null) return;
  setRecording(meeting, false, at);
  putEverybodyOut(meeting, at);
  meeting.endedAt = at;
  meeting.endReason = reason;
  note(meeting, at, 'meeting-ended');
  announceNoted(world, meeting);
  archive(world, meeting, at);
  world.logger.info({ meetingID: meeting.externalId, reason }, 'The meeting has ended.');
  for (const room of liveMeetings(world)) {
    if (room.parentId === meeting.internalId) endMeeting(world, room, at, 'parent-ended');
  }
  queueEndCallbacks(world, meeting, at);
  queueAnalytics(world, meeting, at);
}

/** Brings the world up to the clock: whatever became due since the last time happens now, in its order. */
export function settle(world: World): void {
  const now = world.clock.now();
  for (;;) {
    const due = nextDue(world, now);
    if (!due) break;
    endMeeting(world, due.meeting, due.at, due.reason);
  }
  for (const meeting of world.meetings.values()) {
    announceNoted(world, meeting);
    if (meeting.endedAt !== null && meeting.endedAt + endedMeetingListedMs <= now) {
      world.meetings.delete(meeting.internalId);
    }
  }
  publishProcessed(world, now);
  world.callbacks.sendDue();
}

function nextDue(world: World, now: number) {
  let first: { meeting: Meeting; at: number; reason: EndReason } | null = null;
  for (const meeting of liveMeetings(world)) {
    const end = scheduledEnd(meeting);
    if (end && end.at <= now && (first === null || end.at < first.at)) first = { meeting, ...end };
  }
  return first;
}
