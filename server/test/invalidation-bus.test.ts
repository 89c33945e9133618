import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InvalidationBus, openInvalidationBus } from '../src/database/invalidation-bus.ts';
import { connect, type Connection } from '../src/database/connect.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
let connection: Connection;
const open: InvalidationBus[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  connection = connect(database.connectionString, { onError: () => undefined });
});
afterAll(async () => {
  await Promise.all(open.map((invalidations) => invalidations.close()));
  await connection.close();
  await database.drop();
});

async function openOne(): Promise<InvalidationBus> {
  const invalidations = await openInvalidationBus(database.connectionString, () => undefined);
  open.push(invalidations);
  return invalidations;
}

async function invalidate(invalidations: InvalidationBus): Promise<void> {
  const invalidation = await connection.db
    .transaction()
    .execute((tx) => invalidations.publish(tx, ['origins', 'access']));
  await invalidations.waitForAcknowledgement(invalidation);
}

test('an invalidation is acknowledged only after every process has reloaded, also when many are published at once', async () => {
  const processes = await Promise.all([1, 2, 3].map(() => openOne()));
  let published = 0;
  const known = processes.map(() => 0);
  processes.forEach((invalidations, index) =>
    invalidations.subscribe('access', async () => {
      const latest = published;
      await new Promise((resolve) => setTimeout(resolve, 5));
      known[index] = Math.max(known[index] ?? 0, latest);
    }),
  );
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      processes.map(async (invalidations) => {
        published += 1;
        const mine = published;
        await invalidate(invalidations);
        expect(known.every((latest) => latest >= mine)).toBe(true);
      }),
    );
  }
});

test('a stopped process delays no acknowledgement, and a rolled-back change publishes nothing', async () => {
  const [teller, leaver, listener] = [await openOne(), await openOne(), await openOne()];
  let heard = 0;
  listener.subscribe('mails', () => void (heard += 1));
  await leaver.close();
  await invalidate(teller);
  await expect(
    connection.db.transaction().execute(async (tx) => {
      await teller.publish(tx, ['mails']);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await invalidate(teller);
  expect(heard).toBe(0);
});
