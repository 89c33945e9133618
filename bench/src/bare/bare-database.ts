import { createHash } from 'node:crypto';
import pg from 'pg';
import type { Statement, Value } from '../measure/recorded-requests.ts';

type Query = (statement: Statement | undefined, values?: readonly unknown[]) => Promise<pg.QueryResult>;

interface Pool {
  readonly query: Query;
  inTransaction<Outcome>(callback: (query: Query) => Promise<Outcome>): Promise<Outcome>;
}

/** Opens a pool of ten connections with prepared statements. Dates, instants and decimals are returned as text. */
export function openPool(connectionString: string): Pool {
  const textTypes = new Set([1082, 1114, 1184, 1700]);
  const pool = new pg.Pool({
    connectionString,
    max: 10,
    keepAlive: true,
    idleTimeoutMillis: 30_000,
    options: '-c timezone=UTC -c lock_timeout=10s -c idle_in_transaction_session_timeout=60s',
    types: {
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        textTypes.has(oid) ? (text: string) => text : pg.types.getTypeParser(oid, format),
    },
  });
  const names = new Map<string, string>();
  function prepare({ text, values }: Statement, newValues: readonly unknown[] | undefined): pg.QueryConfig {
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = `b${names.size}`));
    return { name, text, values: [...(newValues ?? values.map(readValue))] };
  }
  const queryWith =
    (client: pg.Pool | pg.PoolClient): Query =>
    (statement, values) => {
      if (!statement) throw new Error('The recorded requests are incomplete.');
      return client.query(prepare(statement, values));
    };
  return {
    query: queryWith(pool),
    async inTransaction(callback) {
      const client = await pool.connect();
      const query = queryWith(client);
      try {
        await query({ text: 'begin', values: [] });
        const outcome = await callback(query);
        await query({ text: 'commit', values: [] });
        return outcome;
      } catch (error) {
        await query({ text: 'rollback', values: [] });
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

function readValue(value: Value): unknown {
  return typeof value === 'object' && value !== null ? Buffer.from(value.bytes, 'base64') : value;
}

/** Checks tokens with the recorded statement, and caches valid tokens for ten seconds. */
export function createTokenCheck(query: Query, statement: Statement): (header: string | undefined) => Promise<boolean> {
  const expiries = new Map<string, number>();
  return async (header) => {
    if (!header?.startsWith('Bearer ')) return false;
    const token = header.slice(7);
    const until = expiries.get(token);
    if (until !== undefined && until > Date.now()) return true;
    const hash = createHash('sha256').update(token).digest();
    const { rows } = await query(statement, parametersForToken(statement, hash));
    if (rows.length > 0) expiries.set(token, Date.now() + 10_000);
    return rows.length > 0;
  };
}

/** The recorded parameters, with the hash of this token and the current time instead of the recorded ones. */
function parametersForToken({ values }: Statement, hash: Buffer): unknown[] {
  const now = new Date().toISOString();
  return values.map((value) => {
    if (typeof value === 'object' && value !== null) return hash;
    return typeof value === 'string' && /^\d{4}-\d\d-\d\dT/.test(value) ? now : value;
  });
}

/** Reads the total with the recorded statement, and caches it for two seconds. */
export function createTotalReader(query: Query, statement: Statement): () => Promise<number> {
  let cached = { total: 0, until: 0 };
  return async () => {
    if (cached.until <= Date.now()) {
      const { rows } = await query(statement);
      cached = { total: rows[0].total, until: Date.now() + 2000 };
    }
    return cached.total;
  };
}
