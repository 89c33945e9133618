import { sql } from 'kysely';
import type { Tx } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import type { Page } from '../../../events/emit-deletions.ts';
import { type ParticipantRow, participantView } from '../transformer.ts';

/** The participants of all meetings of the room, in the order of their ids. */
export async function participantsOfRoom(
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
