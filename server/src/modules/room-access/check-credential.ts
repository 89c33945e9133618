import type { EntryRefusal } from '@foyer/contract/resources/rooms/room-entry.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import type { RoomTokenRow } from '../rooms/index.ts';
import { type Credential, type AccessRules, type AccessDecision, checkAccess } from './access-rules.ts';
import { resolveCredential, type PresentedCredential } from './load-access.ts';

export interface CheckedCredential extends AccessDecision {
  readonly credential: Credential;
  /** Null if there is no token, or if the token belongs to another room. */
  readonly token: RoomTokenRow | null;
}

export interface AccessTarget {
  readonly roomId: Uuid;
  readonly rules: AccessRules;
}

/**
 * Checks the token and code of a request. Failed attempts are counted by room and IP address.
 * @throws 429 after too many failed attempts, without checking
 */
export async function checkCredential(
  dependencies: Dependencies,
  { roomId, rules, address }: AccessTarget & { readonly address: string | null },
  presented: PresentedCredential,
): Promise<CheckedCredential> {
  const check = () => evaluateCredential(dependencies, { roomId, rules }, presented);
  if (presented.staffRole !== null || (presented.token === null && presented.accessCode === null)) return await check();
  const attempt = { scope: 'rooms', name: roomId, address } as const;
  return await dependencies.failedAttempts.attempt(attempt, check, ({ refusals }) =>
    refusals.some((code) => wrongGuesses.has(code)) ? 'wrong' : 'neither',
  );
}

/** Like `checkCredential`, without counting failed attempts: for callers who may read tokens and codes. */
export async function evaluateCredential(
  { db, clock }: Dependencies,
  { roomId, rules }: AccessTarget,
  presented: PresentedCredential,
): Promise<CheckedCredential> {
  const { credential, token } = await resolveCredential(db, roomId, presented, clock.now());
  return { credential, token, ...checkAccess(rules, credential) };
}

/** Refusals that reveal that a guessed token or code was wrong. */
const wrongGuesses = new Set<EntryRefusal>(['token-unknown', 'access-code-wrong', 'access-code-other-role']);
