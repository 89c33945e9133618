import type { Change, Tx } from '../../../events/change.ts';
import { emitDeletions, type Page } from '../../../events/emit-deletions.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { endMeeting } from '../observe-meeting.ts';
import { currentMeeting, lockMeeting, lockMeetingsOfRoom } from '../store.ts';
import { sql } from 'kysely';
import { type ParticipantRow, participantView } from '../transformer.ts';

/**
 * Ends the running meeting; the job `end-meetings` then asks the provider to end it. The rows are deleted with the
 * room.
 */
export async function deleteMeetingsOfRoom(change: Change, roomId: Uuid): Promise<void> {
  const current = await currentMeeting(change.tx, roomId);
  const meeting = current && (await lockMeeting(change.tx, current.id));
  if (meeting && meeting.state !== 'ended') await endMeeting(change, meeting, 'room-deleted');
  await emitDeletions(change, 'participant.deleted', (page) => participantsOfRoom(change.tx, roomId, page));
  await emitDeletions(change, 'meeting.deleted', (page) => lockMeetingsOfRoom(change.tx, roomId, page));
}

/** The participants of all meetings of the room, in the order of their ids. */
async function participantsOfRoom(
  tx: Tx,
  roomId: Uuid,
  { after, limit }: Page,
): Promise<(ParticipantRow & { readonly customer_id: Uuid })[]> {
  const { rows } = await sql<ParticipantRow & { customer_id: Uuid }>`
    select ${participantView.select}, meetings.customer_id
    from ${participantView.from} join meetings on meetings.id = room_entries.meeting_id
    where room_entries.room_id = ${roomId} and (${after}::uuid is null or room_entries.id > ${after})
    order by room_entries.id limit ${limit}
  `.execute(tx);
  return rows;
}
