import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The id of a request, and when its body had arrived, in milliseconds since 1970. */
export type Arrival = readonly [id: string, atMs: number];

/**
 * A process of receivers: `/fast` answers at once, `/hang` never. `GET /arrivals` returns and clears the arrivals at
 * `/fast`.
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

/** Collects arrivals until this number is reached. */
export async function takeArrivals(url: string, count: number, withinMs: number): Promise<Arrival[]> {
  const taken: Arrival[] = [];
  const until = performance.now() + withinMs;
  while (taken.length < count && performance.now() < until) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    taken.push(...((await (await fetch(`${url}/arrivals`)).json()) as Arrival[]));
  }
  if (taken.length < count) throw new Error(`Only ${taken.length} of ${count} events arrived.`);
  return taken;
}
