import { sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { connectionConfig, requestLimits } from './connect.ts';
import type { DB } from './tables.ts';
import { TimedClient } from './timed-client.ts';

/** What processes cache of the database, and drop when it changes; also what wakes jobs. */
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

/** What one transaction invalidated. */
export interface Invalidation {
  readonly cacheKeys: readonly CacheKey[];
  readonly number: number;
}

/** Cache invalidation between all processes on one database, by LISTEN/NOTIFY. */
export interface InvalidationBus {
  /** False while the connection is down: then nothing may be cached. */
  readonly isListening: () => boolean;
  /** `forget` may load again what it dropped; the invalidation is acknowledged when it has. */
  subscribe(cacheKey: CacheKey, forget: () => void | Promise<void>): void;
  publish(tx: Transaction<DB>, cacheKeys: readonly CacheKey[]): Promise<Invalidation>;
  /** Called after the commit. Waits until every listening process has acknowledged, at most one second. */
  waitForAcknowledgement(invalidation: Invalidation): Promise<void>;
  /** Listens on a new connection, as after a failover. */
  reconnect(): void;
  close(): Promise<void>;
}

const channel = 'foyer_invalidations';
const reconnectMs = 500;
const receiptMs = 1000;
const maxPending = 1000;
/** A connection that was lost without an error is noticed within both. */
const checkEveryMs = 2000;
const answerMs = 3000;
/** Sent to find out whether the connection still works. */
export const listenerCheck = 'select';

/** Which of how many listeners have acknowledged an invalidation. */
interface Acknowledgements {
  readonly listeners: number;
  readonly from: Set<string>;
  resolve: (() => void) | null;
}

export async function openInvalidationBus(
  connectionString: string,
  onError: (error: Error) => void,
): Promise<InvalidationBus> {
  const subscribers = new Map<CacheKey, (() => void | Promise<void>)[]>();
  const node = randomUUID();
  // An invalidation that is rolled back is never acknowledged; newer ones displace it.
  const pending = new LRUCache<number, Acknowledgements>({ max: maxPending });
  let published = 0;
  let client: TimedClient | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | null = null;

  /** All caches are dropped when this returns, and loaded again when it resolves. */
  async function forget(cacheKeys: readonly string[]): Promise<void> {
    const drops = cacheKeys.flatMap((cacheKey) => subscribers.get(cacheKey as CacheKey) ?? []);
    await Promise.all(drops.map((drop) => Promise.resolve(drop())));
  }
  function forgetEverything(): void {
    void forget([...subscribers.keys()]).catch(onError);
  }
  function receive(payload: string): void {
    const [kind = '', origin = '', number = '', word = ''] = payload.split(' ');
    if (kind === 'heard' && origin === node) acknowledge(Number(number), word);
    if (kind === 'news') void acknowledgeInvalidation(origin, number, word.split(',')).catch(onError);
  }
  async function acknowledgeInvalidation(origin: string, number: string, cacheKeys: readonly string[]): Promise<void> {
    await forget(cacheKeys);
    if (origin === node) acknowledge(Number(number), node);
    else await client?.query('select pg_notify($1, $2)', [channel, `heard ${origin} ${number} ${node}`]);
  }
  function acknowledge(number: number, by: string): void {
    const receipts = pending.get(number);
    if (!receipts) return;
    receipts.from.add(by);
    if (receipts.from.size >= receipts.listeners) receipts.resolve?.();
  }
  async function listen(): Promise<void> {
    const config = connectionConfig(connectionString, requestLimits);
    const next = new TimedClient({ ...config, application_name: channel, answerMs });
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
      if (closed) return;
      forgetEverything();
      retry = setTimeout(() => void reconnect(), reconnectMs);
    });
    await next.connect();
    await next.query(`listen ${channel}`);
    checks = setInterval(() => void next.query(listenerCheck).catch(() => undefined), checkEveryMs);
    client = next;
    forgetEverything();
  }
  async function reconnect(): Promise<void> {
    if (closed) return;
    try {
      await listen();
    } catch (error) {
      onError(error instanceof Error ? error : new Error(String(error)));
      if (!closed) retry = setTimeout(() => void reconnect(), reconnectMs);
    }
  }

  await listen();
  return {
    isListening: () => client !== null,
    subscribe(cacheKey, drop) {
      subscribers.set(cacheKey, [...(subscribers.get(cacheKey) ?? []), drop]);
    },
    async publish(tx, cacheKeys) {
      published++;
      const invalidation = { cacheKeys, number: published };
      const { rows } = await sql<{ listeners: number }>`
        select pg_notify(${channel}, ${`news ${node} ${invalidation.number} ${cacheKeys.join(',')}`}), (
          select count(*)::int from pg_stat_activity where datname = current_database() and application_name = ${channel}
        ) as listeners
      `.execute(tx);
      pending.set(invalidation.number, { listeners: rows[0]?.listeners ?? 0, from: new Set(), resolve: null });
      return invalidation;
    },
    async waitForAcknowledgement({ cacheKeys, number }) {
      await forget(cacheKeys);
      const receipts = pending.get(number);
      if (receipts && client !== null && receipts.from.size < receipts.listeners) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, receiptMs);
          receipts.resolve = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      pending.delete(number);
    },
    reconnect: () => client?.connection.stream.destroy(new Error('The connection is being replaced.')),
    async close() {
      closed = true;
      if (retry) clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
