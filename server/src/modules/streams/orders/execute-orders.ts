import type { Dependencies } from '../../../dependencies.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import type { MediaProvider } from '../../../providers/media.ts';
import { ProviderFailure } from '../../../providers/provider-failure.ts';
import { availabilityRefusals, loadAccess } from '../../room-access/index.ts';
import { findServiceProvider, mediaProvider } from '../../service-providers/index.ts';
import { applyReport } from '../sessions/apply-report.ts';
import { planStream } from '../sessions/plan-stream.ts';
import { findCurrentSession } from '../sessions/session-store.ts';
import { findStream } from '../store.ts';
import { claimOrders, type OrderRow, postponeOrder, removeOrder } from './order-store.ts';

/** The lease of a process on an order. After a crash, another process takes it. */
const claimSeconds = 30;
const maxPauseSeconds = 50;
/** Orders that have failed for this long are dropped. */
const dropAfterMs = 86_400_000;

/** Sends pending orders to the media servers, in parallel. @returns how many succeeded */
export async function executeOrders(dependencies: Dependencies): Promise<number> {
  let succeeded = 0;
  for (;;) {
    const { clock, db } = dependencies;
    const claimed = await claimOrders(db, { now: clock.now(), leasedUntil: clock.after(claimSeconds) });
    if (claimed.length === 0) return succeeded;
    const outcomes = await Promise.allSettled(
      [...groupByServer(claimed).values()].map(async (orders) => {
        for (const order of orders) if (await executeOrPostpone(dependencies, order)) succeeded += 1;
      }),
    );
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
  }
}

/** Groups the orders by media server. Orders that end a stream come first. */
function groupByServer(orders: readonly OrderRow[]): Map<string, OrderRow[]> {
  const groups = new Map<string, OrderRow[]>();
  for (const order of orders.toSorted((one, other) => (one.kind < other.kind ? -1 : 1))) {
    const { service_provider_id: id } = order;
    groups.set(id, [...(groups.get(id) ?? []), order]);
  }
  return groups;
}

async function executeOrPostpone(dependencies: Dependencies, order: OrderRow): Promise<boolean> {
  const { db, clock, logger } = dependencies;
  try {
    await execute(dependencies, order);
    await removeOrder(db, order);
    return true;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    logger.warn({ provider: order.service_provider_id, kind: error.kind }, 'provider did not change the stream');
    if (clock.nowMs() - epochMs(order.ordered_at) > dropAfterMs) await removeOrder(db, order);
    else await postponeOrder(db, order, clock.after(Math.min(maxPauseSeconds, 2 ** order.attempts)));
    return false;
  }
}

async function execute(dependencies: Dependencies, order: OrderRow): Promise<void> {
  const { kind, room_id: roomId, service_provider_id: providerId } = order;
  const provider = await findServiceProvider(dependencies.db, providerId);
  if (!provider) return;
  const adapter = await mediaProvider(dependencies, provider);
  if (kind === 'set') return await setStream(dependencies, adapter, order);
  if (kind === 'remove') await adapter.streams.remove(roomId);
  else await adapter.streams.end(roomId, order.reason ?? 'platform');
  const report = await adapter.streams.state(roomId);
  if (report) await applyReport(dependencies, providerId, report, { isAnswer: true });
}

/** Sends the stream to its media server, or removes it there if the room cannot be used. */
export async function setStream(
  dependencies: Dependencies,
  adapter: MediaProvider,
  { room_id: roomId, service_provider_id: providerId }: Pick<OrderRow, 'room_id' | 'service_provider_id'>,
): Promise<void> {
  const { db, clock, settings } = dependencies;
  const stream = await findStream(db, roomId);
  if (stream?.service_provider_id !== providerId) return;
  const access = await loadAccess(db, roomId, clock.today(settings().system_timezone), clock.now());
  if (availabilityRefusals(access.rules).length > 0) return await adapter.streams.remove(roomId);
  const session = await findCurrentSession(db, roomId);
  const plan = await planStream(dependencies, access, stream, {
    mayRecord: stream.record,
    minutesLeft: session?.minutes_left ?? null,
  });
  await applyReport(dependencies, providerId, await adapter.streams.set(plan), { isAnswer: true });
}
