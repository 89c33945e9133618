import { createBenchApp } from '../create-bench-app.ts';
import { withClient } from '../database.ts';
import { printLine } from '../measure/print-line.ts';
import { measureDelay } from './delay.ts';
import type { EventsOptions, Room, BenchContext } from './bench-context.ts';
import { measureStored } from './stored-events.ts';
import { measureThroughput } from './throughput.ts';
import { measureWriteCost } from './write-cost.ts';

/** Measures deliveries to webhooks, the cost of events for a write, and reads of many stored events. */
export async function benchEvents(options: EventsOptions): Promise<string> {
  await options.admin.updateSettings({ body: { webhooks_allow_private_addresses: true } });
  const rooms = await withClient(options.installation.connectionString, async (client) => {
    const { rows } = await client.query<Room>('select id, customer_id from rooms order by random()');
    return rows;
  });
  const app = await createBenchApp(options.installation);
  const context: BenchContext = { ...options, app, rooms };
  try {
    for (const measure of [measureThroughput, measureWriteCost, measureDelay])
      printLine(`${(await measure(context)).join('\n')}\n`);
  } finally {
    await app.close();
  }
  return (await measureStored(options)).join('\n');
}
