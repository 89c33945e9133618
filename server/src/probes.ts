import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { House } from './compose.ts';
import { pendingMigrations, readMigrations } from './database/migrate.ts';
import { createProviderGauges } from './provider-gauges.ts';

/** `/healthz`: the process answers. `/readyz`: the database answers and is migrated. `/metrics`: figures for Prometheus. */
export function registerProbes(app: FastifyInstance, { connection, pools, bulletin, dependencies }: House): void {
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const durations = new Histogram({
    name: 'foyer_http_request_seconds',
    help: 'Time until an answer was sent, by method, route and status.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [metrics],
  });
  new Gauge({
    name: 'foyer_database_connections',
    help: 'Connections of this process to the database, by pool and state.',
    labelNames: ['pool', 'state'],
    registers: [metrics],
    collect() {
      for (const [name, { pool }] of Object.entries(pools)) {
        this.set({ pool: name, state: 'open' }, pool.totalCount);
        this.set({ pool: name, state: 'idle' }, pool.idleCount);
        this.set({ pool: name, state: 'waited_for' }, pool.waitingCount);
      }
    },
  });
  const readProviders = createProviderGauges(metrics, dependencies);
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
  });
  app.get('/healthz', async () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    try {
      const pending = await pendingMigrations((text) => connection.pool.query(text), await readMigrations());
      const ready = pending.length === 0 && bulletin.isListening();
      return await reply
        .status(ready ? 200 : 503)
        .send({ status: ready ? 'ok' : 'unavailable', pending_migrations: pending });
    } catch {
      return await reply.status(503).header('retry-after', '5').send({ status: 'unavailable' });
    }
  });
  app.get('/metrics', async (_request, reply) => {
    await readProviders();
    reply.header('content-type', metrics.contentType);
    return await metrics.metrics();
  });
}
