import { Pool } from 'pg';
import { buildApi } from '../../server/src/api.ts';
import type { App } from '../../server/src/app.ts';
import { inTransaction, system } from '../../server/src/events/change.ts';
import { consumeWithinLimit } from '../../server/src/modules/subscriptions/index.ts';
import { countStatements } from '../../server/test/count-statements.ts';
import { seed, withClient } from './database.ts';
import { connections } from './measure/load.ts';
import { median } from './measure/median.ts';
import { createBenchApp, type Installation } from './create-bench-app.ts';
import { runJob } from '../../server/src/modules.ts';

export interface CommerceOptions {
  readonly installation: Installation;
  readonly token: string;
  /** The number of subscriptions that expire. */
  readonly due: number;
  readonly rounds: number;
  readonly seconds: number;
}

const subscriptionCount = 1000;

/** Measures quotas, expiry and the list of subscriptions against bare statements. Compare ratios. */
export async function benchCommerce(options: CommerceOptions): Promise<string> {
  const { installation, due } = options;
  await withClient(installation.connectionString, async (client) => {
    await seed(client, subscriptionCount, subscriptionCount);
    for (const statement of offerStatements) await client.query(statement);
  });
  const app = await createBenchApp(installation);
  try {
    return [
      ...(await measureListing(app, options)),
      '',
      `Consuming one unit of a quota (${connections} at once, each in its own transaction)`,
      ...(await measureConsumption(app, options, 1)),
      ...(await measureConsumption(app, options, subscriptionCount)),
      '',
      `Expiry of ${due} subscriptions that are due`,
      ...(await measureExpiry(app, options)),
    ].join('\n');
  } finally {
    await app.close();
  }
}

/** Adds ten features for each subscription, and a provider. */
const offerStatements = [
  `insert into subscription_features (id, subscription_id, tag, name, value, resettable_period, created_at, updated_at)
   select uuidv7(), subscriptions.id, code, code, '1000000000', 0, now(), now()
   from subscriptions, unnest(array['max_rooms', 'max_accounts', 'max_participants', 'max_duration', 'participant_minutes',
     'max_recordings', 'max_storage', 'record_expiration', 'max_concurrent_meetings', 'max_concurrent_participants']) code`,
  `insert into subscription_usages (id, subscription_feature_id, subscription_id, used, created_at, updated_at)
   select uuidv7(), id, subscription_id, 1, now(), now() from subscription_features`,
  `insert into service_providers (id, provider_name, provider_type, service_type, active, properties, server_key, created_at, updated_at)
   values (uuidv7(), 'Bench', 'bigbluebutton', 'meet', true, '{}', 'bench', now(), now())`,
  `insert into service_package_providers (id, package_id, service_provider_id, active, is_default, created_at, updated_at)
   select uuidv7(), service_packages.id, service_providers.id, true, true, now(), now() from service_packages, service_providers`,
  `insert into subscription_providers (id, subscription_id, service_provider_id, package_provider_id, active, is_default, created_at, updated_at)
   select uuidv7(), subscriptions.id, service_provider_id, service_package_providers.id, true, true, now(), now()
   from subscriptions join service_package_providers using (package_id)`,
  'vacuum analyze',
];

async function measureListing(app: App, { token, rounds }: CommerceOptions): Promise<string[]> {
  const server = await buildApi(app, { requireHttps: false, trustProxy: false, tls: null });
  const list = async (limit: number, include: string) => {
    const url = `/api/v1/subscriptions?limit=${limit}&skipCache=true${include}`;
    const { statusCode } = await server.inject({ method: 'GET', url, headers: { authorization: `Bearer ${token}` } });
    if (statusCode !== 200) throw new Error(`Unexpected status ${statusCode}`);
  };
  const include = '&include=features,usages,providers,accounts';
  try {
    await list(100, include);
    const statements = [1, 100].map((limit) => () => countStatements(() => list(limit, include)));
    const [one = 0, hundred = 0] = [await statements[0]?.(), await statements[1]?.()];
    const figures = { plain: [] as number[], included: [] as number[] };
    for (let round = 0; round < rounds; round++) {
      figures.plain.push(await millisecondsOf(20, () => list(100, '')));
      figures.included.push(await millisecondsOf(20, () => list(100, include)));
    }
    return [
      'GET /subscriptions?limit=100&include=features,usages,providers,accounts (one process, no network)',
      `  without include ${median(figures.plain).toFixed(1)} ms, with it ${median(figures.included).toFixed(1)} ms`,
      `  ${one === hundred ? 'reached     ' : 'not reached '} as many statements for 100 subscriptions as for 1 (${hundred}, ${one})`,
    ];
  } finally {
    await server.close();
  }
}

async function millisecondsOf(times: number, act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  for (let time = 0; time < times; time++) await act();
  return (performance.now() - startedMs) / times;
}

