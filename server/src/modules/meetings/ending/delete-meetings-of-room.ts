import type { Change } from '../../../events/change.ts';
import { emitDeletions } from '../../../events/emit-deletions.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { endMeeting } from '../observe-meeting.ts';
import { participantsOfRoom } from '../participants/participant-store.ts';
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
  await emitDeletions(change, 'participant.deleted', (page) => participantsOfRoom(change.tx, roomId, page));
  await emitDeletions(change, 'meeting.deleted', (page) => lockMeetingsOfRoom(change.tx, roomId, page));
}
