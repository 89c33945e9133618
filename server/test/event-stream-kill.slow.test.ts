import { type Client, createClient } from '@foyer/sdk';
import { afterAll, beforeAll, expect, inject, onTestFinished, test, vi } from 'vitest';
import { cloneDatabase } from './database.ts';
import { firstAdmin } from './first-admin.ts';
import { buildFoyer, foyer, type Run, removeFoyer } from './foyer-process.ts';
import { freePort } from './free-port.ts';

beforeAll(buildFoyer);
afterAll(removeFoyer);

const waitOptions = { timeout: 60_000, interval: 100 };

async function listIds(admin: Client): Promise<string[]> {
  const { data } = await admin.listEvents({ query: { limit: 0 } });
  return data.map(({ id }) => id);
}

async function writeRole(admin: Client, number: number): Promise<void> {
  const { data: role } = await admin.createRole({ body: { name: `role-${number}`, display_name: 'New' } });
  await admin.updateRole({ params: { role_id: role.id }, body: { display_name: 'Old' } });
}

test('a stream yields every event once, in order per resource, while the server is killed and started again', async () => {
  const database = await cloneDatabase();
  const port = String(await freePort());
  const runs: Run[] = [];
  const start = async () => {
    const run = foyer(['start'], {
      PORT: port,
      DATABASE_URL: database.connectionString,
      FOYER_SECRET_KEYS: inject('secretKeys'),
      FOYER_DEMO: 'false',
      FOYER_RATE_LIMITS: 'off',
      HOST: '127.0.0.1',
    });
    runs.push(run);
    return await run.ready();
  };
  const stop = async () => {
    const run = runs.at(-1);
    run?.child.kill('SIGKILL');
    await run?.ended;
  };
  const testEnd = new AbortController();
  onTestFinished(async () => {
    testEnd.abort();
    await stop();
    await database.drop();
  });
  const baseUrl = await start();
  const { access_token: token } = await createClient({ baseUrl }).loginAdmin({ body: firstAdmin });
  const admin = createClient({ baseUrl, token });
  const earlierIds = await listIds(admin);

  const streamed: { id: string; resource: string; sequence: number }[] = [];
  const reading = (async () => {
    const lastEventId = earlierIds[0] ?? '';
    for await (const event of admin.events.stream({ lastEventId, signal: testEnd.signal }))
      streamed.push({ id: event.id, resource: event.resource_id, sequence: event.sequence });
  })().catch(() => undefined);

  const writingEnd = new AbortController();
  let changes = 0;
  const writing = (async () => {
    for (let number = 0; !writingEnd.signal.aborted; number++) {
      changes += await writeRole(admin, number).then(
        () => 1,
        // The server is down.
        () => 0,
      );
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  })();
  for (let kill = 0; kill < 2; kill++) {
    const before = changes;
    await vi.waitFor(() => expect(changes).toBeGreaterThan(before + 5), waitOptions);
    await stop();
    await start();
  }
  writingEnd.abort();
  await writing;
  const writtenIds = (await listIds(admin)).filter((id) => !earlierIds.includes(id));
  const ids = () => streamed.map(({ id }) => id);
  await vi.waitFor(() => expect(ids()).toEqual(expect.arrayContaining(writtenIds)), waitOptions);
  testEnd.abort();
  await reading;
  expect(ids()).toHaveLength(new Set(ids()).size);
  const lastSequences = new Map<string, number>();
  for (const { resource, sequence } of streamed) {
    expect(sequence).toBe((lastSequences.get(resource) ?? sequence - 1) + 1);
    lastSequences.set(resource, sequence);
  }
});
