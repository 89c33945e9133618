import type { Change } from '../../../events/change.ts';
import type { ReactionSubjects } from '../../../events/reaction-subjects.ts';
import { revokeFamiliesOf } from '../store.ts';

/** What a user is logged in with, besides what is kept; personal access tokens and what clients hold, too. */
export async function endSessionsOfUser(
  { tx, now }: Change,
  { userId, keptFamilyId }: ReactionSubjects['user.sessions-ending'],
): Promise<void> {
  await revokeFamiliesOf(tx, { population: 'users', id: userId }, now, keptFamilyId);
}

/** What an administrator is logged in with, likewise. */
export async function endSessionsOfAdmin(
  { tx, now }: Change,
  { adminId, keptFamilyId }: ReactionSubjects['admin.sessions-ending'],
): Promise<void> {
  await revokeFamiliesOf(tx, { population: 'admins', id: adminId }, now, keptFamilyId);
}
