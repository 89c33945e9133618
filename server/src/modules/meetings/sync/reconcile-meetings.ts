import { minuteTags } from '@foyer/contract/resources/packages/features.ts';
import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { Change } from '../../../events/change.ts';
import type { EventInput } from '../../../events/event-data.ts';
import { eventAbout } from '../../../events/row-event.ts';
import { calendarDateAt } from '../../../platform/time/calendar-date.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';
import { lockUsages, recordUsages } from '../../subscriptions/index.ts';
import {
  type EntryRow,
  entriesOf,
  type MeetingFacts,
  upsertEntries,
  removeEntries,
  storeFacts,
} from '../participants/entry-store.ts';
import { type Person, peopleOf, type UpdatedPerson, type Sighting, applySighting } from '../participants/people.ts';
import { peakOf } from '../participants/stays.ts';
import type { MeetingRow } from '../store.ts';

/** The observation of one meeting by a poll, a webhook or a join. */
export interface Observation {
  /** The meeting, whose row is locked. */
  readonly row: MeetingRow;
  /** Computes, from the stored participants, who has joined or left. */
  readonly sightings?: (people: readonly Person[]) => readonly Sighting[];
  readonly facts?: Partial<
    Pick<MeetingFacts, 'provider_count' | 'provider_internal_id' | 'provider_created_at' | 'started_at'>
  >;
  /** The meeting had been recorded as ended and continues, and so do the stays that ended with it. */
  readonly isResumed?: boolean;
  /** The meeting is over, and all participants have left. */
  readonly end?: { readonly at: Instant; readonly reason: string };
  /** From the provider's attendance report, which overrides all earlier observations. */
  readonly isRecord?: boolean;
}

export interface ReconcileOptions {
  /** Names of participants who left after this instant, or are present, may be stored; null stores no names. */
  readonly namesSince: Instant | null;
  readonly timeZone: string;
}

/**
 * Applies observations from every source. Stays are computed from sightings, and participant count and minutes from the
 * stays; usage is corrected up or down. The number of statements depends neither on the number of meetings nor on that of
 * participants.
 * @returns the updated meetings
 */
export async function reconcileMeetings(
  change: Change,
  observations: readonly Observation[],
  { namesSince, timeZone }: ReconcileOptions,
): Promise<MeetingRow[]> {
  const { tx, now } = change;
  const withSightings = observations.filter(
    ({ sightings, end, isResumed }) => sightings !== undefined || end !== undefined || isResumed === true,
  );
  const entries = await entriesOf(
    tx,
    withSightings.map(({ row }) => row.id),
  );
  const outcomes = withSightings.map((observation) => ({
    observation,
    after: mergeObservation(observation, entries, now, namesSince),
  }));
  const people = outcomes.flatMap(({ after }) => after);
  await removeEntries(
    tx,
    people.flatMap(({ removedIds }) => removedIds),
  );
  await upsertEntries(
    tx,
    people.flatMap(({ changedEntries }) => changedEntries),
  );
  const peopleAfter = new Map(outcomes.map(({ observation, after }) => [observation.row.id, after]));
  const stored = await storeFacts(
    tx,
    observations.map((observation) => factsOf(observation, peopleAfter.get(observation.row.id), now)),
    now,
  );
  await charge(change, observations, stored, timeZone);
  await emitEvents(change, outcomes, stored);
  return stored;
}

/** The participants after the observation, each with all stays. */
function mergeObservation(
  { row, sightings, end, isRecord = false, isResumed = false }: Observation,
  entries: readonly EntryRow[],
  now: Instant,
  namesSince: Instant | null,
): UpdatedPerson[] {
  const people = peopleOf(entries.filter(({ meeting_id: id }) => id === row.id));
  const sightingsByKey = new Map((sightings?.(people) ?? []).map((sighting) => [sighting.key, sighting]));
  const endsAt = end?.at ?? (row.ended_at === null || isResumed ? null : printInstant(row.ended_at));
  const span = { from: row.started_at === null ? null : printInstant(row.started_at), to: endsAt };
  const context = { meeting: row, span, now, namesSince, isRecord };
  const updatedPeople = people.flatMap((person) => {
    const sighting = sightingsByKey.get(person.key) ?? null;
    sightingsByKey.delete(person.key);
    return sighting === null && end === undefined && !isResumed ? [] : [applySighting(person, sighting, context)];
  });
  return [...updatedPeople, ...[...sightingsByKey.values()].map((sighting) => applySighting(null, sighting, context))];
}

