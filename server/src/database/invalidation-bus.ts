import { sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { connectionConfig, requestLimits } from './connect.ts';
import type { DB } from './tables.ts';
import { TimedClient } from './timed-client.ts';

/** The caches of database contents that processes drop when it changes. Invalidations also wake jobs. */
export type CacheKey =
  | 'access'
  | 'settings'
  | 'providers'
  | 'mails'
  | 'notifications'
  | 'origins'
  | 'room-tokens'
  | 'minutes'
  | 'provider-checks'
  | 'streams';

/** The cache keys that a transaction invalidated. */
export interface Invalidation {
  readonly cacheKeys: readonly CacheKey[];
  readonly number: number;
}

/** Cache invalidation between all processes on one database, by LISTEN/NOTIFY. */
export interface InvalidationBus {
  /** False while the connection is down. Nothing may be cached then. */
  readonly isListening: () => boolean;
  /** `drop` may also reload the cache. The invalidation is acknowledged when `drop` resolves. */
  subscribe(cacheKey: CacheKey, drop: () => void | Promise<void>): void;
  publish(tx: Transaction<DB>, cacheKeys: readonly CacheKey[]): Promise<Invalidation>;
  /** Called after the commit. Waits until every listening process has acknowledged, at most one second. */
  waitForAcknowledgement(invalidation: Invalidation): Promise<void>;
  /** Listens on a new connection, for example after a failover. */
  reconnect(): void;
  close(): Promise<void>;
}

const channel = 'foyer_invalidations';
const reconnectMs = 500;
const acknowledgementMs = 1000;
const maxPending = 1000;
/** A connection that was lost without an error is detected within the sum of these two times. */
const checkEveryMs = 2000;
const checkTimeoutMs = 3000;
/** The statement that checks the connection. */
export const listenerCheck = 'select';

/** The listeners that have acknowledged an invalidation. */
interface Acknowledgements {
  readonly listenerCount: number;
  /** Ids of the processes. */
  readonly acknowledgedBy: Set<string>;
  resolve: (() => void) | null;
}

export async function openInvalidationBus(
  connectionString: string,
  onError: (error: Error) => void,
): Promise<InvalidationBus> {
  const subscribers = new Map<CacheKey, (() => void | Promise<void>)[]>();
  const node = randomUUID();
  // An invalidation that is rolled back is never acknowledged. Newer ones evict it.
  const pending = new LRUCache<number, Acknowledgements>({ max: maxPending });
  let lastNumber = 0;
  let client: TimedClient | null = null;
  let isClosed = false;
  let retry: NodeJS.Timeout | null = null;

  /** Drops all caches synchronously; resolves when they are loaded again. */
  async function dropCaches(cacheKeys: readonly string[]): Promise<void> {
    const drops = cacheKeys.flatMap((cacheKey) => subscribers.get(cacheKey as CacheKey) ?? []);
    await Promise.all(drops.map((drop) => Promise.resolve(drop())));
  }
  function dropAll(): void {
    void dropCaches([...subscribers.keys()]).catch(onError);
  }
  function receive(payload: string): void {
    const [kind = '', origin = '', number = '', content = ''] = payload.split(' ');
    if (kind === 'acknowledge' && origin === node) acknowledge(Number(number), content);
    if (kind === 'invalidate') void acknowledgeInvalidation(origin, number, content.split(',')).catch(onError);
  }
  async function acknowledgeInvalidation(origin: string, number: string, cacheKeys: readonly string[]): Promise<void> {
    await dropCaches(cacheKeys);
    if (origin === node) acknowledge(Number(number), node);
    else await client?.query('select pg_notify($1, $2)', [channel, `acknowledge ${origin} ${number} ${node}`]);
  }
  function acknowledge(number: number, listener: string): void {
    const acknowledgements = pending.get(number);
    if (!acknowledgements) return;
    acknowledgements.acknowledgedBy.add(listener);
    if (acknowledgements.acknowledgedBy.size >= acknowledgements.listenerCount) acknowledgements.resolve?.();
  }
  async function listen(): Promise<void> {
    const config = connectionConfig(connectionString, requestLimits);
    const next = new TimedClient({ ...config, application_name: channel, responseTimeoutMs: checkTimeoutMs });
    next.on('notification', ({ payload }) => receive(payload ?? ''));
    next.on('error', (error) => {
      onError(error);
      void next.end().catch(() => undefined);
    });
    let checks: NodeJS.Timeout | undefined;
    next.on('end', () => {
      clearInterval(checks);
      if (client !== next) return;
      client = null;
      if (isClosed) return;
      dropAll();
      retry = setTimeout(() => void reconnect(), reconnectMs);
    });
    await next.connect();
    await next.query(`listen ${channel}`);
    checks = setInterval(() => void next.query(listenerCheck).catch(() => undefined), checkEveryMs);
    client = next;
    dropAll();
  }
  async function reconnect(): Promise<void> {
    if (isClosed) return;
    try {
      await listen();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      if (!isClosed) retry = setTimeout(() => void reconnect(), reconnectMs);
    }
  }

  await listen();
  return {
    isListening: () => client !== null,
    subscribe(cacheKey, drop) {
      subscribers.set(cacheKey, [...(subscribers.get(cacheKey) ?? []), drop]);
    },
    async publish(tx, cacheKeys) {
      lastNumber++;
      const invalidation = { cacheKeys, number: lastNumber };
      const { rows } = await sql<{ listeners: number }>`
        select pg_notify(${channel}, ${`invalidate ${node} ${invalidation.number} ${cacheKeys.join(',')}`}), (
          select count(*)::int from pg_stat_activity where datname = current_database() and application_name = ${channel}
        ) as listeners
      `.execute(tx);
      pending.set(invalidation.number, {
        listenerCount: rows[0]?.listeners ?? 0,
        acknowledgedBy: new Set(),
        resolve: null,
      });
      return invalidation;
    },
    async waitForAcknowledgement({ cacheKeys, number }) {
      await dropCaches(cacheKeys);
      const acknowledgements = pending.get(number);
      const isMissingAny = acknowledgements && acknowledgements.acknowledgedBy.size < acknowledgements.listenerCount;
      if (isMissingAny && client !== null) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, acknowledgementMs);
          acknowledgements.resolve = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      pending.delete(number);
    },
    reconnect: () => client?.connection.stream.destroy(new Error('The connection is being replaced.')),
    async close() {
      isClosed = true;
      if (retry) clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
