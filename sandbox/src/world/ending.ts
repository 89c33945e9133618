import { queueEndCallbacks } from './callbacks.ts';
import { endedMeetingListedMs, scheduledEnd } from './lifecycle.ts';
import type { EndReason, Meeting } from './meeting.ts';
import { recordingOf } from './recording.ts';
import { type World, liveMeetings } from './world.ts';

/** Ends a live meeting and its breakout rooms; everybody is put out. Ending what has ended changes nothing. */
export function endMeeting(world: World, meeting: Meeting, at: number, reason: EndReason): void {
  if (meeting.endedAt !== null) return;
  meeting.endedAt = at;
  meeting.endReason = reason;
  const recording = recordingOf(meeting, at);
  if (recording) world.recordings.push(recording);
  for (const user of meeting.users.values()) {
    user.connections.clear();
    if (user.presence === 'joined') user.presence = 'left';
  }
  meeting.isRecording = false;
  world.logger.info({ meetingID: meeting.externalId, reason }, 'The meeting has ended.');
  for (const room of liveMeetings(world)) {
    if (room.parentId === meeting.internalId) endMeeting(world, room, at, 'parent-ended');
  }
  queueEndCallbacks(world, meeting, at);
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
    if (meeting.endedAt !== null && meeting.endedAt + endedMeetingListedMs <= now) {
      world.meetings.delete(meeting.internalId);
    }
  }
  for (const recording of world.recordings) {
    if (recording.state === 'processing' && recording.readyAt <= now) recording.state = 'published';
  }
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
