import { printIdentifier, type Uuid } from '../../../server/src/platform/identity/identifier.ts';
import { withClient } from '../database.ts';
import { takeArrivals } from './receivers.ts';
import { emitUpdates, type Room, type BenchContext } from './bench-context.ts';

const webhookCount = 1000;
const eventsPerSecond = 100;
/** Runs before the measurement, so that the failing receivers have their first time-outs. */
const warmUpSeconds = 20;

/**
 * Measures the time from the commit of an event to its arrival at the receiver. Each webhook belongs to a different
 * customer. 5 % of the receivers hang and 5 % refuse connections; events are emitted for them too.
 */
export async function measureDelay(context: BenchContext): Promise<string[]> {
  const { admin, app, installation, receivers, rounds, seconds } = context;
  const byCustomer = new Map(context.rooms.map((room) => [room.customer_id, [] as Room[]]));
  for (const room of context.rooms) byCustomer.get(room.customer_id)?.push(room);
  const customers = [...byCustomer.keys()].slice(0, webhookCount);
  if (customers.length < webhookCount)
    throw new Error(`Measuring the delay needs at least ${webhookCount} customers, but there are ${customers.length}.`);
  const healthy = new Set<string>();
  for (const [index, customer] of customers.entries()) {
    const kind = index % 20 === 0 ? 'hang' : index % 20 === 10 ? 'dead' : 'fast';
    if (kind === 'fast') healthy.add(customer);
    // Nothing listens on port 1.
    const url = kind === 'dead' ? 'http://127.0.0.1:1/' : `${receivers.url}/${kind}/${index}`;
    const customer_id = printIdentifier('cust', customer);
    await admin.createWebhook({ body: { url, events: ['room.*'], customer_id } });
  }
  const worker = await context.startWorker();
  const committed = new Map<string, number>();
  let next = 0;
  async function emitFor(forSeconds: number): Promise<number> {
    const startedMs = performance.now();
    const pending: Promise<void>[] = [];
    let expectedArrivals = 0;
    for (let count = 0; count < forSeconds * eventsPerSecond; count++) {
      const waitMs = startedMs + (count * 1000) / eventsPerSecond - performance.now();
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      // Coprime to the number of customers: each customer has its turn before the first one repeats.
      const customer = customers[(next * 7) % customers.length] ?? '';
      const rooms = byCustomer.get(customer) ?? [];
      const room = rooms[Math.floor(next / customers.length) % rooms.length];
      next += 1;
      if (!room) continue;
      if (healthy.has(customer)) expectedArrivals += 1;
      pending.push(emitUpdates(app, [room]).then(() => void committed.set(room.id, Date.now())));
    }
    await Promise.all(pending);
    return expectedArrivals;
  }
  await takeArrivals(receivers.url, await emitFor(warmUpSeconds), 60_000);
  committed.clear();
  const arrivals = await takeArrivals(receivers.url, await emitFor(rounds * seconds), 60_000);
  await worker.stop();
  const delays = await withClient(installation.connectionString, async (client) => {
    const { rows } = await client.query<{ id: Uuid; resource_id: string }>(
      `select distinct on (resource_id) id, resource_id from events
       where resource_id = any($1::uuid[]) order by resource_id, sequence desc`,
      [[...committed.keys()]],
    );
    const commits = new Map(rows.map(({ id, resource_id: room }) => [printIdentifier('evt', id), committed.get(room)]));
    return arrivals.flatMap(([id, atMs]) => {
      const commit = commits.get(id);
      return commit === undefined ? [] : [atMs - commit];
    });
  });
  delays.sort((one, other) => one - other);
  const percentile = (part: number) =>
    delays[Math.min(delays.length - 1, Math.floor(delays.length * part))] ?? Number.NaN;
  return [
    `Delay from commit to arrival, ${eventsPerSecond} events per second, ${webhookCount} webhooks, 5 % with receivers that hang, 5 % with receivers that refuse connections`,
    `  of ${delays.length} events: median ${percentile(0.5)} ms, 99 % in ${percentile(0.99)} ms, at most ${percentile(1)} ms`,
    `  ${percentile(0.5) < 1000 ? 'reached     ' : 'not reached '} less than a second at the median`,
  ];
}
