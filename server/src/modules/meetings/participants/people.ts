import { groupBy } from '../../../platform/group-by.ts';
import { createHash } from 'node:crypto';
import { newUuid, type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { cutText, maxNameLength } from '../../../platform/text/cut-text.ts';
import type { Instant } from '../../../platform/time/instant.ts';
import type { EntryRow } from './entry-store.ts';
import { type MeetingSpan, type Stay, staysOf } from './stays.ts';
import type { MeetingRow } from '../store.ts';

/** A participant with all entries, the earliest first. */
export interface Person {
  readonly key: string;
  readonly first: EntryRow;
  readonly entries: readonly EntryRow[];
}

/** An observation of a participant. */
export interface Sighting {
  readonly key: string;
  readonly fullName?: string;
  readonly isModerator?: boolean;
  readonly joinTimes?: readonly Instant[];
  readonly leaveTimes?: readonly Instant[];
  /** The reservation has expired: the participant did not join in time. */
  readonly hasExpired?: boolean;
}

/** A participant after a sighting was applied. */
export interface UpdatedPerson {
  readonly first: EntryRow;
  readonly stays: readonly Stay[];
  readonly staysBefore: number;
  readonly wasPresent: boolean;
  /** Entries that are new or have changed. */
  readonly changedEntries: readonly EntryRow[];
  readonly removedIds: readonly Uuid[];
}

export interface MeetingContext {
  readonly meeting: MeetingRow;
  readonly span: MeetingSpan;
  readonly now: Instant;
  /** Names of participants who left before this instant are not stored; null: no names are stored. */
  readonly namesSince: Instant | null;
  /** Records of the provider replace observations. */
  readonly isRecord: boolean;
}

export function peopleOf(entries: readonly EntryRow[]): Person[] {
  const people = groupBy(entries, (entry) => entry.first_entry_id ?? entry.id);
  return [...people.values()].flatMap((entriesOfPerson) => {
    const [first] = entriesOfPerson;
    return first ? [{ key: first.outsider_key ?? first.id, first, entries: entriesOfPerson }] : [];
  });
}

export function isPresent({ entries }: Person): boolean {
  return entries.some(({ joined_at: joinedAt, left_at: leftAt }) => joinedAt !== null && leftAt === null);
}

/** Whether the participant has a reserved slot. */
export function isAwaited({ first, entries }: Person): boolean {
  return entries.length === 1 && first.joined_at === null && first.left_at === null;
}

/**
 * The provider's user id is the id of the entry. Participants who joined directly on the provider have other ids; only
 * a digest of these is stored.
 */
export function keyOf(meetingId: Uuid, userId: string, isKnown: (id: string) => boolean): string {
  const id = userId.toLowerCase();
  return isKnown(id) ? id : createHash('sha256').update(`${meetingId}:${userId}`).digest('base64url').slice(0, 22);
}

/** The id of one session of a user; `index` sessions of the same user are listed before it. */
export function sessionName(userId: string, index: number): string {
  return index === 0 ? userId : `${userId} (session ${index + 1})`;
}

/** Further join and leave times of a participant are ignored. */
const maxSightings = 1000;

export function applySighting(
  person: Person | null,
  sighting: Sighting | null,
  context: MeetingContext,
): UpdatedPerson {
  const { span, namesSince, isRecord } = context;
  const before = person?.first ?? directParticipant(sighting, context);
  const joinTimes = mergeInstants(isRecord && sighting ? [] : before.join_times, sighting?.joinTimes);
  const leaveTimes = mergeInstants(isRecord && sighting ? [] : before.leave_times, sighting?.leaveTimes);
  const stays = staysOf({ joinTimes, leaveTimes }, span);
  const [firstStay] = stays;
  const lastLeft = stays.at(-1)?.leftAt;
  const keepsName = namesSince !== null && lastLeft !== undefined && (lastLeft === null || lastLeft > namesSince);
  const first: EntryRow = {
    ...before,
    full_name: before.full_name ?? (keepsName ? nameOf(sighting) : null),
    join_times: joinTimes,
    leave_times: leaveTimes,
    joined_at: firstStay?.joinedAt ?? null,
    left_at: firstStay ? firstStay.leftAt : expiredAt(before, sighting, context),
  };
  const entries = [first, ...furtherStays(person, first, stays)];
  const entriesBefore = new Map(person?.entries.map((entry) => [entry.id, entry]) ?? []);
  const remainingIds = new Set(idsOf(entries));
  return {
    first,
    stays,
    staysBefore: person?.entries.filter(({ joined_at: joinedAt }) => joinedAt !== null).length ?? 0,
    wasPresent: person !== null && isPresent(person),
    changedEntries:
      person === null && stays.length === 0
        ? []
        : entries.filter((entry) => hasChanged(entriesBefore.get(entry.id), entry)),
    removedIds: [...entriesBefore.keys()].filter((id) => !remainingIds.has(id)),
  };
}

/** When the reservation expired, at the latest at the end of the meeting; null while it is valid. */
function expiredAt(before: EntryRow, sighting: Sighting | null, { span, now }: MeetingContext): Instant | null {
  return before.left_at ?? (sighting?.hasExpired ? now : span.to);
}

function furtherStays(person: Person | null, first: EntryRow, stays: readonly Stay[]): EntryRow[] {
  return stays.slice(1).map(({ joinedAt, leftAt }, index) => ({
    ...first,
    id: person?.entries[index + 1]?.id ?? newUuid(),
    first_entry_id: first.id,
    full_name: null,
    join_times: [],
    leave_times: [],
    joined_at: joinedAt,
    left_at: leftAt,
  }));
}

function directParticipant(sighting: Sighting | null, { meeting, now }: MeetingContext): EntryRow {
  return {
    id: newUuid(),
    room_id: meeting.room_id,
    meeting_id: meeting.id,
    subscription_id: meeting.subscription_id,
    first_entry_id: null,
    outsider_key: sighting?.key ?? null,
    role: sighting?.isModerator ? 'moderator' : 'attendee',
    full_name: null,
    expires_at: now,
    joined_at: null,
    left_at: null,
    join_times: [],
    leave_times: [],
    created_at: now,
  };
}

function nameOf(sighting: Sighting | null): string | null {
  const name = cutText(sighting?.fullName?.toWellFormed().replaceAll('\0', '') ?? '', maxNameLength);
  return name === '' ? null : name;
}

function mergeInstants(stored: readonly Instant[], observed: readonly Instant[] = []): Instant[] {
  return [...new Set([...stored, ...observed])].sort().slice(0, maxSightings);
}

function hasChanged(before: EntryRow | undefined, after: EntryRow): boolean {
  return before === undefined || JSON.stringify(before) !== JSON.stringify(after);
}
