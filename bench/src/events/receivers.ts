import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The id of a request, and the time when its body was complete, in milliseconds since 1970. */
export type Arrival = readonly [id: string, atMs: number];

/**
 * Serves webhook receivers: `/fast` responds immediately, `/hang` never. `GET /arrivals` returns and clears the arrivals
 * at `/fast`.
 */
export async function serveReceivers(): Promise<void> {
  let arrivals: Arrival[] = [];
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      response.end(JSON.stringify(arrivals));
      arrivals = [];
      return;
    }
    request.resume();
    if (request.url?.startsWith('/hang')) return;
    request.on('end', () => {
      arrivals.push([String(request.headers['webhook-id'] ?? ''), Date.now()]);
      response.end();
    });
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.once('SIGTERM', () => process.exit());
  console.log(`The receivers are ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

/** Collects arrivals until there are `count`. @throws if there are fewer after `withinMs` */
export async function takeArrivals(url: string, count: number, withinMs: number): Promise<Arrival[]> {
  const arrivals: Arrival[] = [];
  const deadline = performance.now() + withinMs;
  while (arrivals.length < count && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    arrivals.push(...((await (await fetch(`${url}/arrivals`)).json()) as Arrival[]));
  }
  if (arrivals.length < count) throw new Error(`Only ${arrivals.length} of ${count} events arrived.`);
  return arrivals;
}
