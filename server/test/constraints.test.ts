import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { cloneDatabase, type TestDatabase } from './database.ts';

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new Client({ connectionString: database.connectionString });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function readNames(query: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(query);
  return rows.map(({ name }) => name);
}

test('an index begins with the columns of every foreign key', async () => {
  const unindexed = await readNames(`
    select conrelid::regclass || ' (' || string_agg(attname, ', ' order by position) || ')' as name
    from pg_constraint
    cross join unnest(conkey) with ordinality as listed(attnum, position)
    join pg_attribute on attrelid = conrelid and pg_attribute.attnum = listed.attnum
    where contype = 'f' and connamespace = 'public'::regnamespace and not exists (
      select from pg_index
      where indrelid = conrelid and indisvalid
        and (indpred is null or pg_get_expr(indpred, indrelid) = '(' || attname || ' IS NOT NULL)')
        and (indkey::int2[])[0:cardinality(conkey) - 1] @> conkey
    )
    group by conrelid, pg_constraint.oid
    order by 1`);
  expect(unindexed).toEqual([]);
});

test('every table has a primary key', async () => {
  const tablesWithoutKey = await readNames(`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and not exists (select from pg_constraint where conrelid = pg_class.oid and contype = 'p')
    order by 1`);
  expect(tablesWithoutKey).toEqual([]);
});

test('a CHECK limits every column of a status, type, kind, role, interval or currency', async () => {
  const unchecked = await readNames(`
    select relname || '.' || attname as name
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    where relkind = 'r' and relnamespace = 'public'::regnamespace
      and attname ~ '(^|_)(status|state|type|kind|role|mode|interval|direction|population|currency)$'
      and not exists (
        select from pg_constraint where conrelid = pg_class.oid and contype = 'c' and conkey = array[attnum] and convalidated
      )
    order by 1`);
  // The state of an address is a region.
  expect(unchecked).toEqual(['customer_addresses.state']);
});

test('the database rejects an unknown status', async () => {
  const insert = client.query(
    "insert into service_provider_health (service_provider_id, state, since, asked_at) values (gen_random_uuid(), 'unheard-of', now(), now())",
  );
  await expect(insert).rejects.toMatchObject({ code: '23514', constraint: 'service_provider_health_state_check' });
});
