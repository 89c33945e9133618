import { type RawBuilder, sql } from 'kysely';
import {
  type NamedRelation,
  type Reader,
  type RelatedRows,
  type Relation,
  type TenantScope,
  tenantScopeOf,
  type View,
  type ViewIndex,
} from './view.ts';

/** @throws when the contract declares no such relationship */
export function relation(view: View<never>, name: string, to: Relation): NamedRelation {
  const declared = view.resource.includes[name];
  if (!declared || declared.many !== to.many) {
    throw new Error(`${view.resource.object} declares no such relationship: ${name}`);
  }
  return { view, name, relation: to };
}

/** @throws when a relationship or a tenant scope is declared twice */
export function createViewIndex(relations: readonly NamedRelation[], scopes: readonly TenantScope[]): ViewIndex {
  const byView = new Map<symbol, Map<string, Relation>>();
  for (const { view, name, relation: to } of relations) {
    const relationsOfView = byView.get(view.identity) ?? new Map<string, Relation>();
    if (relationsOfView.has(name)) throw new Error(`${view.resource.object} has the relationship ${name} twice`);
    byView.set(view.identity, relationsOfView.set(name, to));
  }
  const conditions = new Map<symbol, TenantScope['condition']>();
  for (const { view, condition } of scopes) {
    if (conditions.has(view.identity)) throw new Error(`${view.resource.object} has two tenant scopes`);
    conditions.set(view.identity, condition);
  }
  return {
    relation: (view, name) => byView.get(view.identity)?.get(name) ?? null,
    scope: (view) => conditions.get(view.identity) ?? null,
  };
}

/** The rows of `target` whose `column` refers to the parent. */
export function hasMany(target: View<never>, column: string): Relation {
  return {
    view: target as unknown as View,
    many: true,
    load: async (reader, parents, limit) => {
      const key = sql.ref(`${target.table}.${column}`);
      const rows = await query(
        reader,
        sql`
        select ${target.select}, ${key} as parent_id from ${target.from}
        where ${key} = any(${parents.map((parent) => parent['id'])}::uuid[]) and ${visibleRows(target, reader)}
        limit ${limit}`,
      );
      return groupByParent(rows);
    },
  };
}

/** The row of `target` to which the parent's `column` refers. */
export function belongsTo(target: View<never>, column: string): Relation {
  return {
    view: target as unknown as View,
    many: false,
    load: async (reader, parents, limit) => {
      const keys = [...new Set(parents.map((parent) => parent[column]).filter((key) => key !== null))];
      const rows = await query(
        reader,
        sql`
        select ${target.select} from ${target.from} where ${sql.ref(`${target.table}.id`)} = any(${keys}::uuid[])
        and ${visibleRows(target, reader)} limit ${limit}`,
      );
      const byId = new Map(rows.map((row) => [row.id, row]));
      const related: RelatedRows = new Map();
      for (const parent of parents) {
        const row = byId.get(String(parent[column]));
        if (row) related.set(String(parent['id']), [row]);
      }
      return related;
    },
  };
}

/** The rows of `target` that a join table links to the parent; `where` limits the links. */
export function linked(
  target: View<never>,
  link: {
    table: string;
    parent: string;
    child: string;
    where?: RawBuilder<unknown>;
    many?: boolean;
  },
): Relation {
  return {
    view: target as unknown as View,
    many: link.many ?? true,
    load: async (reader, parents, limit) => {
      const parentKey = sql.ref(`link.${link.parent}`);
      const rows = await query(
        reader,
        sql`
        select ${target.select}, ${parentKey} as parent_id from ${target.from}
        join ${sql.table(link.table)} link on ${sql.ref(`link.${link.child}`)} = ${sql.ref(`${target.table}.id`)}
        where ${parentKey} = any(${parents.map((parent) => parent['id'])}::uuid[]) and ${link.where ?? sql`true`}
          and ${visibleRows(target, reader)}
        limit ${limit}`,
      );
      return groupByParent(rows);
    },
  };
}

function visibleRows(target: View<never>, reader: Reader): RawBuilder<unknown> {
  return tenantScopeOf(target, reader) ?? sql`true`;
}

type RelatedRow = { id: string; parent_id?: string };

async function query(reader: Reader, text: RawBuilder<unknown>): Promise<RelatedRow[]> {
  const { rows } = await text.execute(reader.db);
  return rows as RelatedRow[];
}

/** Sorts in this process, since PostgreSQL would read all rows to sort them, even if the limit is low. */
function groupByParent(rows: RelatedRow[]): RelatedRows {
  const related: RelatedRows = new Map();
  for (const row of rows.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    const parent = String(row.parent_id);
    const group = related.get(parent);
    if (group) group.push(row);
    else related.set(parent, [row]);
  }
  return related;
}
