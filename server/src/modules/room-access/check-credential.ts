import type { EntryRefusal } from '@foyer/contract/resources/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { RoomTokenRow } from '../rooms/index.ts';
import { type Credential, type AccessRules, type AccessDecision, checkAccess } from './access-rules.ts';
import { resolveCredential, type PresentedCredential } from './load-access.ts';

export interface CheckedCredential extends AccessDecision {
  readonly credential: Credential;
  /** Null where none was shown, or none of this room. */
  readonly token: RoomTokenRow | null;
}

/**
 * Checks the token and code of a request. Wrong ones are counted by room and address.
 * @throws 429 after too many of them, without checking
 */
export async function checkCredential(
  dependencies: Dependencies,
  roomId: Uuid,
  rules: AccessRules,
  shown: PresentedCredential,
  address: string | null,
): Promise<CheckedCredential> {
  const look = () => lookAt(dependencies, roomId, rules, shown);
  if (shown.staffRole !== null || (shown.token === null && shown.accessCode === null)) return await look();
  const attempt = { scope: 'rooms', name: roomId, address } as const;
  return await dependencies.failedAttempts.attempt(attempt, look, ({ refusals }) =>
    refusals.some((code) => failedAttempts.has(code)) ? 'wrong' : 'neither',
  );
}

/** The same for callers who may read tokens and codes: nothing is counted. */
export async function lookAt(
  { db, clock }: Dependencies,
  roomId: Uuid,
  rules: AccessRules,
  shown: PresentedCredential,
): Promise<CheckedCredential> {
  const { credential, token } = await resolveCredential(db, roomId, shown, clock.now());
  return { credential, token, ...checkAccess(rules, credential) };
}

/** Refusals that reveal that a guessed token or code was wrong. */
const failedAttempts = new Set<EntryRefusal>(['token-unknown', 'access-code-wrong', 'access-code-other-role']);
