import type { EntryRefusal } from '@foyer/contract/resources/room-entry.ts';
import type { RoomRole } from '@foyer/contract/resources/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import { notFound } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import { newUuid, type Uuid } from '../../platform/identity/identifier.ts';
import { instantOfMicroseconds } from '../../platform/time/instant.ts';
import {
  areMinutesUsedUp,
  currentMeeting,
  insertMeeting,
  lockMeeting,
  lockPlaces,
  type MeetingRow,
  removeEntry,
  removeMeeting,
  storeMeeting,
} from '../meetings/index.ts';
import { recordingLimitReached } from '../recordings/index.ts';
import { refuseClosed } from './door.ts';
import { admit, findPlaces, holdCustomer, type PlacesRow } from './door-store.ts';
import { limit, type LoadedDoor, openingOf } from './load-door.ts';
import type { Running } from './open-meeting.ts';
import { endedMeanwhile, refusal } from './refusals.ts';

export interface Place {
  readonly entryId: Uuid;
  readonly expiresAt: string;
}

/** Who comes in, and what they have shown. */
export interface Comer {
  readonly role: RoomRole;
  readonly tokenId: Uuid | null;
  readonly codeId: Uuid | null;
}

/** How long a place is kept for somebody who has been sent to the meeting and has not come yet. */
const placeSeconds = 60;

/**
 * A place in the meeting that runs, with the use of what was shown: one transaction. Where there are many places left
 * several people take one at the same time.
 * @returns `look-first` where it takes another look to know whether there is a place, `gone` where that meeting is not
 * the room's any more
 */
export async function takePlaceIn(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedDoor,
  comer: Comer,
  running: Running,
): Promise<Place | 'look-first' | 'gone'> {
  const take = (isShared: boolean) =>
    inTransaction(dependencies, actor, (change) => takeOne(change, loaded, comer, { running, isShared }));
  const taken = hasFewPlaces(loaded) ? 'few-left' : await take(true);
  if (taken !== 'few-left') return taken;
  const alone = await take(false);
  if (alone === 'few-left') throw new Error('Whoever holds the places alone sees all of them.');
  return alone;
}

async function takeOne(
  change: Change,
  loaded: LoadedDoor,
  comer: Comer,
  { running, isShared }: { running: Running; isShared: boolean },
): Promise<Place | 'few-left' | 'look-first' | 'gone'> {
  const places = await lockAndCount(change, loaded, isShared);
  if (places.meeting_id !== running.id) return 'gone';
  // Who is in may be more than what is stored, by those who came past the door.
  const most = Math.max(places.inRoom, running.state.participantCount + places.awaited) - places.inRoom;
  const more = (running.isStored ? 0 : most) + (isShared ? places.connections : 0);
  const full = firstFull(loaded, places, more);
  if (isShared && (full || !hasManyMinutes(loaded, places, places.connections))) return 'few-left';
  if (full && !running.isStored) return 'look-first';
  if (full) throw refusal(full);
  const minutes = isShared ? 'enough' : await minutesFor(change, loaded, places);
  if (minutes !== 'enough' && !running.isStored) return 'look-first';
  if (minutes === 'used-up') throw refusal('participant-minutes-used-up');
  const place = newPlace(change);
  const isIn = await admitOrRefuse(change, loaded, comer, { place, meetingId: running.id, isUsed: true });
  return isIn ? place : 'gone';
}

/** Then nobody tries to take one together with others. Saves a transaction; decides nothing. */
function hasFewPlaces({ door, features, sharesMinutes }: LoadedDoor): boolean {
  const most = [limit(features, 'max_concurrent_participants'), door.participantLimit];
  return sharesMinutes || most.some((places) => places !== null && places <= usualConnections);
}

/** What PostgreSQL admits where nothing is set. */
const usualConnections = 100;

/** A place in the meeting that is to be opened, and the meeting if nobody else is opening it. */
export async function takePlace(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedDoor,
  comer: Comer,
): Promise<Place & { readonly meeting: MeetingRow }> {
  return await inTransaction(dependencies, actor, async (change) => {
    // A new meeting refers to the customer, which is locked before what is below it.
    await holdCustomer(change.tx, loaded.room.customer_id);
    const places = await lockAndCount(change, loaded, false);
    const full = firstFull(loaded, places, 0);
    if (full) throw refusal(full);
    if ((await minutesFor(change, loaded, places)) === 'used-up') throw refusal('participant-minutes-used-up');
    const place = newPlace(change);
    const enter = async (meeting: MeetingRow) =>
      (await admitOrRefuse(change, loaded, comer, { place, meetingId: meeting.id, isUsed: false })) ? meeting : null;
    const current = async () => await currentMeeting(change.tx, loaded.room.id);
    const begun = await current();
    const isFailedOpening = begun !== undefined && places.meeting_id === null;
    const found = await enter(begun && !isFailedOpening ? begun : await beginMeeting(change, loaded, begun?.id));
    // The session that was being opened may have turned out to be that of a former meeting, which goes on.
    const former = found ?? (await current());
    const meeting = found ?? (former && (await enter(former)));
    if (!meeting) throw endedMeanwhile();
    return { ...place, meeting };
  });
}

