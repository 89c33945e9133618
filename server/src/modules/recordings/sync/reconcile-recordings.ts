import { recordingEventName } from '../recording-event-name.ts';
import type { Insertable } from 'kysely';
import type { Recordings } from '../../../database/tables.ts';
import type { Dependencies } from '../../../dependencies.ts';
import { type Change, inTransaction, system } from '../../../events/change.ts';
import { rowEvent } from '../../../events/row-event.ts';
import type { EventInput } from '../../../events/event-data.ts';
import { newUuid, type Uuid, idsOf } from '../../../platform/identity/identifier.ts';
import { epochMs, type Instant, instantOfMicroseconds, printInstant } from '../../../platform/time/instant.ts';
import { recomputeStoredUsage } from '../../subscriptions/index.ts';
import { type Check, scheduleRemovals, forgetChecks, storeNextChecks } from './check-store.ts';
import { lockRecordingsOnProvider, type RecordedRoom, lockRoomsForKeyShare } from './lock-store.ts';
import { recordDeletion } from './record-deletion.ts';
import { hashAddresses, encryptAddresses } from '../watch/playback-addresses.ts';
import { countsAsDeleted, isReady, nextCheckMs, mergeObservation } from './reconcile.ts';
import { retentionDays } from '../expire-recordings.ts';
import type { ListedRecording } from './listed-recording.ts';
import { type SortedListing, sortListing } from './sort-listing.ts';
import {
  insertRecordings,
  markMissing,
  markSynced,
  meetingsOfSessions,
  type RecordingRow,
  storeExpiry,
  storeRecording,
} from '../store.ts';

/** The recordings that a provider lists for the rooms of the checks. */
export interface Listing {
  readonly providerId: Uuid;
  readonly checks: readonly Check[];
  readonly recordings: readonly ListedRecording[];
  /** The ids of broken recordings. The provider returns no other data of them. */
  readonly brokenIds: readonly string[];
  readonly requestedAt: Instant;
}

/**
 * Reconciles the stored recordings of the rooms with the provider's list: new, changed and missing ones. Recordings and
 * rooms that were deleted here are also deleted on the provider.
 * @returns how many recordings changed
 */
export async function reconcileRecordings(dependencies: Dependencies, listing: Listing): Promise<number> {
  return await inTransaction(dependencies, system, async (change) => {
    const { tx, now } = change;
    const { providerId, checks, recordings } = listing;
    const roomIds = checks.map(({ room_id }) => room_id);
    const rooms = new Map((await lockRoomsForKeyShare(tx, roomIds, providerId)).map((room) => [room.id, room]));
    const recordingIds = recordings.map(({ recordingId }) => recordingId);
    const stored = await lockRecordingsOnProvider(tx, providerId, roomIds, recordingIds);
    const sorted = sortListing(listing, stored, rooms);
    const added = await insertAdded(dependencies, change, providerId, sorted.added);
    const updated = await updateExisting(dependencies, change, { providerId, existing: sorted.existing, rooms });
    await markSynced(
      tx,
      sorted.existing.map(({ row }) => row.id),
      listing.requestedAt,
    );
    const removals = sorted.unwanted.map((recordingId) => ({ providerId, recordingId }));
    await scheduleRemovals(tx, removals, now);
    const deleted = [...sorted.deleted, ...(await recordMissing(change, sorted.absent, recordings.length > 0))];
    const events = [...added.events, ...updated.events];
    await change.emitAll(events);
    await recordDeletion(change, deleted, 'gone-from-provider');
    if (added.count + updated.count > 0) {
      await storeExpiry(tx, new Map(Array.from(rooms.values(), (room) => [room.id, retentionDays(room)])));
      await recomputeStoredUsage(change, [...new Set(Array.from(rooms.values(), (room) => room.subscription_id))]);
    }
    await planNextChecks(change, listing, rooms, sorted);
    return added.count + updated.count + deleted.length;
  });
}

interface WriteResult {
  readonly count: number;
  readonly events: readonly EventInput[];
}

async function insertAdded(
  dependencies: Dependencies,
  { tx, now }: Change,
  providerId: Uuid,
  listings: SortedListing['added'],
): Promise<WriteResult> {
  const meetings = await meetingsOfSessions(
    tx,
    listings.map(({ room }) => room.id),
    listings.map(({ listed }) => listed.internalId),
  );
  const created: Insertable<Recordings>[] = [];
  for (const { room, listed } of listings) {
    const id = newUuid();
    created.push({
      id,
      room_id: room.id,
      meeting_id: meetings.get(listed.internalId) ?? null,
      customer_id: room.customer_id,
      subscription_id: room.subscription_id,
      service_provider_id: providerId,
      provider_recording_id: listed.recordingId,
      ...mergeObservation(null, listed, room.room_name),
      playback: JSON.stringify(listed.formats),
      playback_sealed: await encryptAddresses(dependencies, id, listed.addresses),
      playback_hash: hashAddresses(dependencies, listed.addresses),
      ready_at: isReady(listed.state) ? now : null,
      synced_at: now,
      created_at: now,
      updated_at: now,
    });
  }
  const added = await insertRecordings(tx, created);
  const events = added.flatMap((row) => [
    { ...readyEvent(row), name: 'recording.created' as const },
    ...(row.ready_at === null ? [] : [readyEvent(row)]),
  ]);
  return { count: added.length, events };
}

