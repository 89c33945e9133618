import { sql, type Transaction } from 'kysely';
import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { connectionConfig, requestLimits } from './connect.ts';
import type { DB } from './tables.ts';
import { TimedClient } from './timed-client.ts';

/** What processes remember of the database, and drop when it changes. */
export type Topic =
  | 'access'
  | 'settings'
  | 'providers'
  | 'mails'
  | 'origins'
  | 'room-tokens'
  | 'minutes'
  | 'provider-checks';

/** What was announced in one transaction. */
export interface News {
  readonly topics: readonly Topic[];
  readonly number: number;
}

/** News between all processes on one database, by LISTEN/NOTIFY. */
export interface Bulletin {
  /** False while the connection is down: then nothing may be remembered. */
  readonly isListening: () => boolean;
  /** `forget` may read anew what it dropped; the news counts as heard when it has. */
  subscribe(topic: Topic, forget: () => void | Promise<void>): void;
  publish(tx: Transaction<DB>, topics: readonly Topic[]): Promise<News>;
  /** After the commit: waits until every process that listens has forgotten; not longer than a second. */
  delivered(news: News): Promise<void>;
  /** Listens on a new connection, as after a failover. */
  reconnect(): void;
  close(): Promise<void>;
}

const channel = 'foyer_bulletin';
const reconnectMs = 500;
const receiptMs = 1000;
const mostUnderWay = 1000;
/** A connection that was lost without a word is noticed within both. */
const checkEveryMs = 2000;
const answerMs = 3000;
/** What is sent to find out whether the connection is still there. */
export const listenerCheck = 'select';

/** Who of how many listeners has heard one news. */
interface Receipts {
  readonly listeners: number;
  readonly from: Set<string>;
  resolve: (() => void) | null;
}

export async function openBulletin(connectionString: string, onError: (error: Error) => void): Promise<Bulletin> {
  const subscribers = new Map<Topic, (() => void | Promise<void>)[]>();
  const node = randomUUID();
  // What is rolled back is never heard of, and makes room in time.
  const underWay = new LRUCache<number, Receipts>({ max: mostUnderWay });
  let published = 0;
  let client: TimedClient | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | null = null;

  /** Everything is dropped before this returns; what is read anew takes until it resolves. */
  async function forget(topics: readonly string[]): Promise<void> {
    const drops = topics.flatMap((topic) => subscribers.get(topic as Topic) ?? []);
    await Promise.all(drops.map((drop) => Promise.resolve(drop())));
  }
  function forgetEverything(): void {
    void forget([...subscribers.keys()]).catch(onError);
  }
  function hear(payload: string): void {
    const [kind = '', origin = '', number = '', word = ''] = payload.split(' ');
    if (kind === 'heard' && origin === node) acknowledge(Number(number), word);
    if (kind === 'news') void answerNews(origin, number, word.split(',')).catch(onError);
  }
  async function answerNews(origin: string, number: string, topics: readonly string[]): Promise<void> {
    await forget(topics);
    if (origin === node) acknowledge(Number(number), node);
    else await client?.query('select pg_notify($1, $2)', [channel, `heard ${origin} ${number} ${node}`]);
  }
  function acknowledge(number: number, by: string): void {
    const receipts = underWay.get(number);
    if (!receipts) return;
    receipts.from.add(by);
    if (receipts.from.size >= receipts.listeners) receipts.resolve?.();
  }
  async function listen(): Promise<void> {
    const config = connectionConfig(connectionString, requestLimits);
    const next = new TimedClient({ ...config, application_name: channel, answerMs });
    next.on('notification', ({ payload }) => hear(payload ?? ''));
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
    subscribe(topic, drop) {
      subscribers.set(topic, [...(subscribers.get(topic) ?? []), drop]);
    },
    async publish(tx, topics) {
      published++;
      const news = { topics, number: published };
      const { rows } = await sql<{ listeners: number }>`
        select pg_notify(${channel}, ${`news ${node} ${news.number} ${topics.join(',')}`}), (
          select count(*)::int from pg_stat_activity where datname = current_database() and application_name = ${channel}
        ) as listeners
      `.execute(tx);
      underWay.set(news.number, { listeners: rows[0]?.listeners ?? 0, from: new Set(), resolve: null });
      return news;
    },
    async delivered({ topics, number }) {
      await forget(topics);
      const receipts = underWay.get(number);
      if (receipts && client !== null && receipts.from.size < receipts.listeners) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, receiptMs);
          receipts.resolve = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      underWay.delete(number);
    },
    reconnect: () => client?.connection.stream.destroy(new Error('The connection is replaced.')),
    async close() {
      closed = true;
      if (retry) clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
