import type { PoolClient } from 'pg';
import type { TestApi } from './api.ts';

/** A statement that went to the database, and how many rows came back; 0 for what reads through a cursor. */
export interface RecordedStatement {
  readonly text: string;
  rows: number;
}

/** How many statements the process sends to the database meanwhile. */
export async function countStatements(api: Pick<TestApi, 'app'>, act: () => Promise<unknown>): Promise<number> {
  return (await recordStatements(api, act)).length;
}

export async function recordStatements(
  api: Pick<TestApi, 'app'>,
  act: () => Promise<unknown>,
): Promise<RecordedStatement[]> {
  const pools = Object.values(api.app.pools).map(({ pool }) => pool);
  const statements: RecordedStatement[] = [];
  const clients = new Map<object, unknown>();
  const record = (client: PoolClient) => {
    if (clients.has(client)) return;
    const { query } = client;
    clients.set(client, query);
    client.query = function recorded(this: unknown, ...given: unknown[]) {
      const { text = '' } = given[0] as { text?: string };
      const statement = { text, rows: 0 };
      statements.push(statement);
      const outcome = Reflect.apply(query, client, given) as unknown;
      if (!(outcome instanceof Promise)) return outcome as never;
      return outcome.then((result: { rows: unknown[] }) => {
        statement.rows = result.rows.length;
        return result;
      }) as never;
    };
  };
  for (const pool of pools) pool.on('acquire', record);
  await act();
  for (const [client, query] of clients) Object.assign(client, { query });
  for (const pool of pools) pool.off('acquire', record);
  return statements;
}
