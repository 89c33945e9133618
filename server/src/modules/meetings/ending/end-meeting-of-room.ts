import type { Change } from '../../../events/change.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { endMeeting } from '../observe-meeting.ts';
import { currentMeeting, lockMeeting } from '../store.ts';

/** Records that the meeting ends with its room; the job `end-meetings` then asks the provider to end it. */
export async function endMeetingOfRoom(change: Change, { roomId }: ReactionSubjects['room.deleting']): Promise<void> {
  const current = await currentMeeting(change.tx, roomId);
  const meeting = current && (await lockMeeting(change.tx, current.id));
  if (meeting && meeting.state !== 'ended') await endMeeting(change, meeting, 'room-deleted');
}
