import type { Change } from '../../../events/change.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { revokeFamiliesOf } from '../store.ts';
import { emitRevocations } from '../tokens/tokens.ts';
import { endSignIns } from './sign-in-store.ts';

/**
 * Ends all sessions and tokens of a user, except the kept one, including personal access tokens and those of clients.
 */
export async function endSessionsOfUser(
  change: Change,
  { userId, keptFamilyId }: ReactionSubjects['user.sessions-ending'],
): Promise<void> {
  const { tx, now } = change;
  await emitRevocations(change, await revokeFamiliesOf(tx, { population: 'users', id: userId }, now, keptFamilyId));
}

/** Like `endSessionsOfUser`, for an administrator. */
export async function endSessionsOfAdmin(
  change: Change,
  { adminId, keptFamilyId }: ReactionSubjects['admin.sessions-ending'],
): Promise<void> {
  const { tx, now } = change;
  await emitRevocations(change, await revokeFamiliesOf(tx, { population: 'admins', id: adminId }, now, keptFamilyId));
}

/** Ends the sessions that began without a second factor. */
export async function endSignInsOfAdmin(
  change: Change,
  { adminId, keptFamilyId }: ReactionSubjects['admin.two-factor-enabled'],
): Promise<void> {
  await emitRevocations(change, await endSignIns(change.tx, adminId, keptFamilyId, change.now));
}
