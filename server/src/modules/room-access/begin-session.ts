import type { Change } from '../../events/change.ts';
import { rowEvent } from '../../events/row-event.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { currentMeeting, lockMeeting, type MeetingRow, storeMeeting } from '../meetings/index.ts';
import { lockCustomerForShare } from './access-store.ts';
import { limit, type LoadedAccess } from './load-access.ts';
import { refusal } from './refusals.ts';
import { beginMeeting, lockAndCount } from './reserve-slot.ts';

/**
 * Begins the stream session of a broadcast, which needs no participant: as the current meeting of the room, or as a new
 * one. The meeting counts against the limits at once; the media server opens the session a moment later.
 * @throws 403 if the room cannot be used or the limit of meetings is reached
 */
export async function beginSession(change: Change, loaded: LoadedAccess, providerId: Uuid): Promise<MeetingRow> {
  const { tx, now, emit } = change;
  const { room, features } = loaded;
  await lockCustomerForShare(tx, room.customer_id);
  const occupancy = await lockAndCount(change, loaded, false);
  const maxMeetings = limit(features, 'max_concurrent_meetings');
  if (occupancy.meeting_id === null && maxMeetings !== null && occupancy.otherMeetings >= maxMeetings)
    throw refusal('concurrent-meetings-reached');
  const current = await currentMeeting(tx, room.id);
  const locked = current && (await lockMeeting(tx, current.id));
  if (locked?.state === 'open') return locked;
  const isFailedOpening = occupancy.meeting_id === null;
  const opening =
    locked?.state === 'opening' && !isFailedOpening ? locked : await beginMeeting(change, loaded, locked?.id);
  const meeting = await storeMeeting(tx, opening.id, {
    state: 'open',
    service_provider_id: providerId,
    started_at: now,
    updated_at: now,
  });
  await emit(rowEvent('meeting.started', { after: meeting }));
  return meeting;
}
