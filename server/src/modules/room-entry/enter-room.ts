import type { RoomRole } from '@foyer/contract/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, change } from '../../events/change.ts';
import type { Actor } from '../../platform/http/call.ts';
import type { Uuid } from '../../platform/identifier.ts';
import { countUse, markCodeUsed } from '../rooms/index.ts';
import { mayStart } from './door.ts';
import { loadDoor, type Shown } from './load-door.ts';
import { openWhere, runningMeeting } from './open-meeting.ts';
import { refusal } from './refusals.ts';
import { showCredential } from './show-credential.ts';
import { giveBack, takePlace } from './take-place.ts';

export interface EntryRequest extends Shown {
  readonly name: string;
}

export interface Entry {
  readonly role: RoomRole;
  /** Where this participant enters, this once. */
  readonly url: string;
  readonly meetingStarted: boolean;
  /** Until when the place is kept. */
  readonly expiresAt: string;
}

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
  const loaded = await loadDoor(db, roomId, clock.today(settings().system_timezone), clock.now());
  const shown = await showCredential(dependencies, roomId, loaded.door, request, actor.address);
  const { token, role, refusals, codeId } = shown;
  const [first] = refusals;
  if (first !== undefined || role === null) throw refusal(first ?? 'token-required');
  const running = await runningMeeting(dependencies, roomId);
  if (!running && !mayStart(loaded.door, role)) throw refusal('waiting-for-moderator');
  const place = await takePlace(dependencies, actor, loaded, role, token);
  try {
    const { adapter, meeting } = await openWhere(dependencies, actor, loaded, place.meeting, running);
    const url = adapter.entryFor(meeting, {
      userId: place.entryId,
      fullName: request.name,
      role,
      mayShareWebcam: loaded.features.get('webcams') === 'true',
    });
    await change(dependencies, actor, (under) => recordUse(under, token?.id ?? null, codeId));
    return { role, url, meetingStarted: !running, expiresAt: place.expiresAt };
  } catch (error) {
    await giveBack(dependencies, actor, place);
    throw error;
  }
}

/**
 * The last thing before somebody is let in: whoever is refused has used nothing up, and of those who come at once with
 * the last use of a token, one comes in. @throws 403 `token-used-up`
 */
async function recordUse({ tx, now }: Change, tokenId: Uuid | null, codeId: Uuid | null): Promise<void> {
  const outcome = tokenId === null ? 'counted' : await countUse(tx, tokenId, now);
  if (outcome !== 'counted') throw refusal(outcome === 'gone' ? 'token-unknown' : 'token-used-up');
  if (codeId !== null) await markCodeUsed(tx, codeId, now);
}
