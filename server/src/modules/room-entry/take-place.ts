import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import type { RoomRole } from '@foyer/contract/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import type { Actor } from '../../platform/http/call.ts';
import { newUuid, type Uuid } from '../../platform/identifier.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import {
  areMinutesUsedUp,
  countOccupancy,
  currentMeeting,
  endMeeting,
  insertEntry,
  insertMeeting,
  lockMeeting,
  lockPlaces,
  type MeetingRow,
  removeEntry,
} from '../meetings/index.ts';
import { recordingLimitReached } from '../recordings/index.ts';
import type { RoomTokenRow } from '../rooms/index.ts';
import { type Door, refuseClosed } from './door.ts';
import { limit, type LoadedDoor, loadOpening } from './load-door.ts';
import { refusal } from './refusals.ts';

export interface Place {
  readonly meeting: MeetingRow;
  readonly entryId: Uuid;
  readonly expiresAt: string;
}

/** How long a place is kept for somebody who has been sent to the meeting and has not come yet. */
const placeSeconds = 60;

/** A place in the room and in the subscription, exactly: places of a subscription are given away one after the other. */
export async function takePlace(
  dependencies: Dependencies,
  actor: Actor,
  { room, door, features }: LoadedDoor,
  role: RoomRole,
  token: RoomTokenRow | null,
): Promise<Place> {
  return await change(dependencies, actor, async (under) => {
    const { tx, now, today } = under;
    await lockPlaces(tx, room.subscription_id);
    // The provider may have been waited for since the door was loaded: what was closed meanwhile lets nobody in.
    const [closed] = refuseClosed(await loadOpening(tx, room.id, today));
    if (closed) throw refusal(closed);
    const existing = await currentMeeting(tx, room.id);
    const occupancy = await countOccupancy(tx, room.subscription_id, room.id, now);
    const full = firstFull(door, occupancy, existing !== undefined, {
      meetings: limit(features, 'max_concurrent_meetings'),
      participants: limit(features, 'max_concurrent_participants'),
    });
    if (full) throw refusal(full);
    const areUsedUp = await areMinutesUsedUp(tx, room.subscription_id, { now, today }, () => under.announce('minutes'));
    if (areUsedUp) throw refusal('participant-minutes-used-up');
    const meeting = existing ?? (await beginMeeting(under, room, door, features.get('recording') === 'true'));
    const expiresAt = instantOfMicroseconds((Date.parse(now) + placeSeconds * 1000) * 1000);
    const entry = await insertEntry(tx, {
      id: newUuid(),
      room_id: room.id,
      meeting_id: meeting.id,
      subscription_id: room.subscription_id,
      room_token_id: token?.id ?? null,
      role,
      expires_at: expiresAt,
      created_at: now,
    });
    await under.emit({
      name: 'participant.admitted',
      resource: { type: 'Meeting', id: meeting.id },
      customerId: room.customer_id,
      after: { entry: entry.id, role, room_id: room.id },
    });
    return { meeting, entryId: entry.id, expiresAt };
  });
}

function firstFull(
  door: Door,
  occupancy: { inRoom: number; inSubscription: number; otherMeetings: number },
  isOpen: boolean,
  most: { meetings: number | null; participants: number | null },
): EntryRefusal | null {
  if (!isOpen && most.meetings !== null && occupancy.otherMeetings >= most.meetings)
    return 'concurrent-meetings-reached';
  if (most.participants !== null && occupancy.inSubscription >= most.participants)
    return 'concurrent-participants-reached';
  if (door.participantLimit !== null && occupancy.inRoom >= door.participantLimit) return 'room-full';
  return null;
}

async function beginMeeting(
  { tx, now }: Change,
  room: LoadedDoor['room'],
  door: Door,
  isRecordingSold: boolean,
): Promise<MeetingRow> {
  return await insertMeeting(tx, {
    id: newUuid(),
    room_id: room.id,
    customer_id: room.customer_id,
    subscription_id: room.subscription_id,
    provider_meeting_id: room.id,
    state: 'opening',
    participant_limit: door.participantLimit,
    // What the subscription has no space for is not recorded.
    may_record: isRecordingSold && (await recordingLimitReached(tx, room.id, now)) === null,
    created_at: now,
    updated_at: now,
  });
}

/** Nobody was let in: the place goes back, and a meeting that never opened with it. */
export async function giveBack(dependencies: Dependencies, actor: Actor, place: Place): Promise<void> {
  await change(dependencies, actor, async (under) => {
    await removeEntry(under.tx, place.entryId);
    const row = await lockMeeting(under.tx, place.meeting.id);
    if (row?.state !== 'opening') return;
    const others = await under.tx
      .selectFrom('room_entries')
      .select('id')
      .where('meeting_id', '=', row.id)
      .where('left_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (!others) await endMeeting(under, row, 'never-opened');
  });
}
