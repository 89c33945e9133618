import { buildApi } from '../../../server/src/api.ts';
import { readLastPosition, listEventsAfter } from '../../../server/src/modules/events/store.ts';
import { runJob } from '../../../server/src/modules.ts';
import { createBenchApp } from '../create-bench-app.ts';
import { withClient } from '../database.ts';
import { recordQueries } from '../measure/record-statements.ts';
import type { Statement } from '../measure/recorded-requests.ts';
import { emitUpdates, type EventsOptions, type Room } from './bench-context.ts';

type Connection = Parameters<Parameters<typeof withClient<void>>[1]>[0];

const monthCount = 12;
const batchSize = 100_000;

/** Prints the query plans of the event list and stream with a year of stored events, and drops the oldest month. */
export async function measureStored({ installation, token, stored }: EventsOptions): Promise<string[]> {
  return await withClient(installation.connectionString, async (client) => {
    const app = await createBenchApp(installation);
    const { rows: rooms } = await client.query<Room>('select id, customer_id from rooms limit 1');
    await emitUpdates(app, rooms);
    await storeEvents(client, stored);
    const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
    const recorder = recordQueries();
    const lines = [`Stored: ${stored} events of a year, ${await sizeOf(client)}`];
    try {
      const { rows } = await client.query<{ id: string }>('select id from customers order by id limit 1');
      const { data } = (await (
        await server.inject({ url: '/api/v1/customers?limit=1', headers: { authorization: `Bearer ${token}` } })
      ).json()) as { data: { id: string }[] };
      const customer = data[0]?.id ?? rows[0]?.id ?? '';
      const paths = {
        'first page': '/events?limit=20&count=false',
        'page of a customer': `/events?limit=20&count=false&search=customer_id:${customer}`,
        'page of a name': '/events?limit=20&count=false&search=name:webhook.disabled&searchFields=name:=',
        'page of a part of a name': '/events?limit=20&count=false&search=name:disabled',
        'first page with its total': '/events?limit=20&skipCache=true',
      };
      const statements = new Map<string, Statement[]>();
      for (const [name, path] of Object.entries(paths)) {
        recorder.take();
        const answer = await server.inject({ url: `/api/v1${path}`, headers: { authorization: `Bearer ${token}` } });
        if (answer.statusCode !== 200) throw new Error(`Unexpected status ${answer.statusCode}: ${answer.body}`);
        statements.set(
          name,
          recorder.take().filter(({ text }) => /\bfrom "?events"?/.test(text)),
        );
      }
      const last = await readLastPosition(app.dependencies.db);
      recorder.take();
      await listEventsAfter(app.dependencies.db, { after: last - 200, last, limit: 200 }, null);
      statements.set('stream, the newest 200', recorder.take());
      await listEventsAfter(app.dependencies.db, { after: Math.floor(last / 2), last, limit: 200 }, null);
      statements.set('stream, resumed after half of them', recorder.take());
      recorder.end();
      for (const [name, recorded] of statements)
        for (const statement of recorded) lines.push(`  ${name}: ${await explain(client, statement)}`);
      lines.push(...(await dropOldestMonth(client, () => runJob(app.dependencies, 'prune-events'))));
      return lines;
    } finally {
      recorder.end();
      await server.close();
      await app.close();
    }
  });
}

/** Copies an event of a room over the last twelve months, and creates a partition for each month. */
async function storeEvents(client: Connection, count: number): Promise<void> {
  for (let month = 0; month <= monthCount; month++)
    await client.query(`select create_event_partition(now() - interval '1 month' * ${month})`);
  await client.query(`create temporary table model as
    select data, (select array_agg(id) from rooms) as rooms, (select array_agg(id) from customers) as customers
    from events where name = 'room.updated' limit 1`);
  const { rows } = await client.query<{ last: string }>('select last_position as last from event_log');
  const start = Number(rows[0]?.last ?? 0);
  // The copies get the positions after those of existing events, in order of time.
  for (let from = 1; from <= count; from += batchSize)
    await client.query(
      `insert into events (id, name, resource_type, resource_id, sequence, customer_id, actor_type, actor_name, data, occurred_at, position)
       select uuidv7(made - clock_timestamp()),
         case when number % 1000 = 0 then 'webhook.disabled' else 'room.updated' end, 'Room',
         rooms[1 + number % array_length(rooms, 1)], 1000000 + number,
         customers[1 + number % array_length(customers, 1)], 'system', 'system', data, made, ${start} + number
       from model, (
         select number, now() - interval '1 hour' - (${count} - number) * (interval '${monthCount} months' / ${count}) as made
         from generate_series(${from}, ${Math.min(count, from + batchSize - 1)}) number
       ) moments`,
    );
  await client.query('update event_log set last_position = $1', [start + count]);
  await client.query('vacuum analyze events');
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Index Name'?: string;
  readonly 'Actual Loops': number;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** The result of `explain (analyze, buffers)` for the second run: time, pages and plan nodes. */
async function explain(client: Connection, { text, values }: Statement): Promise<string> {
  const parameters = values.map((value) => (typeof value === 'object' && value !== null ? null : value));
  await client.query(text, parameters);
  const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode; 'Execution Time': number }] }>(
    `explain (analyze, buffers, format json) ${text}`,
    parameters,
  );
  const [answer] = rows[0]?.['QUERY PLAN'] ?? [];
  if (!answer) throw new Error('PostgreSQL returned no plan.');
  const { Plan: plan, 'Execution Time': ms } = answer;
  const counts = new Map<string, number>();
  for (const planNode of executedNodes(plan)) counts.set(planNode, (counts.get(planNode) ?? 0) + 1);
  const planNodes = Array.from(counts, ([planNode, count]) => (count === 1 ? planNode : `${count} × ${planNode}`));
  return `${ms.toFixed(2)} ms, ${plan['Shared Hit Blocks'] + plan['Shared Read Blocks']} pages: ${planNodes.join(' > ')}`;
}

/** The nodes that were executed, the outermost first, without the names of partitions. */
function executedNodes({ Plans: inner = [], ...node }: PlanNode): string[] {
  if (node['Actual Loops'] === 0) return [];
  const index = node['Index Name']?.replace(/^events_(?:\d{4}_\d\d|default)_/, '');
  return [`${node['Node Type']}${index === undefined ? '' : ` ${index}`}`, ...inner.flatMap(executedNodes)];
}

async function dropOldestMonth(client: Connection, prune: () => Promise<number>): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = 'events_published'::regclass and reltuples > 0 and relname <> 'events_default' order by relname limit 1`,
  );
  const name = rows[0]?.name ?? '';
  const size = await sizeOf(client, name);
  const startedMs = performance.now();
  await client.query(`drop table ${name}`);
  const droppedMs = performance.now() - startedMs;
  const jobStartedMs = performance.now();
  const removed = await prune();
  return [
    `  dropping ${name}, ${size}: ${droppedMs.toFixed(0)} ms`,
    `  the job prune-events, for events older than 90 days: ${(performance.now() - jobStartedMs).toFixed(0)} ms, ${removed} events and tables removed`,
  ];
}

async function sizeOf(client: Connection, table = 'events'): Promise<string> {
  const { rows } = await client.query<{ bytes: string; rows: string }>(
    `select coalesce(sum(pg_total_relation_size(relid)), 0)::text as bytes,
       coalesce(sum(reltuples) filter (where isleaf), 0)::text as rows
     from pg_partition_tree($1::regclass) join pg_class on pg_class.oid = relid`,
    [table],
  );
  return `${(Number(rows[0]?.bytes) / 1e6).toFixed(0)} MB`;
}
