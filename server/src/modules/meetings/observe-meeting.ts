import { type Change, inTransaction, type ChangeServices, system } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import { epochMs, type Instant, instantOfMicroseconds, printInstant } from '../../platform/time/instant.ts';
import type { MeetingState } from '../../providers/meet.ts';
import { reconcileMeetings, type ReconcileOptions, type Observation } from './sync/reconcile-meetings.ts';
import { insertUnconfirmedEnd } from './sync/lost-store.ts';
import { isAwaited, isPresent, keyOf, type Person, sessionName, type Sighting } from './participants/people.ts';
import { lastPolledAt } from './sync/poll-store.ts';
import {
  type CurrentEntry,
  currentEntries,
  lockMeeting,
  lockMeetings,
  type MeetingRow,
  storeMeeting,
} from './store.ts';

/** A participant who was not seen for this long is charged only up to the last observation. */
const unseenMs = 15 * 60_000;

/** The state of a meeting that a provider reported, and the instant of the request. */
export interface ProviderSnapshot {
  readonly state: MeetingState;
  readonly at: Instant;
  /** When the provider was last polled; null if never. */
  readonly previousPollAt: Instant | null;
}

/**
 * Stores the joins, the leaves and the end of the meeting that the provider reports. Unchanged data is not written.
 * @returns the updated meeting
 */
export async function observeMeeting(
  services: ChangeServices,
  meeting: MeetingRow,
  state: MeetingState,
  at: Instant = services.clock.now(),
): Promise<MeetingRow> {
  if (!hasChanges(meeting, { state, at }, await currentEntries(services.db, [meeting.id]))) return meeting;
  return await inTransaction(services, system, async (change) => {
    const [row] = await lockMeetings(change.tx, [meeting.id]);
    if (!row || row.state === 'ended') return row ?? meeting;
    const previousPollAt = await lastPolledAt(change.tx, row.service_provider_id);
    const observation = observationOf(row, { state, at, previousPollAt }, change.now);
    if (!observation) return row;
    const [observed] = await reconcileMeetings(change, [observation], reconcileOptions(services));
    return observed ?? row;
  });
}

/** Ends the meeting and all stays in it, and charges their minutes. */
export async function endMeeting(
  change: Change,
  row: MeetingRow,
  reason: string,
  at: Instant = change.now,
): Promise<MeetingRow> {
  // An end adds no participants, so no names are stored.
  const [ended] = await reconcileMeetings(change, [{ row, end: { at, reason } }], {
    namesSince: null,
    timeZone: 'UTC',
  });
  if (reason === 'provider-lost' || reason === 'room-deleted')
    await insertUnconfirmedEnd(change.tx, row, reason, change.now);
  return ended ?? row;
}

/**
 * Records that the provider ended the meeting on a request sent at `requestedAt`. If the provider's own event arrived first,
 * only the reason is stored. @returns null if it ended for another reason, or was deleted
 */
export async function endAfterRequest(
  change: Change,
  id: MeetingRow['id'],
  reason: string,
  requestedAt: Instant,
): Promise<MeetingRow | null> {
  const row = await lockMeeting(change.tx, id);
  if (!row) return null;
  if (row.state !== 'ended') return await endMeeting(change, row, reason);
  if (row.end_reason !== 'ended' || printInstant(row.updated_at) < requestedAt) return null;
  return await storeEndReason(change, row, reason);
}

/** Ends the meeting of a broadcast that has ended. If its end was observed first, only the reason is stored. */
export async function endMeetingOfSession(
  change: Change,
  row: MeetingRow,
  { at, reason }: { readonly at: Instant; readonly reason: string },
): Promise<void> {
  if (row.state === 'ended') {
    if (row.end_reason === 'ended') await storeEndReason(change, row, reason);
    return;
  }
  const seen = lastSeen(row, null);
  await endMeeting(change, row, reason, seen !== null && seen > at ? seen : at);
}

