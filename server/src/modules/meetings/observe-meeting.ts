import { type Change, change, type ChangeServices, system } from '../../events/change.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import { spendFeature } from '../subscriptions/index.ts';
import type { MeetingState } from '../../providers/meeting-provider.ts';
import {
  lockMeeting,
  type MeetingRow,
  openEntries,
  openingMs,
  type RoomEntryRow,
  storeEntry,
  storeMeeting,
} from './store.ts';

/**
 * Brings what is stored in line with what the provider says: who came, who left, whether it is over.
 * @returns the meeting as it is now.
 */
export async function observeMeeting(
  services: ChangeServices,
  meeting: MeetingRow,
  state: MeetingState,
): Promise<MeetingRow> {
  return await change(services, system, async (under) => {
    const row = await lockMeeting(under.tx, meeting.id);
    if (!row || row.state === 'ended') return row ?? meeting;
    const isAnother =
      row.provider_created_at !== null && state.createdAtMs !== null && row.provider_created_at !== state.createdAtMs;
    if (state.exists && !isAnother) return await update(under, row, state);
    const age = Date.parse(under.now) - Date.parse(row.created_at);
    if (row.state === 'opening' && age < openingMs) return row;
    return await endMeeting(under, row, row.state === 'opening' ? 'never-opened' : 'ended');
  });
}

/** The meeting is over: everybody has left, and minutes are counted. */
export async function endMeeting(under: Change, row: MeetingRow, reason: string): Promise<MeetingRow> {
  let minutes = 0;
  for (const entry of await openEntries(under.tx, row.id)) minutes += await leave(under, row, entry);
  const ended = await storeMeeting(under.tx, row.id, {
    state: 'ended',
    participant_count: 0,
    participant_minutes: row.participant_minutes + minutes,
    ended_at: under.now,
    end_reason: reason,
    updated_at: under.now,
  });
  if (row.state === 'open') await record(under, 'meeting.ended', ended);
  return ended;
}

async function update(under: Change, row: MeetingRow, state: MeetingState): Promise<MeetingRow> {
  const present = new Set(state.attendees.map(({ userId }) => userId));
  let minutes = 0;
  for (const entry of await openEntries(under.tx, row.id)) {
    if (present.has(entry.id)) {
      if (entry.joined_at === null) await join(under, row, entry);
    } else if (entry.joined_at !== null) minutes += await leave(under, row, entry);
    else if (Date.parse(entry.expires_at) <= Date.parse(under.now))
      await storeEntry(under.tx, entry.id, { left_at: under.now });
  }
  return await storeMeeting(under.tx, row.id, {
    state: 'open',
    participant_count: state.participantCount,
    peak_participants: Math.max(row.peak_participants, state.participantCount),
    participant_minutes: row.participant_minutes + minutes,
    provider_internal_id: state.internalId ?? row.provider_internal_id,
    provider_created_at: state.createdAtMs ?? row.provider_created_at,
    started_at: row.started_at ?? startOf(state, under.now),
    observed_at: under.now,
    updated_at: under.now,
  });
}

/** A provider whose clock is ahead must not have a meeting start after it was seen: it could end before it starts. */
function startOf({ createdAtMs }: MeetingState, now: string): string {
  if (createdAtMs === null) return now;
  const told = instantOfMicroseconds(createdAtMs * 1000);
  return told < now ? told : now;
}

async function join(under: Change, row: MeetingRow, entry: RoomEntryRow): Promise<void> {
  await storeEntry(under.tx, entry.id, { joined_at: under.now });
  await record(under, 'participant.joined', row, { entry: entry.id, role: entry.role });
}

/** @returns the minutes that the participant was in, begun ones counted. */
async function leave(under: Change, row: MeetingRow, entry: RoomEntryRow): Promise<number> {
  await storeEntry(under.tx, entry.id, { left_at: under.now });
  if (entry.joined_at === null) return 0;
  const minutes = Math.max(1, Math.ceil((Date.parse(under.now) - Date.parse(entry.joined_at)) / 60_000));
  await spendFeature(under, row.subscription_id, 'participant_minutes', minutes);
  await record(under, 'participant.left', row, { entry: entry.id, role: entry.role, minutes });
  return minutes;
}

async function record(
  under: Change,
  name: 'meeting.ended' | 'participant.joined' | 'participant.left',
  row: MeetingRow,
  after: object = row,
): Promise<void> {
  await under.emit({ name, resource: { type: 'Meeting', id: row.id }, customerId: row.customer_id, after });
}
