import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { App } from '../app.ts';
import { modules } from '../modules.ts';
import { createGauges } from '../platform/gauges.ts';
import { createReadinessCheck } from './readiness.ts';

/** `/healthz`: the process answers. `/readyz`: requests can be served. `/metrics`: figures for Prometheus. */
export function registerProbes(server: FastifyInstance, app: App): void {
  const { pools, dependencies } = app;
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const durations = new Histogram({
    name: 'foyer_http_request_seconds',
    help: 'Time until the answer was sent, by method, route and status.',
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
  const refreshGauges = createGauges(
    modules.flatMap(({ gauges = [] }) => gauges),
    {
      registry: metrics,
      context: dependencies,
      onFailure: (error) => dependencies.logger.warn({ reason: String(error) }, 'metrics could not be read'),
    },
  );
  server.addHook('onResponse', (request, reply, done) => {
    const route = request.routeOptions.url ?? 'unknown';
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000);
    done();
  });
  server.get('/healthz', async () => ({ status: 'ok' }));
  const readiness = createReadinessCheck(app);
  server.get('/readyz', async (_request, reply) => {
    const answer = await readiness();
    if (answer.status === 'unavailable') reply.status(503).header('retry-after', '5');
    return await reply.send(answer);
  });
  server.get('/metrics', async (_request, reply) => {
    await refreshGauges();
    reply.header('content-type', metrics.contentType);
    return await metrics.metrics();
  });
}
