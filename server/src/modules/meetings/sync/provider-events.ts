import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { epochMs, type Instant, instantOfMicroseconds, printInstant } from '../../../platform/time/instant.ts';
import type { ProviderEvent } from '../../../providers/meet.ts';
import { reconcileMeetings, type Observation } from './reconcile-meetings.ts';
import { reconcileOptions, ourInstant } from '../observe-meeting.ts';
import { keyOf, type Person, type Sighting } from '../participants/people.ts';
import { lockMeetings, type MeetingRow, meetingIdsOfSessions } from '../store.ts';

/**
 * Older events are ignored. A server repeats events for five minutes, so they are replays, or the clock of the server has
 * changed.
 */
const maxAgeMs = 360_000;

/**
 * Applies events of a provider, whose signature the caller has verified. The result does not depend on repetitions or
 * the order, even if the end arrives first. Events of other meetings are ignored.
 */
export async function applyProviderEvents(
  dependencies: Dependencies,
  providerId: Uuid,
  events: readonly ProviderEvent[],
): Promise<void> {
  if (events.length === 0) return;
  const { db, clock } = dependencies;
  const internalIds = events.map(({ internalId }) => internalId);
  const endedSince = instantOfMicroseconds((clock.nowMs() - maxAgeMs) * 1000);
  const ids = await meetingIdsOfSessions(db, providerId, internalIds, endedSince);
  if (ids.length === 0) return;
  await inTransaction(dependencies, system, async (change) => {
    const rows = await lockMeetings(change.tx, ids);
    const observations = rows.flatMap((row): Observation[] => {
      if (row.attendance_at !== null) return [];
      const eventsOfMeeting = events.filter(
        ({ internalId, meetingId, atMs }) =>
          internalId === row.provider_internal_id &&
          meetingId === row.provider_meeting_id &&
          epochMs(change.now) - epochMs(ourInstant(row, atMs)) <= maxAgeMs,
      );
      return eventsOfMeeting.length === 0 ? [] : [observationOf(row, eventsOfMeeting, change.now)];
    });
    await reconcileMeetings(change, observations, reconcileOptions(dependencies));
  });
}

function observationOf(row: MeetingRow, events: readonly ProviderEvent[], now: Instant): Observation {
  const instantOf = ({ atMs }: ProviderEvent) => {
    const instant = ourInstant(row, atMs);
    return instant < now ? instant : now;
  };
  const end = events.find(({ kind }) => kind === 'meeting-ended');
  return {
    row,
    sightings: (people) => sightingsOf(row, people, events, instantOf),
    ...(end ? { end: { at: endOf(row, instantOf(end)), reason: row.end_reason ?? 'ended' } } : {}),
  };
}

/** The end that the event reports, but not before the last observation and not after an end that is already stored. */
function endOf(row: MeetingRow, at: Instant): Instant {
  const earliest = printInstant(row.observed_at ?? row.started_at ?? row.created_at);
  const latest = row.ended_at === null ? at : printInstant(row.ended_at);
  if (at < earliest) return row.ended_at === null ? earliest : latest;
  return at < latest ? at : latest;
}

function sightingsOf(
  row: MeetingRow,
  people: readonly Person[],
  events: readonly ProviderEvent[],
  instantOf: (event: ProviderEvent) => Instant,
): Sighting[] {
  const ids = new Set(people.map(({ key }) => key));
  const sightings = new Map<string, Sighting>();
  for (const event of events) {
    if (event.kind === 'meeting-ended') continue;
    const key = keyOf(row.id, event.userId, (id) => ids.has(id));
    const { joinTimes = [], leaveTimes = [] } = sightings.get(key) ?? {};
    sightings.set(key, {
      key,
      fullName: event.fullName,
      isModerator: event.isModerator,
      joinTimes: event.kind === 'joined' ? [...joinTimes, instantOf(event)] : joinTimes,
      leaveTimes: event.kind === 'left' ? [...leaveTimes, instantOf(event)] : leaveTimes,
    });
  }
  return [...sightings.values()];
}
