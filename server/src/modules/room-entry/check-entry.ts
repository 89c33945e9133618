import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import { Failure } from '../../platform/failures.ts';
import { printIdentifier, type Uuid } from '../../platform/identifier.ts';
import { countOccupancy } from '../meetings/index.ts';
import { mayStart, examine } from './door.ts';
import type { EntryRequest } from './enter-room.ts';
import { limit, loadCredential, loadDoor } from './load-door.ts';
import { runningMeeting } from './open-meeting.ts';
import { refusalSentences } from './refusals.ts';

/** Every reason why this would be refused at the door now; nothing is changed and no place taken. */
export async function checkEntry(
  dependencies: Dependencies,
  roomId: Uuid,
  request: Omit<EntryRequest, 'name'>,
): Promise<Record<string, unknown>> {
  const { db, clock, settings } = dependencies;
  const now = clock.now();
  const loaded = await loadDoor(db, roomId, clock.today(settings().system_timezone), now);
  const { credential } = await loadCredential(db, roomId, request, now);
  const { role, refusals } = examine(loaded.door, credential);
  const reasons: { code: EntryRefusal | 'provider-unavailable'; message: string }[] = refusals.map((code) => ({
    code,
    message: refusalSentences[code],
  }));
  const add = (code: EntryRefusal) => {
    if (!reasons.some((reason) => reason.code === code)) reasons.push({ code, message: refusalSentences[code] });
  };
  try {
    const running = await runningMeeting(dependencies, roomId);
    if (!running && role !== null && !mayStart(loaded.door, role)) add('waiting-for-moderator');
    const occupancy = await db
      .transaction()
      .execute((tx) => countOccupancy(tx, loaded.room.subscription_id, roomId, now));
    const meetings = limit(loaded.features, 'max_concurrent_meetings');
    const participants = limit(loaded.features, 'max_concurrent_participants');
    if (!running && meetings !== null && occupancy.otherMeetings >= meetings) add('concurrent-meetings-reached');
    if (participants !== null && occupancy.inSubscription >= participants) add('concurrent-participants-reached');
    const most = loaded.door.participantLimit;
    if (most !== null && occupancy.inRoom >= most) add('room-full');
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'provider-unavailable') throw error;
    reasons.push({ code: 'provider-unavailable', message: error.message });
  }
  return {
    object: 'RoomEntryCheck',
    room_id: printIdentifier('room', roomId),
    allowed: reasons.length === 0,
    role,
    reasons,
  };
}
