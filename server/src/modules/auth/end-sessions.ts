import type { Change } from '../../events/change.ts';
import type { EndedSessions } from '../users/index.ts';
import { revokeFamiliesOf } from './store.ts';

/** What a user is logged in with, besides what is kept; personal access tokens and what clients hold, too. */
export async function endSessionsOfUser({ tx, now }: Change, { userId, keptFamilyId }: EndedSessions): Promise<void> {
  await revokeFamiliesOf(tx, { population: 'users', id: userId }, now, keptFamilyId);
}