async function storeEndReason(change: Change, row: MeetingRow, reason: string): Promise<MeetingRow> {
  const ended = await storeMeeting(change.tx, row.id, { end_reason: reason, updated_at: change.now });
  await change.emit(rowEvent('meeting.end_reason_recorded', { before: row, after: ended }));
  return ended;
}

export function reconcileOptions({ settings, clock }: Pick<ChangeServices, 'settings' | 'clock'>): ReconcileOptions {
  const { participant_names_days: days, system_timezone: timeZone } = settings();
  return { namesSince: days > 0 ? clock.after(-days * 86_400) : null, timeZone };
}

/** Whether the provider reports anything that is not stored. Elapsed minutes are not compared. */
export function hasChanges(
  row: MeetingRow,
  { state, at }: Pick<ProviderSnapshot, 'state' | 'at'>,
  entries: readonly CurrentEntry[],
): boolean {
  if (row.state !== 'open' || !isSameMeeting(row, state)) return true;
  // An encoder was admitted, and its session has begun.
  if (row.provider_internal_id === null && state.internalId !== null) return true;
  const reservations = entries.filter(({ has_joined: hasJoined }) => !hasJoined);
  const joined = new Set(entries.filter(({ has_joined: hasJoined }) => hasJoined).map(({ key }) => key));
  const knownKeys = new Set(entries.map(({ key }) => key));
  const attending = new Set(attendeesOf(row, state, (id) => knownKeys.has(id)).keys());
  return (
    row.participant_count !== Math.max(state.participantCount, attending.size) ||
    attending.size !== joined.size ||
    [...attending].some((key) => !joined.has(key)) ||
    reservations.some(({ expires_at: expiresAt }) => expiresAt <= at)
  );
}

/**
 * Whether a current participant has started a minute that is not charged yet. Earlier minutes were charged when the
 * meeting's row was last written.
 */
export function hasBegunMinute({ updated_at }: MeetingRow, entries: readonly CurrentEntry[], at: Instant): boolean {
  const [countedMs, atMs] = [epochMs(printInstant(updated_at)), epochMs(at)];
  return entries.some(({ joined_at: joinedAt }) => {
    if (joinedAt === null) return false;
    const minutesAt = (ms: number) => Math.max(1, Math.ceil((ms - epochMs(printInstant(joinedAt))) / 60_000));
    return minutesAt(atMs) !== minutesAt(countedMs);
  });
}

/** The observation to apply to the meeting, whose row is locked; null if nothing is to be applied. */
export function observationOf(row: MeetingRow, snapshot: ProviderSnapshot, now: Instant): Observation | null {
  const { state } = snapshot;
  if (!isSameMeeting(row, state)) {
    if (isBeginning(row, now)) return null;
    return row.state === 'opening' ? null : { row, end: { at: endOf(row, snapshot), reason: 'ended' } };
  }
  return {
    row,
    sightings: (people) => sightingsOf(row, snapshot, people),
    facts: {
      provider_count: state.participantCount,
      provider_internal_id: state.internalId,
      provider_created_at: state.createdAtMs,
      started_at: row.started_at === null ? startOf(row, state, now) : null,
    },
  };
}

/** Whether the meeting exists and is not a later one with the same id. */
function isSameMeeting(row: MeetingRow, { exists, createdAtMs }: MeetingState): boolean {
  const isAnother = row.provider_created_at !== null && createdAtMs !== null && row.provider_created_at !== createdAtMs;
  return exists && !isAnother;
}

/** How long a media server may take to open the session of an admitted encoder. */
const maxOpeningMs = 15_000;

/** Whether an encoder was admitted so recently that its media server may not have opened the session yet. */
function isBeginning({ state, provider_internal_id: session, updated_at: updatedAt }: MeetingRow, now: Instant) {
  return state === 'open' && session === null && epochMs(now) - epochMs(printInstant(updatedAt)) < maxOpeningMs;
}

