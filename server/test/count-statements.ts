import type { TestApi } from './api.ts';

/** How many statements the process sends to the database meanwhile. */
export async function countStatements(api: Pick<TestApi, 'house'>, act: () => Promise<unknown>): Promise<number> {
  const { pool } = api.house.connection;
  let statements = 0;
  const clients = new Map<object, unknown>();
  pool.on('acquire', (client) => {
    if (clients.has(client)) return;
    const { query } = client;
    clients.set(client, query);
    client.query = function counted(this: unknown, ...given: unknown[]) {
      statements += 1;
      return Reflect.apply(query, client, given) as never;
    };
  });
  await act();
  for (const [client, query] of clients) Object.assign(client, { query });
  pool.removeAllListeners('acquire');
  return statements;
}
