import type { RoomRole } from '@foyer/contract/room.ts';
import type { EntryRefusal } from '@foyer/contract/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import { Failure, unavailable } from '../../platform/failures.ts';
import type { Actor } from '../../platform/http/call.ts';
import { newUuid, type Uuid } from '../../platform/identifier.ts';
import { instantOfMicroseconds } from '../../platform/instant.ts';
import type { MeetingPlan, MeetingProvider, MeetingState, OpenMeeting } from '../../providers/meeting-provider.ts';
import { isOutage } from '../../providers/provider-failure.ts';
import {
  countOccupancy,
  currentMeeting,
  endMeeting,
  findProvider,
  insertEntry,
  insertMeeting,
  lockMeeting,
  lockPlaces,
  type MeetingRow,
  observeMeeting,
  removeEntry,
  storeMeeting,
  type SubscriptionProviderRow,
} from '../meetings/index.ts';
import { markUsed, type RoomTokenRow } from '../rooms/index.ts';
import { meetingProvider } from '../service-providers/index.ts';
import { type Door, examine, mayStart, refuseClosed } from './door.ts';
import { limit, loadCredential, type LoadedDoor, loadDoor, loadOpening } from './load-door.ts';
import { refusalSentences } from './refusals.ts';

export interface EntryRequest {
  readonly token: string | null;
  readonly accessCode: string | null;
  readonly name: string;
  /** Set for a caller with the permission to join rooms. */
  readonly staffRole: RoomRole | null;
}

export interface Entry {
  readonly role: RoomRole;
  /** Where this participant enters, this once. */
  readonly url: string;
  readonly meetingStarted: boolean;
  /** Until when the place is kept. */
  readonly expiresAt: string;
}

/** How long a place is kept for somebody who has been sent to the meeting and has not come yet. */
const placeSeconds = 60;

/**
 * Lets somebody in: checks, a place, the meeting if it is not open yet, and the address of it.
 * @throws 403 with the code of the first reason to refuse; 503 `provider-unavailable` when no provider answers.
 */
export async function enterRoom(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  request: EntryRequest,
): Promise<Entry> {
  const { db, clock, settings } = dependencies;
  const now = clock.now();
  const loaded = await loadDoor(db, roomId, clock.today(settings().system_timezone), now);
  const verify = async () => {
    const { credential, token } = await loadCredential(db, roomId, request, now);
    return { token, ...examine(loaded.door, credential) };
  };
  const isGuess = request.staffRole === null && (request.token !== null || request.accessCode !== null);
  const { token, role, refusals, codeId } = isGuess
    ? await dependencies.guesses.attempt({ scope: 'rooms', name: roomId, address: actor.address }, verify, (examined) =>
        examined.refusals.some((code) => guesses.has(code)) ? 'wrong' : 'neither',
      )
    : await verify();
  const [first] = refusals;
  if (first !== undefined || role === null) throw refusal(first ?? 'token-required');
  const running = await runningMeeting(dependencies, roomId);
  if (!running && !mayStart(loaded.door, role)) throw refusal('waiting-for-moderator');
  const place = await takePlace(dependencies, actor, loaded, role, token);
  try {
    const { adapter, meeting } = await openWhere(dependencies, actor, loaded, place.meeting, running);
    await change(dependencies, actor, ({ tx, now: usedAt }) => markUsed(tx, token?.id ?? null, codeId, usedAt));
    const url = adapter.entryFor(meeting, {
      userId: place.entryId,
      fullName: request.name,
      role,
      mayShareWebcam: loaded.features.get('webcams') === 'true',
    });
    return { role, url, meetingStarted: !running, expiresAt: place.expiresAt };
  } catch (error) {
    await giveBack(dependencies, actor, place);
    throw error;
  }
}

/** Refusals that tell somebody who tries tokens or codes that this one was wrong. */
const guesses = new Set<EntryRefusal>(['token-unknown', 'access-code-wrong', 'access-code-other-role']);

export function refusal(code: EntryRefusal): Failure {
  return new Failure(code, refusalSentences[code]);
}

interface Running {
  readonly row: MeetingRow;
  readonly adapter: MeetingProvider;
  readonly meeting: OpenMeeting;
}

/** The room's meeting, if its provider still has it. @throws 503 when the provider does not answer. */
export async function runningMeeting(dependencies: Dependencies, roomId: Uuid): Promise<Running | null> {
  const row = await currentMeeting(dependencies.db, roomId);
  if (!row?.service_provider_id || row.state !== 'open') return null;
  const provider = await findProvider(dependencies.db, row.service_provider_id);
  if (!provider) return null;
  const { adapter, state } = await asked(async () => {
    const found = await meetingProvider(dependencies, provider);
    return { adapter: found, state: await found.state(row.provider_meeting_id) };
  });
  const observed = await observeMeeting(dependencies, row, state);
  const meeting = openMeetingOf(state);
  return observed.state === 'open' && meeting ? { row: observed, adapter, meeting } : null;
}

