import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { startEmbeddedPostgres } from '../../server/src/database/embedded/embedded.ts';

export interface BenchDatabase {
  readonly connectionString: string;
  readonly version: string;
  stop(): Promise<void>;
}

/** Starts an empty PostgreSQL with durable commits; its data is deleted on stop. */
export async function startDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'foyer-bench-'));
  const postgres = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    logger: { debug: () => undefined, warn: console.error, error: console.error },
  });
  return {
    ...postgres,
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function withClient<Outcome>(
  connectionString: string,
  act: (client: Client) => Promise<Outcome>,
): Promise<Outcome> {
  const client = new Client({ connectionString, options: '-c timezone=UTC' });
  await client.connect();
  try {
    return await act(client);
  } finally {
    await client.end();
  }
}

/** Fills a migrated database. Each customer has one subscription, one account and the same number of rooms. */
export async function seed(client: Client, customers: number, rooms: number): Promise<void> {
  for (const statement of seedStatements(customers, rooms)) await client.query(statement);
}

/** Generates a number, key and creation instant for each of `count` rows, spread over the last two years. */
function rowsOverTwoYears(count: number): string {
  return `
    select number, uuidv7(created - clock_timestamp()) as id, created
    from (
      select number, now() - interval '1 day' - (${count} - number) * (interval '700 days' / ${count}) as created
      from generate_series(1, ${count}) number
    ) moments`;
}

function seedStatements(customers: number, rooms: number): string[] {
  return [
    `insert into service_packages (id, name, tag, service_type, status, hidden, retired, has_stock, auto_renew, price, signup_fee,
       currency, periodicity, periodicity_type, trial_period, trial_interval, trial_mode, grace_period, grace_interval,
       created_at, updated_at)
     values (uuidv7(), 'Meetings', 'bench-meetings', 'meet', 'active', false, false, false, false, 10, 0,
       'EUR', 1, 'month', 0, 'day', 'outside', 0, 'day', now(), now())`,
    `insert into customers (id, customer_key, status, email, first_name, last_name, company_name, customer_type,
       subdomain, country, currency, locale, timezone, created_at, updated_at)
     select id, 'key-' || number, 'active', 'owner' || number || '@example.com', 'Ada', 'Number ' || number,
       'Company ' || number, 'business', 'company-' || number, 'PT', 'EUR', 'en', 'Europe/Lisbon', created, created
     from (${rowsOverTwoYears(customers)}) generated order by number`,
    `insert into subscriptions (id, tag, name, package_id, subscriber_id, service_type, status, is_active, auto_renew, starts_at,
       ends_at, anchor_day, last_day, usable_until, trial_period, trial_interval, trial_mode, grace_period,
       grace_interval, periodicity, periodicity_type, price, currency, created_at, updated_at)
     select uuidv7(created_at - clock_timestamp()), 'meetings-' || customer_key, 'Meetings',
       (select id from service_packages where tag = 'bench-meetings'), id, 'meet', 'active', true, false, created_at::date,
       '2099-12-31', 1, '2099-12-31', '2099-12-31', 0, 'day', 'outside', 0, 'day', 1, 'month', 10, 'EUR', created_at, created_at
     from customers`,
    `insert into accounts (id, account_name, account_key, subscriber_id, subscription_id, status, created_at, updated_at)
     select uuidv7(subscriptions.created_at - clock_timestamp()), company_name, 'account-' || customer_key,
       customers.id, subscriptions.id, 'active', customers.created_at, customers.created_at
     from customers join subscriptions on subscriber_id = customers.id`,
    `insert into rooms (id, customer_id, account_id, subscription_id, room_name, status, is_public, room_type, slug,
       room_features, room_settings, room_metadata, created_at, updated_at)
     select generated.id, owners.subscriber_id, owners.id, owners.subscription_id, 'Weekly meeting ' || generated.number,
       'active', generated.number % 10 = 0, 'meet', 'weekly-meeting-' || generated.number,
       '{"max_participants": "50", "recording": true}',
       '{"muteOnStart": true, "guestPolicy": "ASK_MODERATOR", "welcome": "Welcome to the meeting"}',
       jsonb_build_object('cost_center', generated.number % 100, 'contract', 'C-' || generated.number), generated.created, generated.created
     from (${rowsOverTwoYears(rooms)}) generated
     join (
       select id, subscriber_id, subscription_id, row_number() over (order by account_key) as ordinal from accounts
     ) owners on owners.ordinal = generated.number % ${customers} + 1
     order by generated.number`,
    'vacuum analyze',
  ];
}
