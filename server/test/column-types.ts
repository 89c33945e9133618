import type { Client } from 'pg';

interface CheckedColumn {
  readonly path: string;
  /** The constraint as PostgreSQL prints it; null for columns without one. */
  readonly definition: string | null;
  readonly is_array: boolean;
  readonly is_json: boolean;
  readonly is_nullable: boolean;
  readonly is_optional: boolean;
}

/** TypeScript types by `table.column`: unions from CHECK constraints, and the shapes of JSON columns. */
export async function columnTypes(client: Client): Promise<Record<string, string>> {
  const { rows } = await client.query<CheckedColumn>(`
    select relname || '.' || attname as path, pg_get_constraintdef(pg_constraint.oid) as definition,
      typcategory = 'A' as is_array, typname = 'jsonb' as is_json, not attnotnull as is_nullable, atthasdef as is_optional
    from pg_class
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
    join pg_type on pg_type.oid = atttypid
    left join pg_constraint on conrelid = pg_class.oid and contype = 'c' and conkey = array[attnum]
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
    order by 1, 2`);
  const types = rows.flatMap((row): [string, string][] => {
    const type = row.is_json ? jsonTypeOf(row.path) : unionOf(row);
    if (type === null) return [];
    const nullable = row.is_nullable ? `${type} | null` : type;
    return [[row.path, row.is_optional ? `Generated<${nullable}>` : nullable]];
  });
  return Object.fromEntries(types);
}

const union = /^CHECK \(\(\w+ (?:=|<@) (?:ANY \()?(?:ARRAY\[)?('[^\]]*?'::text)\]?\)*$/;

function unionOf({ definition, is_array: isArray }: CheckedColumn): string | null {
  const [, memberList] = union.exec(definition ?? '') ?? [];
  if (memberList === undefined) return null;
  const members = memberList.replaceAll('::text', '').split(', ').join(' | ');
  return isArray ? `ArrayType<${members}>` : members;
}

function jsonTypeOf(path: string): string | null {
  if (/[._]metadata$/.test(path)) return 'ColumnType<Metadata, string, string>';
  if (/[.]allowed_domains_/.test(path)) return 'ColumnType<string[], string, string>';
  if (path === 'webhooks.former_secrets') return 'ColumnType<{ sealed: string; until: string }[], string, string>';
  return null;
}