/** The same conditional UPDATE in a transaction, as a prepared statement. */
const bareConsume = {
  name: 'consume',
  text: `update subscription_usages usage set used = usage.used + 1, updated_at = now()
    from subscription_features feature
    where feature.subscription_id = $1 and feature.tag = 'max_rooms' and usage.subscription_feature_id = feature.id
      and usage.used + 1 <= feature.value::bigint`,
};

async function measureConsumption(
  { dependencies }: App,
  { installation, rounds, seconds }: CommerceOptions,
  count: number,
): Promise<string[]> {
  const bare = new Pool({ connectionString: installation.connectionString, max: 10 });
  try {
    const { rows } = await bare.query<{ id: string }>('select id from subscriptions order by id limit $1', [count]);
    const ids = rows.map(({ id }) => id);
    const consumeBare = async (id: string) => {
      const client = await bare.connect();
      try {
        await client.query('begin');
        await client.query({ ...bareConsume, values: [id] });
        await client.query('commit');
      } finally {
        client.release();
      }
    };
    const consume = (id: string) =>
      inTransaction(dependencies, system, (change) => consumeWithinLimit(change, id, 'max_rooms'));
    const figures = { foyer: [] as number[], bare: [] as number[], ratios: [] as number[] };
    for (const variant of [consume, consumeBare]) await measureRate(ids, variant, 1);
    for (let round = 0; round < rounds; round++) {
      const isBareFirst = round % 2 === 0;
      const bareRateBefore = isBareFirst ? await measureRate(ids, consumeBare, seconds) : 0;
      const foyer = await measureRate(ids, consume, seconds);
      const bareRate = isBareFirst ? bareRateBefore : await measureRate(ids, consumeBare, seconds);
      figures.foyer.push(foyer);
      figures.bare.push(bareRate);
      figures.ratios.push(foyer / bareRate);
    }
    const ratio = median(figures.ratios);
    return [
      `  of ${count} ${count === 1 ? 'subscription ' : 'subscriptions'} ${median(figures.foyer).toFixed(0)} per second, the bare conditional UPDATE ${median(figures.bare).toFixed(0)}`,
      `  ${ratio >= goals.consuming ? 'reached     ' : 'not reached '} ratio of at least ${goals.consuming} (${ratio.toFixed(2)})`,
    ];
  } finally {
    await bare.end();
  }
}

const goals = { consuming: 0.7, expiry: 2000 };

async function measureRate(
  ids: readonly string[],
  act: (id: string) => Promise<unknown>,
  seconds: number,
): Promise<number> {
  const startedMs = performance.now();
  const until = startedMs + seconds * 1000;
  let times = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        await act(ids[Math.floor(Math.random() * ids.length)] ?? '');
        times += 1;
      }
    }),
  );
  return times / ((performance.now() - startedMs) / 1000);
}

/** The job writes an event and an audit entry per subscription; the bare statement only updates the rows. */
async function measureExpiry({ dependencies }: App, { installation, due }: CommerceOptions): Promise<string[]> {
  const [bareSeconds, seconds, count] = await withClient(installation.connectionString, async (client) => {
    await client.query(`create temporary table expiring as
      select uuidv7() as id, number from generate_series(1, ${due}) number`);
    await client.query(`insert into subscriptions (id, tag, name, package_id, subscriber_id, service_type, status, is_active, auto_renew,
        starts_at, ends_at, anchor_day, last_day, usable_until, trial_period, trial_interval, trial_mode, grace_period, grace_interval, periodicity,
        periodicity_type, price, currency, created_at, updated_at)
      select expiring.id, 'due-' || number, 'Due', package_id, subscriber_id, 'meet', 'active', true, false, current_date - 60,
        current_date - 30 - number % 20, 1, current_date - 25 - number % 20, current_date - 25 - number % 20, 0, 'day', 'outside', 5, 'day', 1, 'month', 10, 'EUR', now(), now()
      from expiring, (select package_id, subscriber_id from subscriptions limit 1) model`);
    await client.query('vacuum analyze subscriptions');
    const bare = await secondsOf(() =>
      client.query(`update subscriptions set status = 'suspended', is_active = false, usable_until = null, updated_at = now()
        where status = 'active' and last_day < current_date`),
    );
    await client.query(
      `update subscriptions set status = 'active', is_active = true, usable_until = last_day where id in (select id from expiring)`,
    );
    await client.query('vacuum analyze subscriptions');
    let suspended = 0;
    const job = await secondsOf(async () => (suspended = await runJob(dependencies, 'expire-subscriptions')));
    return [bare, job, suspended];
  });
  if (count !== due) throw new Error(`${count} of ${due} were suspended.`);
  const perSecond = due / seconds;
  return [
    `  the job, with an event and an audit entry each ${perSecond.toFixed(0)} per second`,
    `  the bare set-based UPDATE ${(due / bareSeconds).toFixed(0)} per second, ratio ${(bareSeconds / seconds).toFixed(3)}`,
    `  ${perSecond >= goals.expiry ? 'reached     ' : 'not reached '} at least ${goals.expiry} per second`,
  ];
}

async function secondsOf(act: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await act();
  return (performance.now() - startedMs) / 1000;
}