function factsOf(
  { row, facts = {}, end, isRecord, isResumed }: Observation,
  after: readonly UpdatedPerson[] | undefined,
  now: Instant,
): MeetingFacts {
  return {
    id: row.id,
    provider_count: facts.provider_count ?? null,
    provider_internal_id: facts.provider_internal_id ?? null,
    provider_created_at: facts.provider_created_at ?? null,
    started_at: facts.started_at ?? null,
    ended_at: isResumed ? null : (end?.at ?? row.ended_at),
    end_reason: isResumed ? null : (end?.reason ?? row.end_reason),
    peak: isRecord && after ? peakOf(after.flatMap(({ stays }) => stays)) : null,
    attendance_at: isRecord ? now : null,
  };
}

/** Corrects the usage by the difference to the minutes that were charged before. */
async function charge(
  change: Change,
  observations: readonly Observation[],
  stored: readonly MeetingRow[],
  timeZone: string,
): Promise<void> {
  const before = new Map(observations.map(({ row }) => [row.id, row]));
  await lockUsages(
    change.tx,
    stored.map((meeting) => meeting.subscription_id),
    minuteTags,
  );
  const currentMinutes = new Map<Uuid, number>();
  for (const meeting of stored) {
    const former = before.get(meeting.id);
    const addedMinutes = meeting.participant_minutes - (former?.participant_minutes ?? 0);
    if (addedMinutes === 0) continue;
    const { subscription_id: id } = meeting;
    if (!former?.ended_at || meeting.ended_at === null)
      currentMinutes.set(id, (currentMinutes.get(id) ?? 0) + addedMinutes);
    else {
      const usedOn = calendarDateAt(Date.parse(former.ended_at), timeZone);
      await recordUsages(change, minuteTags, new Map([[id, addedMinutes]]), usedOn);
    }
  }
  await recordUsages(change, minuteTags, currentMinutes);
}

async function emitEvents(
  change: Change,
  outcomes: readonly { observation: Observation; after: readonly UpdatedPerson[] }[],
  stored: readonly MeetingRow[],
): Promise<void> {
  const rows = new Map(stored.map((row) => [row.id, row]));
  const events = outcomes.flatMap(({ observation: { row, end, isRecord }, after }) => {
    const meeting = rows.get(row.id) ?? row;
    const eventOf = (name: EventName, before: object, values: object): EventInput =>
      eventAbout(name, row.id, { customerId: row.customer_id, before, after: values });
    const attendanceOf = ({ participant_minutes, peak_participants }: MeetingRow) => ({
      participant_minutes,
      peak_participants,
    });
    return [
      ...(isRecord ? [] : after.flatMap((person) => participantEvents(person, row.customer_id))),
      ...(isRecord ? [eventOf('meeting.attendance_recorded', attendanceOf(row), attendanceOf(meeting))] : []),
      ...(end && row.state === 'open' ? [eventOf('meeting.ended', row, meeting)] : []),
    ];
  });
  await change.emitAll(events);
}

function participantEvents({ first, stays, wasPresent, staysBefore }: UpdatedPerson, customerId: Uuid): EventInput[] {
  const last = stays.at(-1);
  const isPresent = last !== undefined && last.leftAt === null;
  const hasJoined = !wasPresent && (isPresent || stays.length > staysBefore);
  const eventOf = (name: EventName): EventInput => eventAbout(name, first.id, { customerId });
  return [
    ...(hasJoined ? [eventOf('participant.joined')] : []),
    ...(last && !isPresent && (wasPresent || hasJoined) ? [eventOf('participant.left')] : []),
  ];
}
