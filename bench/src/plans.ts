import type { Child } from './child.ts';
import { withClient } from './database.ts';

/** Query plans of the first page, the total, a late page and one room. */
export async function explainPlans(connectionString: string, roomId: string): Promise<string> {
  const statements = [
    'select rooms.* from rooms order by created_at desc, id desc limit 21',
    'select rooms.* from rooms order by created_at desc, id desc limit 21 offset 100000',
    'select count(*)::int as total from rooms',
    `select * from rooms where id = '${roomId}'`,
  ];
  return await withClient(connectionString, async (client) => {
    const plans: string[] = [];
    for (const statement of statements) {
      await client.query(statement);
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (analyze, buffers) ${statement}`);
      plans.push(`\n${statement}\n${rows.map((row) => `  ${row['QUERY PLAN']}`).join('\n')}`);
    }
    return plans.join('\n');
  });
}

/** Reads all rooms in one response and records the memory of the server. */
export async function streamAll(server: Child, token: string): Promise<string> {
  const rss: number[] = [(await server.usage()).rssBytes];
  const timer = setInterval(() => void server.usage().then(({ rssBytes }) => rss.push(rssBytes)), 100);
  const startedMs = performance.now();
  let firstMs = 0;
  let bytes = 0;
  const response = await fetch(`${server.url}/api/v1/rooms?limit=0`, { headers: { authorization: `Bearer ${token}` } });
  for await (const chunk of response.body ?? []) {
    firstMs ||= performance.now() - startedMs;
    bytes += (chunk as Uint8Array).byteLength;
  }
  const elapsed = performance.now() - startedMs;
  clearInterval(timer);
  const megabytes = (figure: number) => (figure / 1_000_000).toFixed(0);
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const part = rss.slice(Math.floor((rss.length * quarter) / 4), Math.ceil((rss.length * (quarter + 1)) / 4));
    return megabytes(Math.max(...part));
  });
  return `
GET /rooms?limit=0: ${megabytes(bytes)} MB in ${(elapsed / 1000).toFixed(1)} s, the first byte after ${firstMs.toFixed(0)} ms
  RSS before ${megabytes(rss[0] ?? 0)} MB, peaks of ${quarters.join(', ')} MB in the quarters of the response`;
}
