import { sql } from 'kysely';
import { isTrue } from '../../database/row-store.ts';
import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
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
  lockSlots,
  type MeetingRow,
  removeEntry,
  removeMeeting,
  storeMeeting,
} from '../meetings/index.ts';
import { recordingLimitReached } from '../recordings/index.ts';
import { availabilityRefusals } from './access-rules.ts';
import { insertSlot, findOccupancy, lockCustomerForShare, type OccupancyRow } from './access-store.ts';
import { limit, type LoadedAccess, availabilityOf } from './load-access.ts';
import { endedMeanwhile, refusal } from './refusals.ts';
import { refusedLimit } from './refused-limit.ts';

/** The meeting of the room, as its provider has just reported it. */
export interface RunningMeeting {
  readonly id: Uuid;
  readonly state: { readonly participantCount: number };
  /** Whether the stored participants match the report. */
  readonly isStored: boolean;
}

export interface ParticipantSlot {
  readonly entryId: Uuid;
  readonly expiresAt: string;
}

/** An accepted join request. */
export interface AcceptedRequest {
  readonly role: RoomRole;
  readonly tokenId: Uuid | null;
  readonly codeId: Uuid | null;
}

/** An accepted join request with the access rules that it was checked against. */
export interface Admission {
  readonly loaded: LoadedAccess;
  readonly accepted: AcceptedRequest;
}

/** How long a slot stays reserved for a participant who has not joined the meeting yet. */
const slotSeconds = 60;
/** A viewer has left if the player has sent no request for this time. */
const mediaSlotSeconds = 90;

/**
 * Reserves a slot in the running meeting and counts the use of the credential, in one transaction. While many slots are
 * left, reservations run concurrently.
 * @returns `observe-first` if the meeting must be observed again first, `meeting-ended` if it is no longer the
 * meeting of the room
 */
export async function reserveSlotInRunning(
  dependencies: Dependencies,
  actor: Actor,
  { loaded, accepted }: Admission,
  running: RunningMeeting,
): Promise<ParticipantSlot | 'observe-first' | 'meeting-ended'> {
  const reserve = (isShared: boolean) =>
    inTransaction(dependencies, actor, (change) => tryReserve(change, loaded, accepted, { running, isShared }));
  const sharedOutcome = hasFewSlots(loaded) ? 'few-left' : await reserve(true);
  if (sharedOutcome !== 'few-left') return sharedOutcome;
  const outcome = await reserve(false);
  if (outcome === 'few-left') throw new Error('With an exclusive lock the count of slots is exact.');
  return outcome;
}

async function tryReserve(
  change: Change,
  loaded: LoadedAccess,
  accepted: AcceptedRequest,
  { running, isShared }: { running: RunningMeeting; isShared: boolean },
): Promise<ParticipantSlot | 'few-left' | 'observe-first' | 'meeting-ended'> {
  const occupancy = await lockAndCount(change, loaded, isShared);
  if (occupancy.meeting_id !== running.id) return 'meeting-ended';
  // The meeting may have more participants than are stored, since some may have joined without Foyer.
  const unstored =
    Math.max(occupancy.inRoom, running.state.participantCount + occupancy.reservations) - occupancy.inRoom;
  const uncounted = (running.isStored ? 0 : unstored) + (isShared ? occupancy.connections : 0);
  const reachedLimit = firstReachedLimit(loaded, occupancy, uncounted);
  if (isShared && (reachedLimit || !hasManyMinutes(loaded, occupancy, occupancy.connections))) return 'few-left';
  if (reachedLimit && !running.isStored) return 'observe-first';
  const refusalOf = (code: EntryRefusal) => refusal(code, undefined, refusedLimit(loaded, code, occupancy));
  if (reachedLimit) throw refusalOf(reachedLimit);
  const minutes = isShared ? 'enough' : await checkMinutes(change, loaded, occupancy);
  if (minutes !== 'enough' && !running.isStored) return 'observe-first';
  if (minutes === 'used-up') throw refusalOf('participant-minutes-used-up');
  const slot = createSlot(change, loaded.room);
  const isInserted = await insertSlotOrRefuse(change, loaded, accepted, {
    slot,
    meetingId: running.id,
    isUseCounted: true,
  });
  return isInserted ? slot : 'meeting-ended';
}

