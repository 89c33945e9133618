import type { Dependencies } from '../../../dependencies.ts';
import type { Background } from '../../../module.ts';
import { newUuid } from '../../../platform/identity/identifier.ts';
import { createSecretCache } from '../requests/signature.ts';
import { createWebhookClient } from '../requests/webhook-client.ts';
import { type Completion, completeDeliveries, webhooksOf } from './complete-deliveries.ts';
import { listEvents, listPending, type PendingDelivery } from './delivery-store.ts';
import { claimLanes, isAnyLaneDue, type Lane, type LeasedLane, leaseSeconds } from './lane-store.ts';
import { sendLane } from './send-lane.ts';
import { createSendWindows } from './send-windows.ts';

/** Requests in flight. */
const slots = 1000;
const laneBatchSize = 250;
const deliveriesOfLane = 8;
const idleMs = 100;
const busyMs = 10;
const afterFailureMs = 2000;
/** How long requests in flight may take when the worker stops. Later ones are sent again. */
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
  let ended: LeasedLane[] = [];
  const running = new Map<LeasedLane, Promise<void>>();
  let isStopping = false;
  let isStopped = false;
  let wake = () => {};

  async function flush(): Promise<void> {
    if (completions.length === 0 && ended.length === 0) return;
    const [outcomes, lanes] = [completions, ended];
    [completions, ended] = [[], []];
    try {
      await completeDeliveries(dependencies, outcomes, lanes);
    } catch (error) {
      [completions, ended] = [
        [...outcomes, ...completions],
        [...lanes, ...ended],
      ];
      throw error;
    }
    for (const id of webhooksOf(outcomes)) windows.reopen(id);
  }

  async function claim(): Promise<void> {
    const limit = Math.min(laneBatchSize, windows.free());
    if (limit <= 0 || !(await isAnyLaneDue(db, clock.now()))) return;
    const lease = newUuid();
    const { allowances, initial } = { allowances: windows.allowances(), initial: windows.initial };
    const leasedUntil = clock.after(leaseSeconds);
    const lanes = await claimLanes(db, { now: clock.now(), lease, leasedUntil, limit, allowances, initial });
    if (lanes.length === 0) return;
    const pending = await listPending(db, lanes, deliveriesOfLane);
    const events = await listEvents(db, [...new Set(pending.map(({ event_id: id }) => id))]);
    const byLane = new Map(lanes.map((lane) => [keyOf(lane), [] as PendingDelivery[]]));
    for (const delivery of pending)
      byLane.get(keyOf({ webhookId: delivery.id, resourceId: delivery.resource_id }))?.push(delivery);
    for (const lane of lanes) start({ ...lane, lease }, byLane.get(keyOf(lane)) ?? [], events);
  }

  function start(lane: LeasedLane, deliveries: readonly PendingDelivery[], events: Parameters<typeof sendLane>[2]) {
    windows.begin(lane.webhookId, deliveries[0] !== undefined && deliveries[0].failing_since !== null);
    const sending = {
      clock,
      secretBox,
      client,
      windows,
      complete: (completion: Completion) => void completions.push(completion),
      isStopped: () => isStopped,
    };
    const sent = sendLane(sending, deliveries, events)
      .catch((error: unknown) => logger.error({ err: error, webhook: lane.webhookId }, 'webhook not sent'))
      .finally(() => {
        windows.end(lane.webhookId);
        running.delete(lane);
        ended.push(lane);
        wake();
      });
    running.set(lane, sent);
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

  /** Shorter if a lane ends. */
  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      let timer = setTimeout(resolve, ended.length > 0 && ms === idleMs ? busyMs : ms);
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
      await Promise.race([Promise.all(running.values()), new Promise((resolve) => setTimeout(resolve, stopMs))]);
      isStopped = true;
      const abandoned = [...running];
      await client.close();
      await Promise.all(abandoned.map(([, sent]) => sent));
      await flush().catch((error: unknown) => logger.warn({ err: error }, 'results of webhooks could not be stored'));
    },
  };
}

function keyOf({ webhookId, resourceId }: Lane): string {
  return `${webhookId} ${resourceId}`;
}
