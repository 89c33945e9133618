import type { RoomRole } from '@foyer/contract/resources/room.ts';
import type { Dependencies } from '../../dependencies.ts';
import { type Change, inTransaction } from '../../events/change.ts';
import type { Actor } from '../../platform/http/input/call.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { countUse, markCodeUsed } from '../rooms/index.ts';
import { mayStart } from './door.ts';
import { loadDoor, type LoadedDoor, loadDoorToEnter, type Shown } from './load-door.ts';
import { mayBeOpen, openWhere, type Running, runningMeeting, storeSeen } from './open-meeting.ts';
import { refusal } from './refusals.ts';
import { showCredential } from './show-credential.ts';
import { type Comer, giveBack, type Place, takePlace, takePlaceIn } from './take-place.ts';

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
  const load = async (how: typeof loadDoor) =>
    await how(db, roomId, clock.today(settings().system_timezone), clock.now());
  const loaded = await load(loadDoorToEnter);
  const { token, role, refusals, codeId } = await showCredential(
    dependencies,
    roomId,
    loaded.door,
    request,
    actor.address,
  );
  const [first] = refusals;
  if (first !== undefined || role === null)
    throw refusal(first ?? 'token-required', { token, timeZone: loaded.timeZone });
  const comer: Comer = { role, tokenId: token?.id ?? null, codeId };
  const addressIn = ({ adapter, meeting }: Pick<Running, 'adapter' | 'meeting'>, { entryId }: Place) =>
    adapter.entryFor(meeting, {
      userId: entryId,
      fullName: request.name,
      role,
      mayShareWebcam: loaded.features.get('webcams') === 'true',
    });
  const running = await runningMeeting(dependencies, loaded.meeting);
  const entered = running && (await enterRunning(dependencies, actor, loaded, comer, running));
  if (entered) {
    const { place } = entered;
    return { role, url: addressIn(entered.running, place), meetingStarted: false, expiresAt: place.expiresAt };
  }
  if (!mayStart(loaded.door, role)) throw refusal('waiting-for-moderator');
  // Where a meeting was open, nobody has asked yet where another one may be opened.
  const toOpen = loaded.meeting?.state === 'open' ? await load(loadDoor) : loaded;
  const place = await takePlace(dependencies, actor, toOpen, comer);
  try {
    const opened = await openWhere(dependencies, actor, toOpen, place.meeting);
    const url = addressIn(opened, place);
    await inTransaction(dependencies, actor, (change) => recordUse(change, comer));
    return { role, url, meetingStarted: true, expiresAt: place.expiresAt };
  } catch (error) {
    await giveBack(dependencies, actor, place, mayBeOpen(error));
    throw error;
  }
}

/** @returns null where the meeting has ended meanwhile */
async function enterRunning(
  dependencies: Dependencies,
  actor: Actor,
  loaded: LoadedDoor,
  comer: Comer,
  running: Running,
): Promise<{ running: Running; place: Place } | null> {
  const place = await takePlaceIn(dependencies, actor, loaded, comer, running);
  if (place === 'gone') return null;
  if (place !== 'look-first') return { running, place };
  const stored = await storeSeen(dependencies, running.id, running);
  return stored && (await enterRunning(dependencies, actor, loaded, comer, stored));
}

/**
 * The last thing before somebody is let in: whoever is refused has used nothing up, and of those who come at once with
 * the last use of a token, one comes in. @throws 403 `token-used-up`
 */
async function recordUse({ tx, now }: Change, { tokenId, codeId }: Comer): Promise<void> {
  const outcome = tokenId === null ? 'counted' : await countUse(tx, tokenId, now);
  if (outcome !== 'counted') throw refusal(outcome === 'gone' ? 'token-unknown' : 'token-used-up');
  if (codeId !== null) await markCodeUsed(tx, codeId, now);
}
