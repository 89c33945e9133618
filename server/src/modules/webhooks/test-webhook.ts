import { exampleEvent } from '@foyer/contract/openapi/examples/example-event.ts';
import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { Dependencies } from '../../dependencies.ts';
import type { Uuid } from '../../platform/identity/identifier.ts';
import { newUuid, printIdentifier, printUlid } from '../../platform/identity/identifier.ts';
import { printInstant } from '../../platform/time/instant.ts';
import type { WebhookClient } from './requests/webhook-client.ts';
import { openSecrets } from './requests/signature.ts';
import { requireWebhook } from './store.ts';
import type { Attempt } from './transformer.ts';

/** Sends an example of the event to the webhook. The request is not stored as a delivery. @throws 404 */
export async function testWebhook(
  dependencies: Dependencies,
  client: WebhookClient,
  id: Uuid,
  name: EventName,
): Promise<Attempt> {
  const webhook = await requireWebhook(dependencies.db, id);
  const now = dependencies.clock.now();
  const uuid = newUuid();
  const eventId = printIdentifier('evt', uuid);
  const timestamp = printInstant(now);
  const data = { ...exampleEvent(name), id: eventId, uuid, ulid: printUlid(uuid), occurred_at: timestamp };
  return await client.send({
    url: webhook.url,
    id: eventId,
    body: JSON.stringify({ type: name, timestamp, test: true, data }),
    secrets: await openSecrets(dependencies.secretBox, webhook, now),
    sentAtMs: dependencies.clock.nowMs(),
  });
}
