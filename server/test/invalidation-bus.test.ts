import { afterAll, beforeAll, expect, test } from 'vitest';
import { type InvalidationBus, openInvalidationBus } from '../src/database/invalidation-bus.ts';
import { connect, type Connection } from '../src/database/connect.ts';
import { cloneDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
let connection: Connection;
const buses: InvalidationBus[] = [];
beforeAll(async () => {
  database = await cloneDatabase();
  connection = connect(database.connectionString, { onError: () => undefined });
});
afterAll(async () => {
  await Promise.all(buses.map((bus) => bus.close()));
  await connection.close();
  await database.drop();
});

async function openBus(): Promise<InvalidationBus> {
  const bus = await openInvalidationBus(database.connectionString, () => undefined);
  buses.push(bus);
  return bus;
}

async function invalidate(bus: InvalidationBus): Promise<void> {
  const invalidation = await connection.db.transaction().execute((tx) => bus.publish(tx, ['origins', 'access']));
  await bus.waitForAcknowledgement(invalidation);
}

test('an invalidation is acknowledged only after every process has reloaded, also when many are published concurrently', async () => {
  const busPerProcess = await Promise.all([1, 2, 3].map(() => openBus()));
  let published = 0;
  const reloaded = busPerProcess.map(() => 0);
  busPerProcess.forEach((bus, index) =>
    bus.subscribe('access', async () => {
      const latest = published;
      await new Promise((resolve) => setTimeout(resolve, 5));
      reloaded[index] = Math.max(reloaded[index] ?? 0, latest);
    }),
  );
  for (let round = 0; round < 20; round++) {
    await Promise.all(
      busPerProcess.map(async (bus) => {
        published += 1;
        const publishedHere = published;
        await invalidate(bus);
        expect(reloaded.every((latest) => latest >= publishedHere)).toBe(true);
      }),
    );
  }
});

test('a stopped process delays no acknowledgement, and a rolled-back change publishes nothing', async () => {
  const [publisher, stopped, subscriber] = [await openBus(), await openBus(), await openBus()];
  let receivedCount = 0;
  subscriber.subscribe('mails', () => void (receivedCount += 1));
  await stopped.close();
  await invalidate(publisher);
  await expect(
    connection.db.transaction().execute(async (tx) => {
      await publisher.publish(tx, ['mails']);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await invalidate(publisher);
  expect(receivedCount).toBe(0);
});