/** Whether a limit is so low that an attempt with the shared lock would usually fail. */
function hasFewSlots({ rules, features, sharesMinutes }: LoadedAccess): boolean {
  const limits = [limit(features, 'max_concurrent_participants'), rules.participantLimit];
  return sharesMinutes || limits.some((value) => value !== null && value <= defaultConnections);
}

/** The default `max_connections` of PostgreSQL. */
const defaultConnections = 100;

/** Reserves a slot in the meeting to be opened, and creates the meeting if no other request has. */
export async function reserveSlot(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedAccess,
  accepted: AcceptedRequest,
): Promise<ParticipantSlot & { readonly meeting: MeetingRow }> {
  return await inTransaction(dependencies, actor, async (change) => {
    // A new meeting refers to the customer, so it is locked first, in lock order.
    await lockCustomerForShare(change.tx, loaded.room.customer_id);
    const occupancy = await lockAndCount(change, loaded, false);
    const reachedLimit = firstReachedLimit(loaded, occupancy, 0);
    const refusalOf = (code: EntryRefusal) => refusal(code, undefined, refusedLimit(loaded, code, occupancy));
    if (reachedLimit) throw refusalOf(reachedLimit);
    if ((await checkMinutes(change, loaded, occupancy)) === 'used-up') throw refusalOf('participant-minutes-used-up');
    const slot = createSlot(change, loaded.room);
    const enter = async (meeting: MeetingRow) =>
      (await insertSlotOrRefuse(change, loaded, accepted, { slot, meetingId: meeting.id, isUseCounted: false }))
        ? meeting
        : null;
    const readCurrent = async () => await currentMeeting(change.tx, loaded.room.id);
    const current = await readCurrent();
    const isFailedOpening = current !== undefined && occupancy.meeting_id === null;
    const opening = current && !isFailedOpening ? current : await beginMeeting(change, loaded, current?.id);
    const entered = await enter(opening);
    // If the meeting has ended in the meantime, its session may belong to an earlier meeting, which was resumed.
    const resumed = entered === null ? await readCurrent() : undefined;
    const meeting = entered ?? (resumed && (await enter(resumed)));
    if (!meeting) throw endedMeanwhile();
    return { ...slot, meeting };
  });
}

/**
 * Locks the slots of the subscription and counts its participants. Under an exclusive lock, reservations run one after the
 * other, so that the last slot cannot be reserved twice.
 * @throws 403 if the room can no longer be used
 */
export async function lockAndCount(
  { tx, now, today }: Change,
  { room }: LoadedAccess,
  isShared: boolean,
): Promise<OccupancyRow> {
  await lockSlots(tx, room.subscription_id, { isShared });
  const find = () => findOccupancy(tx, room, { now, today });
  // A statement does not find a room that is moved to another account while it runs. A second statement does.
  const occupancy = (await find()) ?? (await find());
  if (!occupancy) throw notFound('The room was not found.');
  // Access may have changed during the request to the provider.
  const [unavailability] = availabilityRefusals(availabilityOf(occupancy, occupancy.room_status, today));
  if (unavailability) throw refusal(unavailability);
  return occupancy;
}

/**
 * Whether minutes are left for one more participant. The minutes are counted exactly only if few are left, or if several
 * subscriptions share them.
 */
async function checkMinutes(
  { tx, now, today, invalidate }: Change,
  loaded: LoadedAccess,
  occupancy: OccupancyRow,
): Promise<'enough' | 'few' | 'used-up'> {
  if (hasManyMinutes(loaded, occupancy, 0)) return 'enough';
  const { subscription_id: id } = loaded.room;
  let isNear = false;
  const areUsedUp = await areMinutesUsedUp(tx, id, { now, today }, () => {
    isNear = true;
    invalidate('minutes');
  });
  if (areUsedUp) return 'used-up';
  return isNear ? 'few' : 'enough';
}

/** Whether minutes are left for one more participant and `additional` ones, without an exact count. */
function hasManyMinutes({ room }: LoadedAccess, { minutes, uncharged }: OccupancyRow, additional: number): boolean {
  return (
    minutes === null || minutes.every(({ id, left }) => id === room.subscription_id && left > uncharged + additional)
  );
}

