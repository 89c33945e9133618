import type { Change } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { type Owner, revokeFamiliesOf } from '../store.ts';
import { emitRevocations } from '../tokens/tokens.ts';
import { endSignIns } from './sign-in-store.ts';

/**
 * Ends all sessions and tokens of a person except the family `keptFamilyId`, including personal access tokens and tokens
 * of OAuth clients.
 */
export async function endSessionsOf(
  change: Change,
  owner: Pick<Owner, 'population' | 'id'>,
  keptFamilyId: Uuid | null,
): Promise<void> {
  await emitRevocations(change, await revokeFamiliesOf(change.tx, owner, change.now, keptFamilyId));
}

/** Ends the sessions that began before the second factor was enabled. */
export async function endSignInsOfAdmin(change: Change, adminId: Uuid, keptFamilyId: Uuid): Promise<void> {
  await emitRevocations(change, await endSignIns(change.tx, adminId, keptFamilyId, change.now));
}
