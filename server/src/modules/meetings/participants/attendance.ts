import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction, system } from '../../../events/change.ts';
import { epochMs, printInstant, type Instant } from '../../../platform/time/instant.ts';
import type { Attendance } from '../../../providers/meet.ts';
import { reconcileMeetings } from '../sync/reconcile-meetings.ts';
import { reconcileOptions, ourInstant } from '../observe-meeting.ts';
import { findMinutesLeft } from '../minutes/minute-store.ts';
import { keyOf, sessionName, type Person, type Sighting } from './people.ts';
import { sessionsOf } from './stays.ts';
import { lockMeetings, type MeetingRow } from '../store.ts';

/** A record can end this much before the last observation, since its times are whole seconds. */
const roundingMs = 5000;

/**
 * Applies the provider's own attendance record of a meeting, which arrives once, some time after the end. It overrides
 * observations and corrects the charged minutes. The caller has verified its signature. A repeated record, or one of
 * another meeting, changes nothing.
 */
export async function applyAttendance(
  dependencies: Dependencies,
  meetingId: MeetingRow['id'],
  attendance: Attendance,
): Promise<void> {
  const corrected = await inTransaction(dependencies, system, async (change) => {
    const [row] = await lockMeetings(change.tx, [meetingId]);
    if (!row || row.attendance_at !== null || !isAboutMeeting(row, attendance)) return null;
    const at = finishOf(row, attendance, change.now);
    if (row.observed_at !== null && epochMs(row.observed_at) - epochMs(at) > roundingMs) {
      dependencies.logger.warn({ meeting: row.id }, 'the record of a meeting ends before its last observation');
      return null;
    }
    const [after = row] = await reconcileMeetings(
      change,
      [
        {
          row,
          isRecord: true,
          sightings: (people) => sightingsOf(row, people, attendance),
          end: { at, reason: row.end_reason ?? 'ended' },
        },
      ],
      reconcileOptions(dependencies),
    );
    return { meeting: row.id, beyond: await minutesBeyond(change, row, after) };
  });
  if (corrected && corrected.beyond > 0)
    dependencies.logger.warn({ ...corrected, ended: true }, 'more minutes are used than were left');
}

/** How many of the added minutes are beyond the limit. */
async function minutesBeyond({ tx, today }: Change, before: MeetingRow, after: MeetingRow): Promise<number> {
  const addedMinutes = after.participant_minutes - before.participant_minutes;
  if (addedMinutes <= 0) return 0;
  const minutesLeft = await findMinutesLeft(tx, after.subscription_id, today);
  return Math.max(0, ...minutesLeft.map((subscription) => Math.min(addedMinutes, -subscription.left)));
}

/** The end that the record reports, but not before the start of the meeting and not in the future. */
function finishOf(row: MeetingRow, { finishedAtMs }: Attendance, now: Instant): Instant {
  const reportedEnd = finishedAtMs === null ? (row.ended_at ?? now) : ourInstant(row, finishedAtMs);
  const earliest = printInstant(row.started_at ?? row.created_at);
  const finish = printInstant(reportedEnd);
  return finish < earliest ? earliest : finish > now ? now : finish;
}

function isAboutMeeting(row: MeetingRow, { meetingId, internalId }: Attendance): boolean {
  return row.provider_meeting_id === meetingId && row.provider_internal_id === internalId;
}

function sightingsOf(row: MeetingRow, people: readonly Person[], { attendees }: Attendance): Sighting[] {
  const ids = new Set(people.map(({ key }) => key));
  const toInstants = (times: readonly number[]): Instant[] => times.map((ms) => ourInstant(row, ms));
  return attendees.flatMap(({ userId, fullName, isModerator, joinedAtMs, leftAtMs }) =>
    sessionsOf({ joinTimes: toInstants(joinedAtMs), leaveTimes: toInstants(leftAtMs) }).map((session, index) => ({
      key: keyOf(row.id, sessionName(userId, index), (id) => ids.has(id)),
      fullName,
      isModerator,
      ...session,
    })),
  );
}
