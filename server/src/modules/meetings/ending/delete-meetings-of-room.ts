import type { Change } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { endMeeting } from '../observe-meeting.ts';
import { participantsOfRoom } from '../participants/participant-store.ts';
import { currentMeeting, lockMeeting, lockMeetingsOfRoom, type Page } from '../store.ts';

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
  await emitDeletions(change, 'participant.deleted', (page) => participantsOfRoom(change.tx, roomId, page));
  await emitDeletions(change, 'meeting.deleted', (page) => lockMeetingsOfRoom(change.tx, roomId, page));
}

const emittedAtOnce = 1000;

/** Some at a time, so that any number fits into memory. */
async function emitDeletions(
  change: Change,
  name: 'participant.deleted' | 'meeting.deleted',
  list: (page: Page) => Promise<readonly { readonly id: Uuid; readonly customer_id: Uuid }[]>,
): Promise<void> {
  let last: Uuid | null = null;
  for (;;) {
    const rows = await list({ after: last, limit: emittedAtOnce });
    await change.emitAll(rows.map((before) => rowEvent(name, { customerId: before.customer_id, before })));
    if (rows.length < emittedAtOnce) return;
    last = rows.at(-1)?.id ?? null;
  }
}
