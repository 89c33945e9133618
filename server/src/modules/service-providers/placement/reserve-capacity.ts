import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { storeReservation, lockServerCapacity, findLoad } from './reservation-store.ts';
import { type Capacity, isFull } from './placement.ts';

/** How long a meeting may take to open. */
const reservationSeconds = 120;

/**
 * Reserves capacity for a meeting that is about to open. Reservations of a provider run one after the other, so limits
 * are exact. Without limits, nothing is reserved. @returns whether there is capacity
 */
export async function reserveCapacity(
  dependencies: Dependencies,
  provider: Pick<Capacity, 'maxMeetings' | 'maxParticipants'> & { readonly id: Uuid },
  meetingId: Uuid,
): Promise<boolean> {
  if (provider.maxMeetings === null && provider.maxParticipants === null) return true;
  return await inTransaction(dependencies, system, async ({ tx, now }) => {
    await lockServerCapacity(tx, provider.id);
    const load = await findLoad(tx, provider.id, meetingId, now);
    if (!load || load.draining || isFull(load)) return false;
    await storeReservation(tx, {
      meetingId,
      providerId: provider.id,
      expiresAt: dependencies.clock.after(reservationSeconds),
    });
    return true;
  });
}
