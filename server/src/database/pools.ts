import { connect, type Connection, type ConnectionLimits, type ConnectOptions } from './connect.ts';

/**
 * The connection pools of this process, by purpose. A request or job that holds a connection of a pool never takes a
 * second one of that pool, so that requests cannot deadlock on the pool.
 */
export interface Pools {
  /** Statements and transactions of requests. */
  readonly requests: Connection;
  /** Statements that commit independently of the request's transaction. */
  readonly separate: Connection;
  /** Unlimited lists and reports, which hold a connection while the client reads. */
  readonly streams: Connection;
  /** Statements and transactions of the worker's jobs. */
  readonly jobs: Connection;
  /** The job queue of the worker. */
  readonly queue: Connection;
}

export type PoolName = keyof Pools;

/** Size and limits of each pool; connections are opened when needed. */
const options: Readonly<Record<PoolName, Omit<ConnectOptions, 'onError' | 'onReadOnly'>>> = {
  requests: { max: 10 },
  separate: { max: 3, joinsTransaction: false },
  // Longer than a client may stall: that limit must apply first.
  streams: { max: 10, joinsTransaction: false, idleInTransactionMs: 90_000 },
  jobs: { max: 5, waitMs: 60_000, joinsTransaction: false, statementMs: 300_000, idleInTransactionMs: 60_000 },
  queue: { max: 4, waitMs: 10_000, joinsTransaction: false },
};

const minReplaceIntervalMs = 5000;

export interface PoolsOptions {
  /** For all pools except `jobs`. */
  readonly limits: Partial<ConnectionLimits> & Pick<ConnectOptions, 'waitMs'>;
  readonly onError: (error: Error) => void;
  /** Called when the connections are replaced because their server has become read-only. */
  readonly onReplaced: () => void;
}

export function openPools(
  connectionString: string,
  { limits, onError, onReplaced }: PoolsOptions,
): { readonly pools: Pools; close(): Promise<void> } {
  let replacedAtMs = -Infinity;
  const open = (name: PoolName) =>
    connect(connectionString, {
      ...options[name],
      ...(name === 'jobs' ? {} : limits),
      onError,
      onReadOnly: replaceAll,
    });
  const pools: Pools = {
    requests: open('requests'),
    separate: open('separate'),
    streams: open('streams'),
    jobs: open('jobs'),
    queue: open('queue'),
  };
  const connections = Object.values(pools) as Connection[];
  /** After a failover, new connections lead to the new primary, which has the same host name. */
  function replaceAll(): void {
    if (performance.now() - replacedAtMs < minReplaceIntervalMs) return;
    replacedAtMs = performance.now();
    for (const connection of connections) connection.replaceConnections();
    onReplaced();
  }
  return {
    pools,
    close: async () => {
      await Promise.all(connections.map((connection) => connection.close()));
    },
  };
}