/** Where few are left, places of a subscription are given away one after the other: the last one is given away once. */
async function lockAndCount({ tx, now, today }: Change, { room }: LoadedDoor, isShared: boolean): Promise<PlacesRow> {
  await lockPlaces(tx, room.subscription_id, { isShared });
  const find = () => findPlaces(tx, room, { now, today });
  // A room that moves to another account at this instant is found in neither; the next statement sees where it is.
  const places = (await find()) ?? (await find());
  if (!places) throw notFound('The room was not found.');
  // The provider may have been waited for since the door was loaded: what was closed meanwhile lets nobody in.
  const [closed] = refuseClosed(openingOf(places, places.room_status, today));
  if (closed) throw refusal(closed);
  return places;
}

/** Whether there are minutes for one more; counted one by one only where few are left, or they are shared. */
async function minutesFor(
  { tx, now, today, invalidate }: Change,
  loaded: LoadedDoor,
  places: PlacesRow,
): Promise<'enough' | 'few' | 'used-up'> {
  if (hasManyMinutes(loaded, places, 0)) return 'enough';
  const { subscription_id: id } = loaded.room;
  let isNear = false;
  const areUsedUp = await areMinutesUsedUp(tx, id, { now, today }, () => {
    isNear = true;
    invalidate('minutes');
  });
  if (areUsedUp) return 'used-up';
  return isNear ? 'few' : 'enough';
}

/** Whether there are enough for one more, and for so many others, without counting them one by one. */
function hasManyMinutes({ room }: LoadedDoor, { minutes, uncharged }: PlacesRow, others: number): boolean {
  return minutes === null || minutes.every(({ id, left }) => id === room.subscription_id && left > uncharged + others);
}

function newPlace({ now }: Change): Place {
  return {
    entryId: newUuid(),
    expiresAt: instantOfMicroseconds((Date.parse(now) + placeSeconds * 1000) * 1000),
  };
}

/**
 * @returns false where the meeting has ended meanwhile
 * @throws 403 `token-used-up`: of those who come at once with the last use of a token, one comes in
 */
async function admitOrRefuse(
  change: Change,
  { room }: LoadedDoor,
  { role, tokenId, codeId }: Comer,
  { place, meetingId, isUsed }: { place: Place; meetingId: Uuid; isUsed: boolean },
): Promise<boolean> {
  const admitted = { id: place.entryId, room, meetingId, role, tokenId, expiresAt: place.expiresAt };
  const outcome = await admit(change, admitted, isUsed ? { tokenId, codeId } : null);
  if (outcome === 'meeting-ended') return false;
  if (outcome !== 'admitted') throw refusal(outcome === 'token-gone' ? 'token-unknown' : 'token-used-up');
  return true;
}

/** @param more so many more than are counted may be in the room */
function firstFull({ door, features }: LoadedDoor, places: PlacesRow, more: number): EntryRefusal | null {
  const meetings = limit(features, 'max_concurrent_meetings');
  const participants = limit(features, 'max_concurrent_participants');
  if (places.meeting_id === null && meetings !== null && places.otherMeetings >= meetings)
    return 'concurrent-meetings-reached';
  if (participants !== null && places.inSubscription + more >= participants) return 'concurrent-participants-reached';
  if (door.participantLimit !== null && places.inRoom + more >= door.participantLimit) return 'room-full';
  return null;
}

/** @param failedId the row of a failed opening, which is used again: a session that came of it names that row */
async function beginMeeting(
  { tx, now }: Change,
  { room, door, features }: LoadedDoor,
  failedId: Uuid | undefined,
): Promise<MeetingRow> {
  const isRecordingSold = features.get('recording') === 'true';
  const plan = {
    participant_limit: door.participantLimit,
    // What the subscription has no space for is not recorded.
    may_record: isRecordingSold && (await recordingLimitReached(tx, room.id, now)) === null,
    created_at: now,
  };
  if (failedId !== undefined) return await storeMeeting(tx, failedId, plan);
  return await insertMeeting(tx, {
    ...plan,
    id: newUuid(),
    room_id: room.id,
    customer_id: room.customer_id,
    subscription_id: room.subscription_id,
    provider_meeting_id: room.id,
    state: 'opening',
    updated_at: now,
  });
}

/**
 * Nobody was let in: the place is freed. Where no provider can have opened the meeting, its row is removed. Where one may
 * have, the row stays `opening` for the next attempt, because the callbacks of that session name it. Until then it is
 * no meeting: it is neither listed nor counted, and a job removes it.
 */
export async function giveBack(
  dependencies: Dependencies,
  actor: Actor,
  place: Place & { readonly meeting: MeetingRow },
  mayBeOpen: boolean,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockMeeting(change.tx, place.meeting.id);
    await removeEntry(change.tx, place.entryId);
    if (row?.state !== 'opening') return;
    // A later attempt has to know that an earlier one may have reached the provider.
    if (mayBeOpen) await storeMeeting(change.tx, row.id, { updated_at: change.now });
    if (mayBeOpen || row.updated_at !== row.created_at) return;
    const others = await change.tx
      .selectFrom('room_entries')
      .select('id')
      .where('meeting_id', '=', row.id)
      .where('left_at', 'is', null)
      .limit(1)
      .executeTakeFirst();
    if (!others) await removeMeeting(change.tx, row.id);
  });
}
