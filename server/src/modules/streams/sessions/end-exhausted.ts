import type { Dependencies } from '../../../dependencies.ts';
import { inTransaction, system } from '../../../events/change.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import type { Uuid } from '../../../platform/identity/identifier.ts';
import { storeOrder } from '../orders/order-store.ts';
import { listSessionsWithLimits } from './minute-store.ts';
import { computeSessionEnds } from './session-ends.ts';

/** Ending a session takes time, so it is ordered this long before the first minute that is not available. */
const leadMs = 1000;

/**
 * Orders the end of sessions whose minutes are used up.
 * @returns when the next one is due, in milliseconds since 1970; `Infinity` if none is known
 */
export async function endExhaustedSessions(dependencies: Dependencies): Promise<number> {
  const nowMs = dependencies.clock.nowMs();
  let nextMs = Infinity;
  for (const [roomId, { endMs, providerId }] of await findNextEnds(dependencies)) {
    const dueMs = endMs - leadMs;
    if (dueMs > nowMs) nextMs = Math.min(nextMs, dueMs);
    else {
      await inTransaction(dependencies, system, (change) =>
        storeOrder(change, { providerId, roomId, kind: 'end', reason: 'stream-minutes-used-up' }),
      );
    }
  }
  return nextMs;
}

interface SessionEnd {
  readonly endMs: number;
  readonly providerId: Uuid | null;
}

async function findNextEnds({ db, clock, settings }: Dependencies): Promise<Map<Uuid, SessionEnd>> {
  const sessions = await listSessionsWithLimits(db, clock.today(settings().system_timezone));
  const earliestEnds = new Map<Uuid, SessionEnd>();
  for (const subscriptionId of new Set(sessions.map(({ limiting_subscription_id: id }) => id))) {
    const sessionsOfLimit = sessions.filter(({ limiting_subscription_id: id }) => id === subscriptionId);
    const chargedSessions = sessionsOfLimit.map(({ room_id: roomId, started_at: startedAt, minutes }) => ({
      roomId,
      chargedUntilMs: epochMs(startedAt) + minutes * 60_000,
    }));
    for (const [roomId, endMs] of computeSessionEnds(chargedSessions, sessionsOfLimit[0]?.minutes_left ?? 0)) {
      const providerId = sessionsOfLimit.find(({ room_id: id }) => id === roomId)?.service_provider_id ?? null;
      earliestEnds.set(roomId, { providerId, endMs: Math.min(endMs, earliestEnds.get(roomId)?.endMs ?? Infinity) });
    }
  }
  return earliestEnds;
}
