import { printEvent, publishAll } from '../../../server/src/modules/events/index.ts';
import { median } from '../measure/median.ts';
import { takeArrivals } from './receivers.ts';
import { emitUpdates, type BenchContext } from './bench-context.ts';

const eventsPerRoom = 5;
const eventCount = 20_000;
/** The maximum number of concurrent requests of a worker to one webhook. */
const connections = 64;
const goal = 0.5;

/** Compares the deliveries of one worker to one fast receiver with bare `fetch` of the same bodies. */
export async function measureThroughput(context: BenchContext): Promise<string[]> {
  const { admin, app, receivers, rounds } = context;
  const url = `${receivers.url}/fast`;
  const rooms = context.rooms.slice(0, eventCount / eventsPerRoom);
  const figures = { published: [] as number[], delivered: [] as number[], bare: [] as number[], cpu: [] as number[] };
  const { data: webhook } = await admin.createWebhook({ body: { url, events: ['room.updated'] } });
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < eventsPerRoom; turn++)
      for (let index = 0; index < rooms.length; index += 500) await emitUpdates(app, rooms.slice(index, index + 500));
    const beganMs = performance.now();
    await publishAll(app.dependencies);
    figures.published.push(eventCount / ((performance.now() - beganMs) / 1000));
    const worker = await context.startWorker();
    const before = await worker.usage();
    const instants = (await takeArrivals(receivers.url, eventCount, 300_000)).map(([, atMs]) => atMs);
    figures.cpu.push(((await worker.usage()).cpuMs - before.cpuMs) / eventCount);
    figures.delivered.push(perSecond(instants));
    await worker.stop();
    const bodies = await readBodies(context);
    await postAll(url, bodies);
    figures.bare.push(perSecond((await takeArrivals(receivers.url, eventCount, 300_000)).map(([, atMs]) => atMs)));
  }
  await admin.deleteWebhook({ params: { webhook_id: webhook.id } });
  const ratio = median(figures.delivered.map((delivered, round) => delivered / (figures.bare[round] ?? Number.NaN)));
  return [
    `Deliveries to one fast receiver, ${eventCount} events of ${rooms.length} rooms`,
    `  published and queued ${median(figures.published).toFixed(0)} per second`,
    `  delivered by a worker ${median(figures.delivered).toFixed(0)} per second, ${median(figures.cpu).toFixed(2)} ms of its CPU each; bare fetch, ${connections} at once, ${median(figures.bare).toFixed(0)}`,
    `  ${ratio >= goal ? 'reached     ' : 'not reached '} ratio of at least ${goal} (${ratio.toFixed(2)})`,
  ];
}

async function readBodies({ app }: BenchContext): Promise<string[]> {
  const rows = await app.dependencies.db
    .selectFrom('events')
    .selectAll()
    .where('name', '=', 'room.updated')
    .orderBy('position', 'desc')
    .limit(eventCount)
    .execute();
  return rows.map((row) => {
    const data = printEvent(row);
    return JSON.stringify({ type: row.name, timestamp: data['occurred_at'], data });
  });
}

function perSecond(instants: readonly number[]): number {
  const [first, last] = [Math.min(...instants), Math.max(...instants)];
  return (instants.length - 1) / ((last - first) / 1000);
}

async function postAll(url: string, bodies: readonly string[]): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
        const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
        await answer.arrayBuffer();
      }
    }),
  );
}
