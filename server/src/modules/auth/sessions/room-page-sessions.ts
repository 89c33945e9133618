import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction } from '../../../events/change.ts';
import { eventAbout } from '../../../events/row-event.ts';
import { Failure } from '../../../platform/failures.ts';
import type { Actor } from '../../../platform/http/input/call.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { createOpaqueToken, hashToken, isOpaqueToken } from '../../../platform/crypto/opaque-token.ts';
import { insertSession, removeSession } from '../authorization-code/authorization-store.ts';
import { checkCredentials, requireStillProven } from './check-credentials.ts';
import { findSignedInUser, type SignedInUser } from './sign-in-store.ts';
import { cutUserAgent, addSeconds } from '../tokens/tokens.ts';

/** How long a user stays signed in on room pages. */
export const roomPageSessionSeconds = 12 * 3600;

/** Differs from the prefix of the consent page, whose sessions give more rights. */
const prefix = 'frp';

interface RoomPageSignIn {
  readonly email: string;
  readonly password: string;
  readonly userAgent: string | null;
}

/**
 * Signs a user in on room pages only; the session cannot call the API. It ends with the user's other sessions, on every
 * node.
 * @returns null for a wrong password, an unknown user, or one who may not sign in
 * @throws 429 after too many attempts
 */
export async function signInToRoomPages(
  dependencies: Dependencies,
  visitor: Actor,
  { email, password, userAgent }: RoomPageSignIn,
): Promise<{ readonly token: string; readonly userId: Uuid } | null> {
  // Users have no second factor.
  const check = await checkCredentials(dependencies, {
    population: 'users',
    name: email,
    password,
    otp: null,
    address: visitor.address,
  });
  if ('refusal' in check) return null;
  const { owner } = check;
  const token = createOpaqueToken(prefix);
  try {
    const actor: Actor = { ...visitor, type: 'user', id: owner.id, name: owner.name };
    await inTransaction(dependencies, actor, async ({ tx, now, emit }) => {
      await requireStillProven(tx, owner);
      const device = { address: visitor.address, userAgent: cutUserAgent(userAgent) };
      const expiresAt = addSeconds(now, roomPageSessionSeconds);
      await insertSession(tx, hashToken(token), owner, { expiresAt, now, device });
      await emit(eventAbout('user.logged_in', owner.id));
    });
  } catch (error) {
    // The password was changed since it was checked.
    if (error instanceof Failure && error.code === 'wrong-credentials') return null;
    throw error;
  }
  return { token, userId: owner.id };
}

/** Finds the user of a session on the room pages; null if the session is not valid. */
export async function findRoomPageUser({ db, clock }: Dependencies, token: string): Promise<SignedInUser | null> {
  if (!isOpaqueToken(token, prefix)) return null;
  return (await findSignedInUser(db, hashToken(token), clock.now())) ?? null;
}

export async function signOutOfRoomPages({ db }: Dependencies, token: string): Promise<void> {
  if (isOpaqueToken(token, prefix)) await removeSession(db, hashToken(token));
}
