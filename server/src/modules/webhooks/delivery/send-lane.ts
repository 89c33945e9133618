import { type SecretBox, SecretUnreadable } from '../../../platform/crypto/secret-box.ts';
import { printIdentifier } from '../../../platform/identity/identifier.ts';
import type { Clock } from '../../../platform/time/clock.ts';
import { epochMs } from '../../../platform/time/instant.ts';
import { type EventRow, printEvent } from '../../events/index.ts';
import { openSecrets } from '../requests/signature.ts';
import type { WebhookClient } from '../requests/webhook-client.ts';
import type { Attempt } from '../transformer.ts';
import { type Completion, goneStatus } from './complete-deliveries.ts';
import type { PendingDelivery } from './delivery-store.ts';
import type { SendWindows } from './send-windows.ts';

export interface SendContext {
  readonly clock: Clock;
  readonly secretBox: Pick<SecretBox, 'open'>;
  readonly client: WebhookClient;
  readonly windows: SendWindows;
  readonly complete: (completion: Completion) => void;
  readonly isStopped: () => boolean;
}

/** After this time, no further delivery of the lane is started, so that the last one ends within the lease. */
const maxLaneMs = 30_000;

/** Sends the deliveries one after the other, until one fails. */
export async function sendLane(
  context: SendContext,
  deliveries: readonly PendingDelivery[],
  events: ReadonlyMap<string, EventRow>,
): Promise<void> {
  const { clock, windows, complete, isStopped } = context;
  const startedMs = performance.now();
  for (const delivery of deliveries) {
    if (isStopped() || windows.isClosed(delivery.id) || performance.now() - startedMs > maxLaneMs) return;
    if (delivery.next_attempt_at !== null && epochMs(delivery.next_attempt_at) > clock.nowMs()) return;
    const attempt = await attemptDelivery(context, delivery, events.get(delivery.event_id));
    if (isStopped()) return;
    if (attempt.status_code === goneStatus) windows.close(delivery.id);
    if (attempt.error === null) windows.succeed(delivery.id);
    else windows.fail(delivery.id);
    complete({ delivery, attempt });
    if (attempt.error !== null) return;
  }
}

async function attemptDelivery(
  { clock, secretBox, client }: SendContext,
  delivery: PendingDelivery,
  event: EventRow | undefined,
): Promise<Attempt> {
  if (!event) return failure(clock.nowMs(), 'The event is no longer kept.');
  const data = printEvent(event);
  try {
    return await client.send({
      url: delivery.url,
      id: printIdentifier('evt', event.id),
      body: JSON.stringify({ type: event.name, timestamp: data['occurred_at'], data }),
      secrets: await openSecrets(secretBox, delivery, clock.now()),
      sentAtMs: clock.nowMs(),
    });
  } catch (error) {
    if (!(error instanceof SecretUnreadable)) throw error;
    return failure(clock.nowMs(), 'The secret of the webhook cannot be decrypted. Rotate it.');
  }
}

function failure(atMs: number, error: string): Attempt {
  return { at: new Date(atMs).toISOString(), status_code: null, duration_ms: 0, error, response: null };
}
