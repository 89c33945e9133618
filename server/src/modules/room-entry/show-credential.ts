import type { EntryRefusal } from '@foyer/contract/resources/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { RoomTokenRow } from '../rooms/index.ts';
import { type Credential, type Door, type Examination, examine } from './door.ts';
import { loadCredential, type Shown } from './load-door.ts';

export interface Presented extends Examination {
  readonly credential: Credential;
  /** Null where none was shown, or none of this room. */
  readonly token: RoomTokenRow | null;
}

/**
 * What becomes of what is shown at the door. Wrong tokens and codes are counted, by room and address.
 * @throws 429 after too many of them; then nothing was looked at
 */
export async function showCredential(
  dependencies: Dependencies,
  roomId: Uuid,
  door: Door,
  shown: Shown,
  address: string | null,
): Promise<Presented> {
  const look = () => lookAt(dependencies, roomId, door, shown);
  if (shown.staffRole !== null || (shown.token === null && shown.accessCode === null)) return await look();
  const attempt = { scope: 'rooms', name: roomId, address } as const;
  return await dependencies.failedAttempts.attempt(attempt, look, ({ refusals }) =>
    refusals.some((code) => failedAttempts.has(code)) ? 'wrong' : 'neither',
  );
}

/** The same for whoever knows the tokens and codes anyway: nothing is counted. */
export async function lookAt({ db, clock }: Dependencies, roomId: Uuid, door: Door, shown: Shown): Promise<Presented> {
  const { credential, token } = await loadCredential(db, roomId, shown, clock.now());
  return { credential, token, ...examine(door, credential) };
}

/** Refusals that tell somebody who tries tokens or codes that this one was wrong. */
const failedAttempts = new Set<EntryRefusal>(['token-unknown', 'access-code-wrong', 'access-code-other-role']);