interface ExistingRecordings {
  readonly providerId: Uuid;
  readonly existing: SortedListing['existing'];
  readonly rooms: ReadonlyMap<Uuid, RecordedRoom>;
}

async function updateExisting(
  dependencies: Dependencies,
  { tx, now }: Change,
  { providerId, existing, rooms }: ExistingRecordings,
): Promise<WriteResult> {
  const events: EventInput[] = [];
  let count = 0;
  // The recording of a broadcast can be stored before its meeting.
  const unlinked = existing.filter(({ row }) => row.meeting_id === null);
  const meetings = await meetingsOfSessions(
    tx,
    unlinked.map(({ row }) => row.room_id),
    unlinked.map(({ listed }) => listed.internalId),
  );
  for (const { row, listed } of existing) {
    const meetingId = row.meeting_id ?? meetings.get(listed.internalId) ?? null;
    const observed = changesOf(
      dependencies,
      { row, listed, meetingId },
      rooms.get(row.room_id)?.room_name ?? row.name,
      now,
    );
    const isOnNewProvider = row.service_provider_id !== providerId;
    const changes = isOnNewProvider ? { ...observed, service_provider_id: providerId } : observed;
    if (changes === null) continue;
    const isVisible = Object.keys(changes).some((name) => !internalColumns.has(name));
    const hasNewAddresses = changes.playback_hash !== undefined;
    const updated = await storeRecording(tx, row.id, {
      ...changes,
      ...(hasNewAddresses ? { playback_sealed: await encryptAddresses(dependencies, row.id, listed.addresses) } : {}),
      ...(isVisible ? { updated_at: now } : {}),
    });
    if (!isVisible) continue;
    count += 1;
    const isNewlyReady = updated.ready_at !== null && (row.ready_at === null || row.deleted_at !== null);
    events.push(
      isNewlyReady
        ? readyEvent(updated)
        : { ...readyEvent(updated), name: recordingEventName(row, updated), before: row },
    );
  }
  return { count, events };
}

/** Columns that are not part of API responses. */
const internalColumns = new Set([
  'provider_name',
  'pending',
  'push_at',
  'playback_hash',
  'is_protected',
  'missing_since',
]);

/** The columns to change; null if there are none. */
function changesOf(
  dependencies: Dependencies,
  { row, listed, meetingId }: SortedListing['existing'][number] & { readonly meetingId: Uuid | null },
  fallbackName: string,
  now: string,
): Partial<Insertable<Recordings>> | null {
  const columns = mergeObservation(row, listed, fallbackName);
  const next: Partial<Insertable<Recordings>> = {
    ...columns,
    meeting_id: meetingId,
    playback: JSON.stringify(listed.formats),
    playback_hash: hashAddresses(dependencies, listed.addresses),
    ready_at: row.ready_at ?? (isReady(columns.state) ? now : null),
    deleted_at: null,
    deletion_reason: null,
    // Changes that waited for the processing can be applied now.
    push_at: columns.pending.length === 0 ? null : isReady(columns.state) && !isReady(row.state) ? now : row.push_at,
  };
  const changed = Object.entries(next).filter(
    ([name, value]) => toComparable(name, value) !== toComparable(name, row[name as keyof RecordingRow]),
  );
  return changed.length === 0 ? null : Object.fromEntries(changed);
}

const instants = new Set(['started_at', 'ended_at', 'ready_at', 'push_at', 'missing_since', 'deleted_at']);

function toComparable(name: string, value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value ?? null);
  return instants.has(name) ? printInstant(value) : value;
}

function readyEvent(row: RecordingRow): EventInput {
  return rowEvent('recording.ready', { after: row });
}

/** @returns recordings that have been missing for so long that they count as deleted */
async function recordMissing(
  { tx, now }: Change,
  absent: readonly RecordingRow[],
  hasListedRecordings: boolean,
): Promise<readonly RecordingRow[]> {
  await markMissing(tx, idsOf(absent), now);
  return absent.filter((row) => countsAsDeleted(row, epochMs(now), hasListedRecordings));
}

/** How long the provider is checked for recordings of a deleted room. */
const deletedRoomMs = 14 * 86_400_000;

async function planNextChecks(
  { tx, now }: Change,
  { providerId, checks, recordings }: Listing,
  rooms: ReadonlyMap<Uuid, RecordedRoom>,
  { absent }: SortedListing,
): Promise<void> {
  const nowMs = epochMs(now);
  const unfinishedRooms = new Set([
    ...recordings
      .filter(({ state }) => state === 'processing' || state === 'processed')
      .map(({ meetingId }) => meetingId),
    ...absent.map((row) => row.room_id),
  ]);
  const next = checks.map((check) => {
    const deletedAt = rooms.has(check.room_id) ? null : printInstant(check.room_deleted_at ?? now);
    const nextMs = nextCheckMs(nowMs, epochMs(deletedAt ?? check.ended_at), unfinishedRooms.has(check.room_id));
    return { roomId: check.room_id, nextAt: instantOfMicroseconds(nextMs * 1000), roomDeletedAt: deletedAt };
  });
  const isExpired = ({ roomDeletedAt }: (typeof next)[number]) =>
    roomDeletedAt !== null && nowMs - epochMs(roomDeletedAt) > deletedRoomMs;
  await storeNextChecks(
    tx,
    providerId,
    next.filter((check) => !isExpired(check)),
  );
  await forgetChecks(
    tx,
    providerId,
    next.filter(isExpired).map(({ roomId }) => roomId),
  );
}