function sightingsOf(
  row: MeetingRow,
  { state, at, previousPollAt }: ProviderSnapshot,
  people: readonly Person[],
): Sighting[] {
  const ids = new Set(people.map(({ key }) => key));
  const attending = attendeesOf(row, state, (id) => ids.has(id));
  const seenBefore = lastSeen(row, previousPollAt);
  const isLongAgo = seenBefore !== null && epochMs(at) - epochMs(seenBefore) > unseenMs;
  const sightings = people.flatMap((person): Sighting[] => {
    const attendee = attending.get(person.key);
    attending.delete(person.key);
    if (attendee) return isPresent(person) ? [] : [{ key: person.key, ...attendee, joinTimes: [at] }];
    if (isPresent(person))
      return [{ key: person.key, leaveTimes: [isLongAgo ? notBeforeLastJoin(seenBefore, person) : at] }];
    return isAwaited(person) && person.first.expires_at <= at ? [{ key: person.key, hasExpired: true }] : [];
  });
  return [...sightings, ...[...attending].map(([key, attendee]) => ({ key, ...attendee, joinTimes: [at] }))];
}

/** The instant, or the person's last join if it is later: a stay cannot end before it starts. */
function notBeforeLastJoin(instant: Instant, { entries }: Person): Instant {
  return entries.reduce(
    (latest, { joined_at: joined }) => (joined !== null && joined > latest ? joined : latest),
    instant,
  );
}

/** Each session is a participant: some servers admit several people with one entry link. */
function attendeesOf(
  row: MeetingRow,
  { attendees }: MeetingState,
  isKnown: (id: string) => boolean,
): Map<string, { fullName: string; isModerator: boolean }> {
  const sessions = new Map<string, number>();
  const attending = new Map<string, { fullName: string; isModerator: boolean }>();
  for (const { userId, fullName, isModerator } of attendees) {
    if (userId === '') continue;
    const index = sessions.get(userId) ?? 0;
    sessions.set(userId, index + 1);
    attending.set(keyOf(row.id, sessionName(userId, index), isKnown), { fullName, isModerator });
  }
  return attending;
}

/**
 * The end that the provider reports, unless the meeting was observed later. Otherwise the time of the poll, or of the
 * last observation if that was long ago.
 */
function endOf(row: MeetingRow, { state, at, previousPollAt }: ProviderSnapshot): Instant {
  const seen = lastSeen(row, previousPollAt);
  if (state.endedAtMs !== null && row.provider_created_at === state.createdAtMs) {
    const reported = ourInstant(row, state.endedAtMs);
    if (reported <= at && (seen === null || reported >= seen)) return reported;
  }
  return seen !== null && epochMs(at) - epochMs(seen) > unseenMs ? seen : at;
}

function lastSeen(row: MeetingRow, previousPollAt: Instant | null): Instant | null {
  const seen = [row.observed_at, row.started_at].flatMap((instant) =>
    instant === null ? [] : [printInstant(instant)],
  );
  return [...seen, ...(previousPollAt === null ? [] : [previousPollAt])].sort().at(-1) ?? null;
}

/**
 * The start is never later than the first observation, even if the provider's clock is ahead. Otherwise a meeting could
 * end before it starts.
 */
function startOf(row: MeetingRow, { createdAtMs }: MeetingState, now: Instant): Instant {
  if (createdAtMs === null) return now;
  const reported = ourInstant(row, createdAtMs);
  return reported < now ? reported : now;
}

/** Converts an instant of the provider's clock (milliseconds since 1970) to ours. */
export function ourInstant({ clock_offset_ms: offsetMs }: Pick<MeetingRow, 'clock_offset_ms'>, ms: number): Instant {
  return instantOfMicroseconds((ms + offsetMs) * 1000);
}

/**
 * How far our clock is ahead of the provider's, from a meeting that was created between two instants of our clock. A
 * difference within the round-trip time counts as 0.
 */
export function clockOffsetMs(createdAtMs: number, requestedAtMs: number, answeredAtMs: number): number {
  return Math.min(Math.max(0, requestedAtMs - createdAtMs), answeredAtMs - createdAtMs);
}
