import { type Change, inTransaction, type ChangeServices, system } from '../../events/change.ts';
import { epochMs, type Instant, instantOfMicroseconds, printInstant } from '../../platform/time/instant.ts';
import type { MeetingState } from '../../providers/meet.ts';
import { reconcileMeetings, type ReconcileOptions, type Observation } from './sync/reconcile-meetings.ts';
import { insertUnconfirmedEnd } from './sync/lost-store.ts';
import { isAwaited, isIn, keyOf, type Person, sessionName, type Sighting } from './participants/people.ts';
import { lastLook } from './sync/poll-store.ts';
import { currentEntries, lockMeeting, lockMeetings, type MeetingRow, storeMeeting } from './store.ts';

/** A participant who was not seen for this long is not charged for longer. */
const unseenMs = 15 * 60_000;

/** What a provider said of a meeting, and when it was asked. */
export interface Look {
  readonly state: MeetingState;
  readonly at: Instant;
  /** When all meetings of the provider were looked at before; null: never. */
  readonly before: Instant | null;
}

/**
 * Brings what is stored in line with what the provider says: who came, who left, whether it is over. What is as before
 * is not written. @returns the meeting as it is now.
 */
export async function observeMeeting(
  services: ChangeServices,
  meeting: MeetingRow,
  state: MeetingState,
  at: Instant = services.clock.now(),
): Promise<MeetingRow> {
  if (!isNews(meeting, { state, at }, await currentEntries(services.db, [meeting.id]))) return meeting;
  return await inTransaction(services, system, async (change) => {
    const [row] = await lockMeetings(change.tx, [meeting.id]);
    if (!row || row.state === 'ended') return row ?? meeting;
    const before = await lastLook(change.tx, row.service_provider_id);
    const news = observationOf(row, { state, at, before }, change.now);
    if (!news) return row;
    const [observed] = await reconcileMeetings(change, [news], reconcileOptions(services));
    return observed ?? row;
  });
}

/** Ends the meeting: all stays end, and their minutes are charged. */
export async function endMeeting(
  change: Change,
  row: MeetingRow,
  reason: string,
  at: Instant = change.now,
): Promise<MeetingRow> {
  // No participant is first seen at the end.
  const [ended] = await reconcileMeetings(change, [{ row, end: { at, reason } }], {
    namesSince: null,
    timeZone: 'UTC',
  });
  if (reason === 'provider-lost' || reason === 'room-deleted')
    await insertUnconfirmedEnd(change.tx, row, reason, change.now);
  return ended ?? row;
}

/**
 * What the provider was asked for at that instant has come about: the meeting is over. The provider may have told so
 * before we knew that it would do as it was asked; then only the reason is missing. @returns null where it ended for
 * another reason, or is gone
 */
export async function endAsAsked(
  change: Change,
  id: MeetingRow['id'],
  reason: string,
  askedAt: Instant,
): Promise<MeetingRow | null> {
  const row = await lockMeeting(change.tx, id);
  if (!row) return null;
  if (row.state !== 'ended') return await endMeeting(change, row, reason);
  if (row.end_reason !== 'ended' || printInstant(row.updated_at) < askedAt) return null;
  const ended = await storeMeeting(change.tx, id, { end_reason: reason, updated_at: change.now });
  await change.emit({
    name: 'meeting.end_reason_recorded',
    resource: { type: 'Meeting', id },
    customerId: row.customer_id,
    before: row,
    after: ended,
  });
  return ended;
}

export function reconcileOptions({ settings, clock }: Pick<ChangeServices, 'settings' | 'clock'>): ReconcileOptions {
  const { participant_names_days: days, system_timezone: timeZone } = settings();
  return { namesSince: days > 0 ? clock.after(-days * 86_400) : null, timeZone };
}

/** The columns of an entry that show a join or a leave. */
export interface CurrentEntry {
  readonly meeting_id: string;
  /** How the provider's attendee is found: the id of the first entry, or the digest. */
  readonly key: string;
  readonly joined: boolean;
  /** Null for who is on the way. */
  readonly joined_at: Instant | null;
  expires_at: Instant;
}

/** Whether the look says anything that is not stored; the minutes that pass are not looked at. */
export function isNews(
  row: MeetingRow,
  { state, at }: Pick<Look, 'state' | 'at'>,
  entries: readonly CurrentEntry[],
): boolean {
  if (row.state !== 'open' || !isSame(row, state)) return true;
  const waiting = entries.filter(({ joined }) => !joined);
  const inside = new Set(entries.filter(({ joined }) => joined).map(({ key }) => key));
  const known = new Set(entries.map(({ key }) => key));
  const present = new Set(attendeesOf(row, state, (id) => known.has(id)).keys());
  return (
    row.participant_count !== Math.max(state.participantCount, present.size) ||
    present.size !== inside.size ||
    [...present].some((key) => !inside.has(key)) ||
    waiting.some(({ expires_at: expiresAt }) => expiresAt <= at)
  );
}

/**
 * Whether a current participant has started a minute that is not charged yet. Earlier ones were charged with the
 * meeting's row.
 */
