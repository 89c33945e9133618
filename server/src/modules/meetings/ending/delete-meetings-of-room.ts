import type { Change } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { endMeeting } from '../observe-meeting.ts';
import { currentMeeting, lockMeeting, lockMeetingsOfRoom } from '../store.ts';

/**
 * Ends the running meeting; the job `end-meetings` then asks the provider to end it. The rows are deleted with the
 * room.
 */
export async function deleteMeetingsOfRoom(
  change: Change,
  { roomId }: ReactionSubjects['room.deleting'],
): Promise<void> {
  const current = await currentMeeting(change.tx, roomId);
  const meeting = current && (await lockMeeting(change.tx, current.id));
  if (meeting && meeting.state !== 'ended') await endMeeting(change, meeting, 'room-deleted');
  await emitDeletions(change, roomId);
}

const emittedAtOnce = 1000;

/** Some at a time, so that any number fits into memory. */
async function emitDeletions(change: Change, roomId: Uuid): Promise<void> {
  let last: Uuid | null = null;
  for (;;) {
    const rows = await lockMeetingsOfRoom(change.tx, roomId, { after: last, limit: emittedAtOnce });
    await change.emitAll(rows.map((before) => rowEvent('meeting.deleted', { customerId: before.customer_id, before })));
    if (rows.length < emittedAtOnce) return;
    last = rows.at(-1)?.id ?? null;
  }
}
