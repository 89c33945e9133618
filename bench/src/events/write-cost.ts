import type { Client } from 'pg';
import type { CompiledQuery, QueryResult } from 'kysely';
import { PreparedConnection } from '../../../server/src/database/prepared-connection.ts';
import { buildApi } from '../../../server/src/api.ts';
import type { App } from '../../../server/src/app.ts';
import { createBenchApp } from '../create-bench-app.ts';
import { withClient } from '../database.ts';
import { cpuMsBetween, databaseCpuMs, processCpuMs } from '../measure/database-cpu.ts';
import { median } from '../measure/median.ts';
import { createScenarios } from '../scenarios.ts';
import type { BenchContext } from './bench-context.ts';

const connections = 16;
const goal = 0.05;
const turnSeconds = 0.5;

interface Turn {
  readonly perSecond: number;
  /** CPU time for each request. */
  readonly processMs: number;
  /** Null if the platform does not report it. */
  readonly databaseMs: number | null;
}

/**
 * Compares `POST /rooms/{id}/tokens` with the same request without its event: the resource is not printed for the
 * event, and the statement that inserts the audit entry inserts no row into `events`. Both run in this process,
 * without a network, while nothing publishes events. CPU time is compared, since other work on the machine affects it
 * less than the number of requests.
 */
export async function measureWriteCost({
  installation,
  rooms,
  rounds,
  seconds,
  token,
}: BenchContext): Promise<string[]> {
  const { create } = createScenarios(rooms.slice(0, 200).map(({ id }) => id));
  const events = patchEventInserts();
  const [app, reducedApp] = [await createBenchApp(installation), await createBenchApp(installation)];
  const options = { requireHttps: false, trustProxy: false, tls: null };
  const [complete, reduced] = [await buildApi(app, options), await buildApi(disableEventPrinting(reducedApp), options)];
  async function measureTurn(client: Client, server: typeof complete, forSeconds: number): Promise<Turn> {
    events.areSkipped = server === reduced;
    const [database, processMs] = [await databaseCpuMs(client), processCpuMs()];
    const startedMs = performance.now();
    const deadline = startedMs + forSeconds * 1000;
    let requestCount = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < deadline) {
          const answer = await server.inject({
            method: 'POST',
            url: create.paths[requestCount % create.paths.length] ?? '',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            payload: create.body ?? '',
          });
          if (answer.statusCode !== create.status)
            throw new Error(`Unexpected status ${answer.statusCode}: ${answer.body}`);
          requestCount += 1;
        }
      }),
    );
    const perSecond = requestCount / ((performance.now() - startedMs) / 1000);
    const databaseMs = cpuMsBetween(database, await databaseCpuMs(client));
    return {
      perSecond,
      processMs: (processCpuMs() - processMs) / requestCount,
      databaseMs: databaseMs && databaseMs / requestCount,
    };
  }
  try {
    const turns = { with: [] as Turn[], without: [] as Turn[] };
    await withClient(installation.connectionString, async (client) => {
      for (const server of [complete, reduced]) await measureTurn(client, server, 2);
      // Short turns next to each other, so that other work on the machine affects both alike.
      const pairs = Math.ceil((rounds * seconds * 2) / turnSeconds);
      for (let pair = 0; pair < pairs; pair++) {
        const order = pair % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
        for (const kind of order)
          turns[kind].push(await measureTurn(client, kind === 'with' ? complete : reduced, turnSeconds));
      }
    });
    const medianOf = (kind: keyof typeof turns, read: (one: Turn) => number) => median(turns[kind].map(read));
    const cpuMs = ({ processMs, databaseMs }: Turn) => processMs + (databaseMs ?? 0);
    const cost = median(turns.with.map((one, pair) => cpuMs(one) / cpuMs(turns.without[pair] ?? one) - 1));
    return [
      'POST /rooms/{id}/tokens with and without its event (one process, no network)',
      ...(['with', 'without'] as const).map(
        (kind) =>
          `  ${kind.padEnd(7)} ${medianOf(kind, ({ perSecond }) => perSecond).toFixed(0)} per second, ${medianOf(kind, ({ processMs }) => processMs).toFixed(3)} ms of CPU in the process and ${medianOf(kind, ({ databaseMs }) => databaseMs ?? Number.NaN).toFixed(3)} ms in PostgreSQL each`,
      ),
      `  ${cost <= goal ? 'reached     ' : 'not reached '} cost of at most ${goal * 100} % of the CPU time (${(cost * 100).toFixed(1)} %)`,
    ];
  } finally {
    events.end();
    await Promise.all([complete.close(), reduced.close()]);
    await Promise.all([app.close(), reducedApp.close()]);
  }
}

function disableEventPrinting(app: App): App {
  const emptyEvent = { data: {}, previous: null };
  const eventPrinter = {
    print: async (_tx: unknown, all: readonly unknown[]) => all.map(() => emptyEvent),
    printFromRows: () => emptyEvent,
  };
  return { ...app, dependencies: { ...app.dependencies, eventPrinter } };
}

/** Removes `insert into events` from the statements of this process while `areSkipped`. */
function patchEventInserts(): { areSkipped: boolean; end(): void } {
  const { prototype } = PreparedConnection;
  const original = prototype.executeQuery;
  const reduced = new Map<string, string>();
  const patch = { areSkipped: false, end: () => void (prototype.executeQuery = original) };
  prototype.executeQuery = async function executeQuery<Row>(this: PreparedConnection, query: CompiledQuery) {
    if (!patch.areSkipped)
      return await original.call<PreparedConnection, [CompiledQuery], Promise<QueryResult<Row>>>(this, query);
    const sql = reduced.get(query.sql) ?? query.sql.replace(/insert into events(?:_unpublished)? \([^)]*\)/, '');
    reduced.set(query.sql, sql);
    return await original.call<PreparedConnection, [CompiledQuery], Promise<QueryResult<Row>>>(this, { ...query, sql });
  };
  return patch;
}
