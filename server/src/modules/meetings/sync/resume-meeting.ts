import { sql } from 'kysely';
import type { Database } from '../../../database/connect.ts';
import { type Change, inTransaction, type ChangeServices } from '../../../events/change.ts';
import { eventAbout } from '../../../events/row-event.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type Instant, printInstant } from '../../../platform/time/instant.ts';
import type { MeetingState, OpenMeeting } from '../../../providers/meet.ts';
import { reconcileMeetings } from './reconcile-meetings.ts';
import { reconcileOptions, observationOf } from '../observe-meeting.ts';
import { lockMeetings, type MeetingRow, storeMeeting } from '../store.ts';

/** A session that was already open on the provider. */
export interface RunningSession extends Pick<OpenMeeting, 'internalId'> {
  readonly providerId: Uuid;
  /** The provider's data of the session; null if it does not respond. */
  readonly readState: () => Promise<MeetingState | null>;
}

/**
 * Resumes a meeting that was recorded as ended, for example because its provider did not respond, and whose session is
 * still running when the room is opened again. A session belongs to one meeting, so the earlier meeting continues with
 * its participants and minutes. It takes over the reservations of the meeting that was being opened, which is deleted.
 * @returns the resumed meeting; null if no meeting has this session
 */
export async function resumeMeeting(
  services: ChangeServices,
  actor: Actor,
  opening: MeetingRow,
  { internalId, providerId, readState }: RunningSession,
): Promise<MeetingRow | null> {
  const earlierId = await findEarlierMeeting(services.db, opening, internalId);
  if (earlierId === null) return null;
  const at = services.clock.now();
  const state = await readState();
  return await inTransaction(services, actor, async (change) => {
    const rows = await lockMeetings(change.tx, [opening.id, earlierId]);
    const row = rows.find(({ id }) => id === earlierId);
    // A concurrent request has already resumed it.
    if (row?.state === 'open') return row;
    if (!row || rows.find(({ id }) => id === opening.id)?.state !== 'opening') return null;
    await moveReservations(change, { from: opening.id, to: row.id });
    // The same server may have been added as another provider.
    await storeMeeting(change.tx, row.id, { service_provider_id: providerId });
    return await resume(change, row, state && { state, at }, reconcileOptions(services));
  });
}

async function resume(
  change: Change,
  row: MeetingRow,
  readState: { readonly state: MeetingState; readonly at: Instant } | null,
  options: ReturnType<typeof reconcileOptions>,
): Promise<MeetingRow> {
  await change.emit(
    eventAbout('meeting.resumed', row.id, {
      customerId: row.customer_id,
      before: { state: row.state, ended_at: row.ended_at, end_reason: row.end_reason },
      after: { state: 'open', ended_at: null, end_reason: null },
    }),
  );
  const [resumed = row] = await reconcileMeetings(change, [{ row, isResumed: true }], options);
  const endedAt = row.ended_at && printInstant(row.ended_at);
  const observation = readState && observationOf(resumed, { ...readState, previousPollAt: endedAt }, change.now);
  const [updated = resumed] = observation ? await reconcileMeetings(change, [observation], options) : [];
  return updated;
}

/** The room's earlier meeting with this session; null if there is none, or if an attendance record shows that it is over. */
async function findEarlierMeeting(db: Database, opening: MeetingRow, internalId: string): Promise<Uuid | null> {
  const { rows } = await sql<{ id: Uuid }>`
    select id from meetings
    where provider_internal_id = ${internalId} and room_id = ${opening.room_id} and id <> ${opening.id}
      and attendance_at is null
    order by id desc limit 1
  `.execute(db);
  return rows[0]?.id ?? null;
}

async function moveReservations({ tx }: Change, { from, to }: { from: Uuid; to: Uuid }): Promise<void> {
  await sql`
    with locked as materialized (
      select id from room_entries where meeting_id = ${from} order by id for no key update
    )
    update room_entries set meeting_id = ${to} from locked where room_entries.id = locked.id
  `.execute(tx);
  await tx.deleteFrom('meetings').where('id', '=', from).execute();
}
