import type { Pagination } from '@foyer/contract/conventions/endpoint.ts';
import { CompiledQuery, type RawBuilder, sql } from 'kysely';
import { estimateBytes } from './estimate-bytes.ts';
import type { ListRequest, Order } from './list-request.ts';
import { printCursor } from './list-request.ts';
import type { TotalCache } from './total-cache.ts';
import { type Reader, tenantScopeOf, type View } from './view.ts';

/** A list that a request asks for. */
export interface List {
  readonly view: View<never>;
  readonly scope: RawBuilder<unknown> | null;
  readonly request: ListRequest;
}

export interface Page {
  readonly rows: { id: string }[];
  readonly pagination: Omit<Pagination, 'links'>;
  readonly hasNext: boolean;
}

/** Reads the page with one statement, and the total with another, unless it is cached or not requested. */
export async function readPage(
  { view, scope, request }: List,
  limit: number,
  reader: Reader,
  totals: TotalCache,
): Promise<Page> {
  const where = conjunction([tenantScopeOf(view, reader), scope, request.where]);
  const cursorCondition = request.cursor ? afterCursor(request.order, request.cursor) : null;
  const offset = request.cursor ? 0 : (request.page - 1) * limit;
  const { db } = reader;
  const select = () => selectRows(view, request.order, conjunction([where, cursorCondition])).compile(db);
  const statement = (where ?? cursorCondition) ? select() : getOrCreate(selectsOfAll, request.order, select);
  const [result, total] = await Promise.all([
    db.executeQuery(withLimit(statement, limit + 1, offset)),
    request.withTotal ? totals.read(totalQuery(view, where, db), db, request.shouldSkipCache) : null,
  ]);
  const rows = (result.rows as SelectedRow[]).slice(0, limit);
  const hasNext = result.rows.length > limit;
  const last = rows.at(-1);
  const cursor =
    hasNext && last
      ? printCursor(
          request,
          request.order.map((_, index) => last[`sort_${index}`] ?? null),
        )
      : null;
  return {
    rows,
    hasNext,
    pagination: {
      ...(total === null ? {} : { total }),
      count: rows.length,
      per_page: limit,
      current_page: request.page,
      ...(total === null ? {} : { total_pages: Math.max(1, Math.ceil(total / limit)) }),
      next_cursor: cursor,
    },
  };
}

/** Batches of 1,000 took twice the memory and twice the time. */
const maxBatchRows = 200;
const minBatchRows = 25;
/** A batch with more is followed by a smaller one. */
const targetBatchBytes = 524_288;

/**
 * Yields every match in batches, read through one cursor. Long rows are read in small batches, so that memory stays
 * flat.
 * @param reader reads from a snapshot, whose transaction holds the cursor.
 */
export async function* streamRows(
  view: View<never>,
  scope: RawBuilder<unknown> | null,
  request: ListRequest,
  reader: Reader,
): AsyncGenerator<{ id: string }[]> {
  const where = conjunction([tenantScopeOf(view, reader), scope, request.where]);
  await sql`declare list no scroll cursor for ${selectRows(view, request.order, where)}`.execute(reader.db);
  // A few sizes only, since each is a prepared statement of its own.
  for (let size = minBatchRows; ;) {
    const { rows } = await sql<SelectedRow>`fetch ${sql.lit(size)} from list`.execute(reader.db);
    if (rows.length > 0) yield rows;
    if (rows.length < size) return;
    const bytes = await estimateBytes(rows);
    if (bytes > targetBatchBytes) size = Math.max(minBatchRows, size / 2);
    else if (bytes < targetBatchBytes / 4) size = Math.min(maxBatchRows, size * 4);
  }
}

type SelectedRow = { id: string } & Record<`sort_${number}`, string | null>;

function selectRows(
  view: View<never>,
  order: readonly Order[],
  where: RawBuilder<unknown> | null,
): RawBuilder<unknown> {
  const keys = order.map(({ expression }, index) => sql`${expression}::text as ${sql.ref(`sort_${index}`)}`);
  const terms = order.map(({ expression, descending }) => sql`${expression} ${sql.raw(descending ? 'desc' : 'asc')}`);
  return sql`select ${view.select}, ${sql.join(keys)} from ${view.from} where ${where ?? sql`true`} order by ${sql.join(terms)}`;
}

/** Statements without a condition, which need to be compiled only once: the rows by their order, the totals by view. */
const selectsOfAll = new WeakMap<readonly Order[], CompiledQuery>();
const totalsOfAll = new WeakMap<View<never>, CompiledQuery<{ total: number }>>();

function getOrCreate<Key extends object, Value>(values: WeakMap<Key, Value>, key: Key, create: () => Value): Value {
  const existing = values.get(key);
  if (existing !== undefined) return existing;
  const created = create();
  values.set(key, created);
  return created;
}

function withLimit({ sql: text, parameters }: CompiledQuery, limit: number, offset: number): CompiledQuery {
  const next = parameters.length + 1;
  return CompiledQuery.raw(`${text} limit $${next} offset $${next + 1}`, [...parameters, limit, offset]);
}

function totalQuery(view: View<never>, where: RawBuilder<unknown> | null, db: Reader['db']) {
  const count = () =>
    sql<{ total: number }>`select count(*)::int as total from ${view.from} where ${where ?? sql`true`}`.compile(db);
  return where === null ? getOrCreate(totalsOfAll, view, count) : count();
}

export function conjunction(parts: readonly (RawBuilder<unknown> | null)[]): RawBuilder<unknown> | null {
  const conditions = parts.filter((part) => part !== null);
  return conditions.length === 0 ? null : sql`(${sql.join(conditions, sql` and `)})`;
}

/**
 * The rows after the cursor. As in PostgreSQL, nulls come last in ascending and first in descending order. If no key
 * can be null and all have the same direction, a row comparison can use an index.
 */
function afterCursor(order: readonly Order[], values: readonly (string | null)[]): RawBuilder<unknown> {
  const isUniform = order.every(({ descending, nullable }) => !nullable && descending === order[0]?.descending);
  if (isUniform) {
    const columns = sql.join(order.map(({ expression }) => expression));
    return sql`(${columns}) ${sql.raw(order[0]?.descending ? '<' : '>')} (${sql.join([...values])})`;
  }
  const alternatives = order.map((key, index) => {
    const equal = order
      .slice(0, index)
      .map(({ expression }, earlier) => sql`${expression} is not distinct from ${values[earlier] ?? null}`);
    return sql`(${sql.join([...equal, isAfter(key, values[index] ?? null)], sql` and `)})`;
  });
  return sql`(${sql.join(alternatives, sql` or `)})`;
}

function isAfter({ expression, descending }: Order, value: string | null): RawBuilder<unknown> {
  if (descending) return value === null ? sql`${expression} is not null` : sql`${expression} < ${value}`;
  return value === null ? sql`false` : sql`(${expression} > ${value} or ${expression} is null)`;
}
