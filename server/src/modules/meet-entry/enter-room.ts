import type { RoomRole } from '@foyer/contract/resources/rooms/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction, recordRefusedLimit } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { Playback } from '../../providers/media.ts';
import { countUse, markCodeUsed, createRoomToken } from '../rooms/index.ts';
import {
  type AcceptedRequest,
  checkCredential,
  loadAccess,
  loadAccessToJoin,
  type Admission,
  mayStart,
  type ParticipantSlot,
  type PresentedCredential,
  refusal,
  refusedLimit,
  releaseSlot,
  reserveSlot,
  reserveSlotInRunning,
} from '../room-access/index.ts';
import { addressOfEntry, limitToVideoServer } from './entry-address.ts';
import { mayBeOpen, openOnProvider, type Running, runningMeeting, storeObservation } from './open-meeting.ts';

export interface JoinRequest extends PresentedCredential {
  readonly name: string;
}

export interface Entry {
  readonly role: RoomRole;
  /** The address at which this participant joins; can be used once. */
  readonly url: string;
  /** The playback of a media room; null for a meeting, and if there is nothing to play. */
  readonly playback: Playback | null;
  readonly meetingStarted: boolean;
  /** When the reservation of the slot expires. */
  readonly expiresAt: string;
}

/**
 * Admits a participant: checks access, reserves a slot, opens the meeting if necessary, and returns the address to
 * join.
 * @throws 403 with the code of the first refusal; 503 `provider-unavailable` when no provider answers
 */
export async function enterRoom(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  request: JoinRequest,
): Promise<Entry> {
  const { db, clock, settings } = dependencies;
  const load = async (loadFrom: typeof loadAccess) =>
    await loadFrom(db, roomId, clock.today(settings().system_timezone), clock.now());
  const loaded = await load(loadAccessToJoin);
  const { token, role, refusals, codeId } = await checkCredential(
    dependencies,
    { roomId, rules: loaded.rules, address: actor.address },
    request,
  );
  const [firstRefusal] = refusals;
  if (firstRefusal !== undefined || role === null) {
    const code = firstRefusal ?? 'token-required';
    const limit = refusedLimit(loaded, code);
    if (limit) await recordRefusedLimit(dependencies, actor, limit);
    throw refusal(code, { token, timeZone: loaded.timeZone });
  }
  const accepted: AcceptedRequest = { role, tokenId: token?.id ?? null, codeId };
  const addressFor = async (session: Pick<Running, 'adapter' | 'meeting'>, { entryId }: ParticipantSlot) =>
    await addressOfEntry(dependencies, loaded, session, { userId: entryId, fullName: request.name, role });
  const running = await runningMeeting(dependencies, loaded.meeting);
  const entered = running && (await enterRunning(dependencies, actor, { loaded, accepted }, running));
  if (entered) {
    const { slot } = entered;
    const address = await addressFor(entered.running, slot);
    return { role, ...address, meetingStarted: false, expiresAt: slot.expiresAt };
  }
  if (!mayStart(loaded.rules, role)) throw refusal('waiting-for-moderator');
  // If a meeting was open, the providers for a new one have not been loaded yet.
  const loadedToOpen = loaded.meeting?.state === 'open' ? await load(loadAccess) : loaded;
  const slot = await reserveSlot(dependencies, actor, loadedToOpen, accepted);
  try {
    const opened = await openOnProvider(
      dependencies,
      actor,
      await limitToVideoServer(dependencies, loadedToOpen),
      slot.meeting,
    );
    const address = await addressFor(opened, slot);
    await inTransaction(dependencies, actor, (change) => recordUse(change, accepted));
    return { role, ...address, meetingStarted: true, expiresAt: slot.expiresAt };
  } catch (error) {
    await releaseSlot(dependencies, actor, slot, mayBeOpen(error));
    throw error;
  }
}

/** @returns null if the meeting has ended in the meantime */
async function enterRunning(
  dependencies: Dependencies,
  actor: Actor,
  admission: Admission,
  running: Running,
): Promise<{ running: Running; slot: ParticipantSlot } | null> {
  const slot = await reserveSlotInRunning(dependencies, actor, admission, running);
  if (slot === 'meeting-ended') return null;
  if (slot !== 'observe-first') return { running, slot };
  const stored = await storeObservation(dependencies, running.id, running);
  return stored && (await enterRunning(dependencies, actor, admission, stored));
}

/**
 * Counts the use of the token and access code. This is the last step of a join, so that a refused join uses nothing up. If several joins compete for the last use of a token, one
 * succeeds.
 * @throws 403 `token-used-up`
 */
async function recordUse({ tx, now }: Change, { tokenId, codeId }: AcceptedRequest): Promise<void> {
  const outcome = tokenId === null ? 'counted' : await countUse(tx, tokenId, now);
  if (outcome !== 'counted') throw refusal(outcome === 'unknown' ? 'token-unknown' : 'token-used-up');
  if (codeId !== null) await markCodeUsed(tx, codeId, now);
}

interface Joined {
  readonly entry: Entry;
  /** The presented token, or the new token of a guest. Null for callers who join without a token. */
  readonly token: string | null;
}

/**
 * Joins the visitor. A guest who joins a public room without a token gets a token for rejoining.
 * @throws as `enterRoom` does
 */
export async function joinAsVisitor(
  dependencies: Dependencies,
  actor: Actor,
  roomId: Uuid,
  request: JoinRequest,
): Promise<Joined> {
  // Created after the join, so that a refused join stores no token.
  const entry = await enterRoom(dependencies, actor, roomId, request);
  if (request.token !== null || request.staffRole !== null) return { entry, token: request.token };
  // Without a name: participants' names are stored only with the meeting and erased there.
  const token = await createRoomToken(dependencies, actor, roomId, { role: 'guest' });
  await inTransaction(dependencies, actor, ({ tx, now }) => countUse(tx, token.id, now));
  return { entry, token: token.token ?? null };
}
