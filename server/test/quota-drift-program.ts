import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { buildApi } from '../src/api.ts';
import { createApp, type App } from '../src/app.ts';
import { type Change, inTransaction, system } from '../src/events/change.ts';
import { consumeWithinLimit, releaseFeature } from '../src/modules/subscriptions/index.ts';
import { Failure } from '../src/platform/failures.ts';
import { newUuid } from '../src/platform/identity/identifier.ts';
import { parseSecretKeys } from '../src/platform/crypto/secret-box.ts';

/** The input of the process, as JSON in its environment. */
export interface DriftTask {
  readonly connectionString: string;
  readonly secretKeys: string;
  readonly token: string;
  readonly seed: number;
  readonly accounts: readonly DriftAccount[];
}

export interface DriftAccount {
  readonly customerId: string;
  readonly subscriptionId: string;
  readonly accountId: string;
}

// Tests that the stored usage of features never drifts from the real number of rows. This program runs as a separate
// process, creates and deletes rooms and accounts at random, and prints its progress until the test kills it.

const task = JSON.parse(process.env['DRIFT_TASK'] ?? '') as DriftTask;
const intendedFailure = new Error('A failure after the feature was consumed, to test the rollback.');
const random = randomFrom(task.seed);
const keys = parseSecretKeys(task.secretKeys);
const app = await createApp({
  connectionString: task.connectionString,
  secretKeys: keys.ok ? keys.keys : [],
  logger: pino({ level: 'silent' }),
  rateLimits: false,
  fallbackUrl: () => 'http://127.0.0.1',
  publicUrl: null,
});
const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
await server.ready();
process.stdin.resume();
process.stdin.on('end', () => process.exit());
let actionCount = 0;
await Promise.all(Array.from({ length: 4 }, () => actUntilKilled(app, server)));

async function actUntilKilled(foyer: App, api: FastifyInstance): Promise<void> {
  for (;;) {
    const account = pick(task.accounts);
    try {
      if (account) await actAtRandom(foyer, api, account);
    } catch (error) {
      process.stdout.write(`fault ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    }
    actionCount += 1;
    if (actionCount % 20 === 0) process.stdout.write('did 20\n');
  }
}

async function actAtRandom(foyer: App, api: FastifyInstance, account: DriftAccount): Promise<void> {
  const chance = random();
  if (chance < 0.05) return await call(api, 'POST', '/rooms', { room_name: 'Room', account_id: account.accountId });
  if (chance < 0.08) return await deleteRandomRow(foyer, api, account, 'rooms');
  if (chance < 0.1) {
    const body = { account_name: 'Account', subscription_id: account.subscriptionId, status: 'inactive' };
    return await call(api, 'POST', '/accounts', body);
  }
  if (chance < 0.12) return await deleteRandomRow(foyer, api, account, 'accounts');
  if (chance < 0.6) return await insertRooms(foyer, account, 1 + Math.floor(random() * 3));
  return await deleteInsertedRooms(foyer, account, 1 + Math.floor(random() * 3));
}

async function call(api: FastifyInstance, method: 'POST' | 'DELETE', path: string, body?: object): Promise<void> {
  const answer = await api.inject({
    method,
    url: `/api/v1${path}`,
    headers: { authorization: `Bearer ${task.token}` },
    ...(body ? { payload: body } : {}),
  });
  if (answer.statusCode >= 500 || [400, 401, 403, 405].includes(answer.statusCode)) throw new Error(answer.body);
}

/** Deletes a random row, which other processes may delete at the same time. */
async function deleteRandomRow(foyer: App, api: FastifyInstance, account: DriftAccount, table: 'rooms' | 'accounts') {
  const rows = await foyer.dependencies.db
    .selectFrom(table)
    .select('id')
    .where('subscription_id', '=', account.subscriptionId)
    .where('status', '=', table === 'rooms' ? 'active' : 'inactive')
    .limit(20)
    .execute();
  const row = pick(rows);
  if (row) await call(api, 'DELETE', `/${table}/${row.id}`);
}

/**
 * Inserts rooms without the API and increases the usage of `max_rooms`, in one transaction that sometimes fails at the
 * end.
 */
async function insertRooms(foyer: App, account: DriftAccount, count: number): Promise<void> {
  const shouldFail = random() < 0.2;
  await inTransaction(foyer.dependencies, system, async (change) => {
    await change.tx
      .insertInto('rooms')
      .values(Array.from({ length: count }, () => roomRow(change, account)))
      .execute();
    await consumeWithinLimit(change, account.subscriptionId, 'max_rooms', count);
    if (shouldFail) throw intendedFailure;
  }).catch((error: unknown) => {
    if (error !== intendedFailure && !(error instanceof Failure && error.code === 'feature-limit-reached')) throw error;
  });
}

function roomRow({ now }: Change, { customerId, accountId, subscriptionId }: DriftAccount) {
  return {
    id: newUuid(),
    customer_id: customerId,
    account_id: accountId,
    subscription_id: subscriptionId,
    room_name: 'Inserted',
    status: 'active' as const,
    is_public: false,
    room_type: 'meet' as const,
    slug: 'inserted',
    created_at: now,
    updated_at: now,
  };
}

/** Deletes rooms of `insertRooms` without the API and decreases the usage of `max_rooms`, in one transaction. */
async function deleteInsertedRooms(foyer: App, account: DriftAccount, count: number): Promise<void> {
  await inTransaction(foyer.dependencies, system, async (change) => {
    const rows = await change.tx
      .selectFrom('rooms')
      .select('id')
      .where('subscription_id', '=', account.subscriptionId)
      .where('room_name', '=', 'Inserted')
      .limit(count)
      .forUpdate()
      .skipLocked()
      .execute();
    for (const { id } of rows) await change.tx.deleteFrom('rooms').where('id', '=', id).execute();
    if (rows.length > 0) await releaseFeature(change, account.subscriptionId, 'max_rooms', rows.length);
  });
}

function pick<Item>(items: readonly Item[]): Item | undefined {
  return items[Math.floor(random() * items.length)];
}

/** Mulberry32: the same numbers from 0 to below 1 for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
