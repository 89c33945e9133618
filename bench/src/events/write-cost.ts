import type { CompiledQuery, QueryResult } from 'kysely';
import { PreparedConnection } from '../../../server/src/database/prepared-connection.ts';
import { buildApi } from '../../../server/src/api.ts';
import type { App } from '../../../server/src/app.ts';
import { createBenchApp } from '../create-bench-app.ts';
import { median } from '../measure/median.ts';
import { scenariosOf } from '../scenarios.ts';
import type { Setting } from './setting.ts';

const connections = 16;
const goal = 0.05;
const turnSeconds = 0.5;

/**
 * Compares `POST /rooms/{id}/tokens` with the same request without its event: the resource is not printed for the
 * event, and the statement that inserts the audit entry inserts no row into `events`. Both run in this process,
 * without a network, while nothing publishes events.
 */
export async function measureWriteCost({ installation, rooms, rounds, seconds, token }: Setting): Promise<string[]> {
  const { create } = scenariosOf(rooms.slice(0, 200).map(({ id }) => id));
  const events = withoutEventRows();
  const [app, other] = [await createBenchApp(installation), await createBenchApp(installation)];
  const options = { requireHttps: false, trustProxy: false, tls: null };
  const [complete, reduced] = [await buildApi(app, options), await buildApi(withoutPrinting(other), options)];
  async function perSecond(server: typeof complete, forSeconds: number): Promise<number> {
    events.areSkipped = server === reduced;
    const startedMs = performance.now();
    const until = startedMs + forSeconds * 1000;
    let done = 0;
    await Promise.all(
      Array.from({ length: connections }, async () => {
        while (performance.now() < until) {
          const answer = await server.inject({
            method: 'POST',
            url: create.paths[done % create.paths.length] ?? '',
            headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            payload: create.body ?? '',
          });
          if (answer.statusCode !== create.status)
            throw new Error(`Answered with ${answer.statusCode}: ${answer.body}`);
          done += 1;
        }
      }),
    );
    return done / ((performance.now() - startedMs) / 1000);
  }
  try {
    const figures = { with: [] as number[], without: [] as number[], cost: [] as number[] };
    for (const server of [complete, reduced]) await perSecond(server, 2);
    // Short turns next to each other, so that other work on the machine affects both alike.
    const pairs = Math.ceil((rounds * seconds * 2) / turnSeconds);
    for (let pair = 0; pair < pairs; pair++) {
      const order = pair % 2 === 0 ? [complete, reduced] : [reduced, complete];
      const turns = new Map<typeof complete, number>();
      for (const server of order) turns.set(server, await perSecond(server, turnSeconds));
      const [withEvents = 0, without = 0] = [turns.get(complete), turns.get(reduced)];
      figures.with.push(withEvents);
      figures.without.push(without);
      figures.cost.push(1 - withEvents / without);
    }
    const cost = median(figures.cost);
    return [
      'POST /rooms/{id}/tokens with and without its event (one process, no network)',
      `  ${median(figures.with).toFixed(0)} and ${median(figures.without).toFixed(0)} per second`,
      `  ${cost <= goal ? 'reached     ' : 'not reached '} cost of at most ${goal * 100} % (${(cost * 100).toFixed(1)} %)`,
    ];
  } finally {
    events.end();
    await Promise.all([complete.close(), reduced.close()]);
    await Promise.all([app.close(), other.close()]);
  }
}

function withoutPrinting(app: App): App {
  const nothing = { data: {}, previous: null };
  const eventPrinter = {
    print: async (_tx: unknown, all: readonly unknown[]) => all.map(() => nothing),
    printFromRows: () => nothing,
  };
  return { ...app, dependencies: { ...app.dependencies, eventPrinter } };
}

/** Removes `insert into events` from the statements of this process while `areSkipped`. */
function withoutEventRows(): { areSkipped: boolean; end(): void } {
  const { prototype } = PreparedConnection;
  const original = prototype.executeQuery;
  const self = { areSkipped: false, end: () => void (prototype.executeQuery = original) };
  prototype.executeQuery = async function executeQuery<Row>(this: PreparedConnection, query: CompiledQuery) {
    const sql = self.areSkipped ? query.sql.replace(/insert into events \([^)]*\)/, '') : query.sql;
    return await original.call<PreparedConnection, [CompiledQuery], Promise<QueryResult<Row>>>(this, { ...query, sql });
  };
  return self;
}