export function hasBegunMinute({ updated_at }: MeetingRow, entries: readonly CurrentEntry[], at: Instant): boolean {
  const [countedMs, atMs] = [epochMs(printInstant(updated_at)), epochMs(at)];
  return entries.some(({ joined_at: joinedAt }) => {
    if (joinedAt === null) return false;
    const minutesAt = (ms: number) => Math.max(1, Math.ceil((ms - epochMs(printInstant(joinedAt))) / 60_000));
    return minutesAt(atMs) !== minutesAt(countedMs);
  });
}

/** What follows for the meeting, whose row is locked; null for nothing. */
export function observationOf(row: MeetingRow, look: Look, now: Instant): Observation | null {
  const { state } = look;
  if (!isSame(row, state)) {
    return row.state === 'opening' ? null : { row, end: { at: endOf(row, look), reason: 'ended' } };
  }
  return {
    row,
    sightings: (people) => sightingsOf(row, look, people),
    facts: {
      listed: state.participantCount,
      provider_internal_id: state.internalId,
      provider_created_at: state.createdAtMs,
      started_at: row.started_at === null ? startOf(row, state, now) : null,
    },
  };
}

/** Whether the meeting is there, and is not a later one of the same id. */
function isSame(row: MeetingRow, { exists, createdAtMs }: MeetingState): boolean {
  const isAnother = row.provider_created_at !== null && createdAtMs !== null && row.provider_created_at !== createdAtMs;
  return exists && !isAnother;
}

function sightingsOf(row: MeetingRow, { state, at, before }: Look, people: readonly Person[]): Sighting[] {
  const ids = new Set(people.map(({ key }) => key));
  const present = attendeesOf(row, state, (id) => ids.has(id));
  const seenBefore = lastSeen(row, before);
  const isLongAgo = seenBefore !== null && epochMs(at) - epochMs(seenBefore) > unseenMs;
  const known = people.flatMap((person): Sighting[] => {
    const attendee = present.get(person.key);
    present.delete(person.key);
    if (attendee) return isIn(person) ? [] : [{ key: person.key, ...attendee, cameAt: [at] }];
    if (isIn(person)) return [{ key: person.key, wentAt: [isLongAgo ? atLeast(seenBefore, person) : at] }];
    return isAwaited(person) && person.first.expires_at <= at ? [{ key: person.key, lapsed: true }] : [];
  });
  return [...known, ...[...present].map(([key, attendee]) => ({ key, ...attendee, cameAt: [at] }))];
}

/** A stay cannot end before it starts. */
function atLeast(instant: Instant, { entries }: Person): Instant {
  return entries.reduce(
    (latest, { joined_at: joined }) => (joined !== null && joined > latest ? joined : latest),
    instant,
  );
}

/** Each session is a participant: one entry link admits several people where the server lets it. */
function attendeesOf(
  row: MeetingRow,
  { attendees }: MeetingState,
  isKnown: (id: string) => boolean,
): Map<string, { fullName: string; isModerator: boolean }> {
  const sessions = new Map<string, number>();
  const present = new Map<string, { fullName: string; isModerator: boolean }>();
  for (const { userId, fullName, isModerator } of attendees) {
    if (userId === '') continue;
    const index = sessions.get(userId) ?? 0;
    sessions.set(userId, index + 1);
    present.set(keyOf(row.id, sessionName(userId, index), isKnown), { fullName, isModerator });
  }
  return present;
}

/** As the provider says, unless it was seen to go on then; else when it was asked, but not long after it was seen. */
function endOf(row: MeetingRow, { state, at, before }: Look): Instant {
  const seen = lastSeen(row, before);
  if (state.endedAtMs !== null && row.provider_created_at === state.createdAtMs) {
    const told = ourInstant(row, state.endedAtMs);
    if (told <= at && (seen === null || told >= seen)) return told;
  }
  return seen !== null && epochMs(at) - epochMs(seen) > unseenMs ? seen : at;
}

function lastSeen(row: MeetingRow, before: Instant | null): Instant | null {
  const seen = [row.observed_at, row.started_at].flatMap((instant) =>
    instant === null ? [] : [printInstant(instant)],
  );
  return [...seen, ...(before === null ? [] : [before])].sort().at(-1) ?? null;
}

/** A provider whose clock is ahead must not have a meeting start after it was seen: it could end before it starts. */
function startOf(row: MeetingRow, { createdAtMs }: MeetingState, now: Instant): Instant {
  if (createdAtMs === null) return now;
  const told = ourInstant(row, createdAtMs);
  return told < now ? told : now;
}

/** What our clock showed when that of the provider showed so many milliseconds since 1970. */
export function ourInstant({ clock_offset_ms: offsetMs }: Pick<MeetingRow, 'clock_offset_ms'>, ms: number): Instant {
  return instantOfMicroseconds((ms + offsetMs) * 1000);
}

/**
 * How much our clock is ahead of the provider's: a meeting that was made between two instants of ours was made then. A
 * difference that the way there and back may have taken is none.
 */
export function clockOffsetMs(createdAtMs: number, askedAtMs: number, answeredAtMs: number): number {
  return Math.min(Math.max(0, askedAtMs - createdAtMs), answeredAtMs - createdAtMs);
}
