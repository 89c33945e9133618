import { Client } from 'pg';
import { expect, test } from 'vitest';
import { cloneDatabase } from './database.ts';

test('an index begins with the columns of every foreign key', async () => {
  const database = await cloneDatabase();
  const client = new Client({ connectionString: database.connectionString });
  await client.connect();
  const { rows } = await client.query<{ foreign_key: string }>(`
    select conrelid::regclass || ' (' || string_agg(attname, ', ' order by position) || ')' as foreign_key
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
  await client.end();
  await database.drop();
  expect(rows.map(({ foreign_key: name }) => name)).toEqual([]);
});
