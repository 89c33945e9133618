import type { Dependencies } from '../../../dependencies.ts';
import type { Background } from '../../../module.ts';
import { newUuid } from '../../../platform/identity/identifier.ts';
import { createSecretCache } from '../requests/signature.ts';
import { createWebhookClient } from '../requests/webhook-client.ts';
import { type Completion, completeDeliveries, webhookIdsOf } from './complete-deliveries.ts';
import { listEvents, listPending, type PendingDelivery } from './delivery-store.ts';
import { claimLanes, isAnyLaneDue, type Lane, type LeasedLane, leaseSeconds } from './lane-store.ts';
import { sendLane } from './send-lane.ts';
import { createSendWindows } from './send-windows.ts';

/** How many requests can be in flight. */
const slots = 1000;
const laneBatchSize = 250;
const maxDeliveriesPerLane = 8;
const idleMs = 100;
const busyMs = 10;
const afterFailureMs = 2000;
/** How long the worker waits for requests in flight when it stops. Unfinished ones are sent again. */
const stopMs = 2000;

/**
 * Delivers pending events as long as the worker runs. Several workers share the lanes by leases. If a worker is killed
 * before it stores a result, the request is sent again.
 */
export function deliverWebhooks(dependencies: Dependencies): Background {
  const { db, clock, logger, settings } = dependencies;
  const client = createWebhookClient({ isPrivateAllowed: () => settings().webhooks_allow_private_addresses });
  const windows = createSendWindows(slots);
  const secretBox = createSecretCache(dependencies.secretBox);
  let completions: Completion[] = [];
  let endedLanes: LeasedLane[] = [];
  const runningLanes = new Map<LeasedLane, Promise<void>>();
  let isStopping = false;
  let isStopped = false;
  let wake = () => {};

  async function flush(): Promise<void> {
    if (completions.length === 0 && endedLanes.length === 0) return;
    const [outcomes, lanes] = [completions, endedLanes];
    [completions, endedLanes] = [[], []];
    try {
      await completeDeliveries(dependencies, outcomes, lanes);
    } catch (error) {
      [completions, endedLanes] = [
        [...outcomes, ...completions],
        [...lanes, ...endedLanes],
      ];
      throw error;
    }
    for (const id of webhookIdsOf(outcomes)) windows.reopen(id);
  }

  async function claim(): Promise<void> {
    const limit = Math.min(laneBatchSize, windows.freeSlots());
    if (limit <= 0 || !(await isAnyLaneDue(db, clock.now()))) return;
    const lease = newUuid();
    const { allowances, initialAllowance } = {
      allowances: windows.allowances(),
      initialAllowance: windows.initialAllowance,
    };
    const leasedUntil = clock.after(leaseSeconds);
    const lanes = await claimLanes(db, { now: clock.now(), lease, leasedUntil, limit, allowances, initialAllowance });
    if (lanes.length === 0) return;
    const pending = await listPending(db, lanes, maxDeliveriesPerLane);
    const events = await listEvents(db, [...new Set(pending.map(({ event_id: id }) => id))]);
    const deliveriesByLane = new Map(lanes.map((lane) => [keyOf(lane), [] as PendingDelivery[]]));
    for (const delivery of pending)
      deliveriesByLane.get(keyOf({ webhookId: delivery.id, resourceId: delivery.resource_id }))?.push(delivery);
    for (const lane of lanes) start({ ...lane, lease }, deliveriesByLane.get(keyOf(lane)) ?? [], events);
  }

  function start(lane: LeasedLane, deliveries: readonly PendingDelivery[], events: Parameters<typeof sendLane>[2]) {
    windows.begin(lane.webhookId, deliveries[0] !== undefined && deliveries[0].failing_since !== null);
    const context = {
      clock,
      secretBox,
      client,
      windows,
      complete: (completion: Completion) => void completions.push(completion),
      isStopped: () => isStopped,
    };
    const sent = sendLane(context, deliveries, events)
      .catch((error: unknown) => logger.error({ err: error, webhook: lane.webhookId }, 'webhook not sent'))
      .finally(() => {
        windows.end(lane.webhookId);
        runningLanes.delete(lane);
        endedLanes.push(lane);
        wake();
      });
    runningLanes.set(lane, sent);
  }

  async function run(): Promise<void> {
    for (;;) {
      if (isStopping) return;
      let waitMs = idleMs;
      try {
        await flush();
        await claim();
      } catch (error) {
        logger.warn({ err: error }, 'webhooks could not be delivered');
        waitMs = afterFailureMs;
      }
      await pause(waitMs);
    }
  }

  /** Waits for a shorter time if a lane has ended. */
  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, endedLanes.length > 0 && ms === idleMs ? busyMs : ms);
      wake = () => {
        wake = () => {};
        if (ms !== idleMs) return;
        clearTimeout(timer);
        timer = setTimeout(resolve, busyMs);
      };
    });
  }

  const loop = run();
  return {
    async stop() {
      isStopping = true;
      await loop;
      await Promise.race([Promise.all(runningLanes.values()), new Promise((resolve) => setTimeout(resolve, stopMs))]);
      isStopped = true;
      const abandoned = [...runningLanes];
      await client.close();
      await Promise.all(abandoned.map(([, sent]) => sent));
      await flush().catch((error: unknown) => logger.warn({ err: error }, 'results of webhooks could not be stored'));
    },
  };
}

function keyOf({ webhookId, resourceId }: Lane): string {
  return `${webhookId} ${resourceId}`;
}
