import { queueAnalytics } from './analytics.ts';
import { removeAllUsers, setRecording } from './attendance.ts';
import { queueEndCallbacks } from './callbacks/end-callbacks.ts';
import { sendRecordedEvents } from './callbacks/hooks.ts';
import { endedEventDelayMs, findScheduledEnd } from './lifecycle.ts';
import { type EndReason, type Meeting, addEvent } from './meeting.ts';
import { archive, publishProcessed } from './processing.ts';
import type { World } from './world.ts';

/** Ends a live meeting and its breakout rooms, and removes all participants. An ended meeting stays unchanged. */
export function endMeeting(world: World, meeting: Meeting, at: number, reason: EndReason): void {
  if (meeting.endedAt !== null) return;
  setRecording(meeting, false, at);
  removeAllUsers(meeting, at);
  meeting.endedAt = at;
  meeting.endReason = reason;
  sendRecordedEvents(world, meeting);
  archive(world, meeting, at);
  world.logger.info({ meetingID: meeting.externalId, reason }, 'The meeting has ended.');
  for (const room of world.meetings.roomsOf(meeting.internalId)) endMeeting(world, room, at, 'parent-ended');
  queueEndCallbacks(world, meeting, at);
  queueAnalytics(world, meeting, at);
}

/** Runs all tasks that became due since the last call, in order: ends meetings, sends events, publishes recordings. */
export function runDueTasks(world: World): void {
  const now = world.clock.now();
  let next = findNextEnd(world);
  while (next && next.at <= now) {
    endMeeting(world, next.meeting, next.at, next.reason);
    next = findNextEnd(world);
  }
  let freeUntil = Math.min(now + minDelayMs, next?.at ?? Infinity);
  for (const meeting of world.meetings.all()) {
    sendRecordedEvents(world, meeting);
    if (meeting.endedAt === null) continue;
    const removedAt = meeting.endedAt + endedEventDelayMs;
    if (removedAt <= now) removeEndedMeeting(world, meeting, removedAt);
    else freeUntil = Math.min(freeUntil, removedAt);
  }
  world.taskFreeInterval = { since: now, until: Math.min(freeUntil, publishProcessed(world, now)) };
  world.callbacks.sendDue();
}

function removeEndedMeeting(world: World, meeting: Meeting, at: number): void {
  addEvent(meeting, at, 'meeting-ended');
  sendRecordedEvents(world, meeting);
  world.meetings.remove(meeting);
}

/** Like `runDueTasks`, but only looks through the meetings if a task can be due. */
export function runDueTasksIfAny(world: World): void {
  const now = world.clock.now();
  if (now < world.taskFreeInterval.since || now >= world.taskFreeInterval.until) return runDueTasks(world);
  if (world.hooks.size > 0) {
    for (const meeting of world.meetings.all()) sendRecordedEvents(world, meeting);
  }
  world.callbacks.sendDue();
}

/** Tasks that API calls schedule become due later than this. */
const minDelayMs = 1_000;

function findNextEnd(world: World) {
  let first: { meeting: Meeting; at: number; reason: EndReason } | null = null;
  for (const meeting of world.meetings.all()) {
    const end = meeting.endedAt === null ? findScheduledEnd(meeting) : null;
    if (end && (first === null || end.at < first.at)) first = { meeting, ...end };
  }
  return first;
}