function createSlot({ now }: Change, { room_type: type }: LoadedAccess['room']): ParticipantSlot {
  const seconds = type === 'meet' ? slotSeconds : mediaSlotSeconds;
  return {
    entryId: newUuid(),
    expiresAt: instantOfMicroseconds((Date.parse(now) + seconds * 1000) * 1000),
  };
}

/**
 * @returns false if the meeting has ended in the meantime
 * @throws 403 `token-used-up`; if several requests compete for the last use of a token, one succeeds
 */
async function insertSlotOrRefuse(
  change: Change,
  { room }: LoadedAccess,
  { role, tokenId, codeId }: AcceptedRequest,
  { slot, meetingId, isUseCounted }: { slot: ParticipantSlot; meetingId: Uuid; isUseCounted: boolean },
): Promise<boolean> {
  const slotInput = { id: slot.entryId, room, meetingId, role, tokenId, expiresAt: slot.expiresAt };
  const outcome = await insertSlot(change, slotInput, isUseCounted ? { tokenId, codeId } : null);
  if (outcome === 'meeting-ended') return false;
  if (outcome !== 'admitted') throw refusal(outcome);
  return true;
}

/** @param uncounted how many participants there may be in addition to the counted ones */
function firstReachedLimit(
  { rules, features }: LoadedAccess,
  occupancy: OccupancyRow,
  uncounted: number,
): EntryRefusal | null {
  const meetings = limit(features, 'max_concurrent_meetings');
  const participants = limit(features, 'max_concurrent_participants');
  if (occupancy.meeting_id === null && meetings !== null && occupancy.otherMeetings >= meetings)
    return 'concurrent-meetings-reached';
  if (participants !== null && occupancy.inSubscription + uncounted >= participants)
    return 'concurrent-participants-reached';
  if (rules.participantLimit !== null && occupancy.inRoom + uncounted >= rules.participantLimit) return 'room-full';
  return null;
}

/** @param failedId the row of a failed opening. It is reused, because the provider may have opened a session with its id. */
export async function beginMeeting(
  change: Change,
  { room, rules, features }: LoadedAccess,
  failedId: Uuid | undefined,
): Promise<MeetingRow> {
  const { tx, now } = change;
  const isRecordingSold = features.get('recording') === 'true';
  // Meetings are not recorded once a limit of recordings or storage is reached.
  const reachedLimit = isRecordingSold ? await recordingLimitReached(tx, room.id, now) : null;
  if (reachedLimit !== null) {
    const limit = features.get(reachedLimit) ?? '0';
    await change.react('limit.refused', {
      subscriptionId: room.subscription_id,
      tag: reachedLimit,
      limit,
      used: Number(limit),
    });
  }
  const plan = {
    participant_limit: rules.participantLimit,
    may_record: isRecordingSold && reachedLimit === null,
    created_at: now,
  };
  if (failedId !== undefined) return await storeMeeting(tx, failedId, plan);
  return await insertMeeting(tx, {
    ...plan,
    id: newUuid(),
    room_id: room.id,
    room_type: room.room_type,
    customer_id: room.customer_id,
    subscription_id: room.subscription_id,
    provider_meeting_id: room.id,
    state: 'opening',
    updated_at: now,
  });
}

/**
 * Releases the slot after a failed join. If no provider can have opened the meeting, its row is deleted. Otherwise the
 * row stays `opening` for the next attempt, because callbacks of the session have its id. Such a row is neither listed
 * nor counted, and a job removes it later.
 */
export async function releaseSlot(
  dependencies: Dependencies,
  actor: Actor,
  slot: ParticipantSlot & { readonly meeting: MeetingRow },
  mayBeOpen: boolean,
): Promise<void> {
  await inTransaction(dependencies, actor, async (change) => {
    const row = await lockMeeting(change.tx, slot.meeting.id);
    await removeEntry(change.tx, slot.entryId);
    if (row?.state !== 'opening') return;
    // Stores that this attempt may have reached the provider, for later attempts.
    if (mayBeOpen) await storeMeeting(change.tx, row.id, { updated_at: change.now });
    if (mayBeOpen || row.updated_at !== row.created_at) return;
    const currentEntries = sql`select from room_entries where meeting_id = ${row.id} and left_at is null`;
    if (!(await isTrue(change.tx, sql`exists(${currentEntries})`))) await removeMeeting(change.tx, row.id);
  });
}