function openMeetingOf(state: MeetingState): OpenMeeting | null {
  if (!state.exists || state.internalId === null || state.createdAtMs === null) return null;
  return { meetingId: state.meetingId, internalId: state.internalId, createdAtMs: state.createdAtMs };
}

interface Place {
  readonly meeting: MeetingRow;
  readonly entryId: Uuid;
  readonly expiresAt: string;
}

/** A place in the room and in the subscription, exactly: places of a subscription are given away one after the other. */
async function takePlace(
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
    const meeting = existing ?? (await beginMeeting(under, room, door));
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

async function beginMeeting({ tx, now }: Change, room: LoadedDoor['room'], door: Door): Promise<MeetingRow> {
  return await insertMeeting(tx, {
    id: newUuid(),
    room_id: room.id,
    customer_id: room.customer_id,
    subscription_id: room.subscription_id,
    provider_meeting_id: room.id,
    state: 'opening',
    participant_limit: door.participantLimit,
    created_at: now,
    updated_at: now,
  });
}

/** Where the meeting is, or else on the first provider that answers, the default first. */
async function openWhere(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedDoor,
  row: MeetingRow,
  running: Running | null,
): Promise<{ adapter: MeetingProvider; meeting: OpenMeeting }> {
  if (running) return running;
  const plan = planMeeting(dependencies, loaded);
  const failed: SubscriptionProviderRow[] = [];
  for (const provider of candidates(loaded.providers, row)) {
    try {
      const adapter = await meetingProvider(dependencies, provider);
      const meeting = await adapter.open(plan);
      const stored = await storeOpened(dependencies, actor, row, provider, meeting, failed);
      if (stored.service_provider_id === provider.id) return { adapter, meeting };
      // Somebody opened it elsewhere at the same instant: everybody meets there, and the one here expires by itself.
      return await openWhere(dependencies, actor, loaded, stored, null);
    } catch (error) {
      if (!isOutage(error)) throw asUnavailable(error);
      dependencies.logger.warn({ provider: provider.id, kind: error.kind }, 'provider opened no meeting');
      failed.push(provider);
    }
  }
  throw unavailable('provider-unavailable', 'The meeting server does not answer. Please try again in a moment.');
}

/** Somebody may have opened the meeting elsewhere in the meantime: then it is there and nowhere else. */
function candidates(
  providers: readonly SubscriptionProviderRow[],
  row: MeetingRow,
): readonly SubscriptionProviderRow[] {
  const current = row.state === 'open' ? providers.find(({ id }) => id === row.service_provider_id) : undefined;
  return current ? [current] : providers;
}

function planMeeting({ meetingPasswordSeed }: Dependencies, { room, features, settings }: LoadedDoor): MeetingPlan {
  return {
    meetingId: room.id,
    name: room.room_name,
    passwordSeed: meetingPasswordSeed,
    features,
    settings,
    metadata: { 'foyer-room': room.id },
  };
}

async function storeOpened(
  dependencies: Dependencies,
  actor: Actor,
  meeting: MeetingRow,
  provider: SubscriptionProviderRow,
  opened: OpenMeeting,
  failed: readonly SubscriptionProviderRow[],
): Promise<MeetingRow> {
  return await change(dependencies, actor, async ({ tx, now, emit }) => {
    const row = await lockMeeting(tx, meeting.id);
    if (!row) throw refusal('room-inactive');
    if (row.state !== 'opening' && row.service_provider_id !== null) return row;
    const updated = await storeMeeting(tx, row.id, {
      state: 'open',
      service_provider_id: provider.id,
      provider_internal_id: opened.internalId,
      provider_created_at: opened.createdAtMs,
      started_at: instantOfMicroseconds(opened.createdAtMs * 1000),
      updated_at: now,
    });
    await emit({
      name: 'meeting.started',
      resource: { type: 'Meeting', id: row.id },
      customerId: row.customer_id,
      after: updated,
    });
    for (const { id } of failed) {
      await emit({
        name: 'service_provider.failed_over',
        resource: { type: 'ServiceProvider', id },
        customerId: row.customer_id,
        after: { meeting: row.id, to: provider.id },
      });
    }
    return updated;
  });
}

/** Nobody was let in: the place goes back, and a meeting that never opened with it. */
async function giveBack(dependencies: Dependencies, actor: Actor, place: Place): Promise<void> {
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

async function asked<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    throw asUnavailable(error);
  }
}

function asUnavailable(error: unknown): unknown {
  if (!(error instanceof Error) || error.name !== 'ProviderFailure') return error;
  return unavailable(
    'provider-unavailable',
    'The meeting server does not answer as it should. Please try again in a moment.',
    {
      cause: error,
    },
  );
}
