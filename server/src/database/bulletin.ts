import { sql, type Transaction } from 'kysely';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { poolConfig } from './connect.ts';
import type { DB } from './tables.ts';

/** What processes remember of the database, and drop when it changes. */
export type Topic = 'access' | 'settings' | 'providers' | 'mails' | 'origins';

/** News between all processes on one database, by LISTEN/NOTIFY. */
export interface Bulletin {
  /** False while the connection is down: then nothing may be remembered. */
  readonly isListening: () => boolean;
  subscribe(topic: Topic, forget: () => void): void;
  publish(tx: Transaction<DB>, topic: Topic): Promise<void>;
  /** Waits until this process has heard of its own news, and with it every other one that listens. */
  delivered(topics: readonly Topic[]): Promise<void>;
  close(): Promise<void>;
}

const channel = 'foyer_bulletin';
const reconnectMs = 500;
const echoMs = 1000;

export async function openBulletin(connectionString: string, onError: (error: Error) => void): Promise<Bulletin> {
  const subscribers = new Map<Topic, (() => void)[]>();
  const node = randomUUID();
  let published = 0;
  let heard = 0;
  let waiting: { until: number; resolve: () => void }[] = [];
  let client: Client | null = null;
  let closed = false;
  let retry: NodeJS.Timeout | null = null;

  function forget(topic: Topic): void {
    for (const drop of subscribers.get(topic) ?? []) drop();
  }
  function forgetEverything(): void {
    for (const topic of subscribers.keys()) forget(topic);
  }
  function hear(payload: string): void {
    const [topic, origin, number] = payload.split(' ');
    forget(topic as Topic);
    if (origin !== node) return;
    heard = Math.max(heard, Number(number));
    waiting = waiting.filter(({ until, resolve }) => {
      if (until > heard) return true;
      resolve();
      return false;
    });
  }
  async function listen(): Promise<void> {
    const { types: _types, ...config } = poolConfig(connectionString);
    const next = new Client(config);
    next.on('notification', ({ payload }) => hear(payload ?? ''));
    next.on('error', (error) => {
      onError(error);
      void next.end().catch(() => undefined);
    });
    next.on('end', () => {
      if (client !== next) return;
      client = null;
      forgetEverything();
      if (!closed) retry = setTimeout(() => void reconnect(), reconnectMs);
    });
    await next.connect();
    await next.query(`listen ${channel}`);
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
    async publish(tx, topic) {
      published++;
      await sql`select pg_notify(${channel}, ${`${topic} ${node} ${published}`})`.execute(tx);
    },
    async delivered(topics) {
      for (const topic of topics) forget(topic);
      if (heard >= published || client === null) return;
      const until = published;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, echoMs);
        waiting.push({
          until,
          resolve: () => {
            clearTimeout(timer);
            resolve();
          },
        });
      });
    },
    async close() {
      closed = true;
      if (retry) clearTimeout(retry);
      await client?.end().catch(() => undefined);
    },
  };
}
