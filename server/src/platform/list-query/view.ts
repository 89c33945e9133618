import type { PermissionName } from '@foyer/contract/permissions.ts';
import { type Resource, fieldKind } from '@foyer/contract/resource.ts';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CalendarDate } from '../calendar-date.ts';
import type { Uuid } from '../identifier.ts';
import type { Static, TObject, TProperties } from 'typebox';

/** How a resource is read: where its rows come from, how a row is printed, and what can be included. */
export interface View<Row extends { id: string } = { id: string }> {
  readonly resource: Resource;
  readonly table: string;
  /** The from clause with its joins, and what is selected from it. */
  readonly from: RawBuilder<unknown>;
  readonly select: RawBuilder<unknown>;
  /** The SQL behind each sortable or searchable member. */
  readonly expressions: Readonly<Record<string, RawBuilder<unknown>>>;
  /** The SQL that sorts as members do which are made when they are printed. They are not searched. */
  readonly orders: Readonly<Record<string, RawBuilder<unknown>>>;
  /** The SQL behind members that are printed as they are on the day; it takes the place of the above. */
  readonly expressionsOn: ((today: CalendarDate) => Readonly<Record<string, RawBuilder<unknown>>>) | null;
  /** Of members that refer to rows of several resources: which rows print the identifier with that prefix. */
  readonly holdersOfPrefix: Readonly<Record<string, (prefix: string) => RawBuilder<unknown>>>;
  /** What makes every order total, and the order where none is asked for. */
  readonly key: { readonly expression: RawBuilder<unknown>; readonly descending: boolean };
  /** The resource's own members; identity and timestamps are added where it says nothing of them. */
  readonly transform: (row: Row, reader: Reader) => Record<string, unknown>;
  /** Members that it has in common with another resource. */
  readonly shared: ((row: Row, reader: Reader) => Record<string, unknown>) | null;
  /** Prepares a whole batch of rows before they are printed (decrypts, for instance). */
  readonly hydrate: ((rows: Row[], reader: Reader) => Promise<void>) | null;
  readonly relations: Map<string, Relation>;
  /** Which of its rows a user may read; without it users read none of what needs a permission. Set by `restrict`. */
  reach: Reach | null;
}

/** A condition on the rows of a view, for the user. */
export type Reach = (userId: Uuid) => RawBuilder<unknown>;

/** Who reads, when, in which language, and what printing needs besides the row. */
export interface Reader {
  readonly db: Kysely<never>;
  readonly nowMs: number;
  /** The calendar day of the system's time zone. */
  readonly today: CalendarDate;
  readonly locale: string;
  readonly publicUrl: string;
  /** Opens what is encrypted at rest. */
  readonly openSecret: (sealed: string, context: string) => Promise<string>;
  /** A link to the path that is good without a bearer, until then. */
  readonly linkThatEnds: (path: string) => { readonly url: string; readonly expires_at: string };
  readonly may: (permission: PermissionName) => boolean;
  /** The user who reads, whose memberships bound what is read; null for whoever is not bound by any. */
  readonly userId: Uuid | null;
}

/** One connection for everything that a long answer reads. */
export interface ReadSnapshot {
  readonly db: Kysely<never>;
  close(): Promise<void>;
}

export interface Relation {
  readonly view: () => View;
  readonly many: boolean;
  /** Reads the related rows of a batch of parents, at most `limit` of them, in one statement. */
  readonly load: (reader: Reader, parents: readonly Record<string, unknown>[], limit: number) => Promise<RelatedRows>;
}

/** Parent id to its related rows. */
export type RelatedRows = Map<string, { id: string }[]>;

type CommonMember =
  | 'object'
  | 'id'
  | 'uuid'
  | 'ulid'
  | 'created_at'
  | 'updated_at'
  | 'readable_created_at'
  | 'readable_updated_at';

type Own<Members, Given extends PropertyKey> = Omit<Members, Given> & Partial<Pick<Members, Given & keyof Members>>;

export interface ViewDefinition<
  Fields extends TProperties,
  Row extends { id: string },
  Shared extends object = Record<never, never>,
> {
  readonly resource: Resource<Fields>;
  readonly table: string;
  readonly from?: RawBuilder<unknown>;
  readonly select?: RawBuilder<unknown>;
  readonly expressions?: Readonly<Record<string, RawBuilder<unknown>>>;
  readonly orders?: View['orders'];
  readonly expressionsOn?: View['expressionsOn'];
  readonly holdersOfPrefix?: View['holdersOfPrefix'];
  readonly key?: View['key'];
  readonly transform: (row: Row, reader: Reader) => Own<Static<TObject<Fields>>, keyof Shared | CommonMember>;
  readonly shared?: (row: Row, reader: Reader) => Shared;
  readonly hydrate?: (rows: Row[], reader: Reader) => Promise<void>;
}

export function defineView<
  Fields extends TProperties,
  Row extends { id: string },
  Shared extends object = Record<never, never>,
>(definition: ViewDefinition<Fields, Row, Shared>): View<Row> {
  const { resource, table } = definition;
  const expressions: Record<string, RawBuilder<unknown>> = {};
  for (const [name, schema] of Object.entries(resource.fields)) {
    const kind = fieldKind(schema);
    if (kind === null) continue;
    const column = name === 'uuid' || name === 'ulid' ? 'id' : name;
    expressions[name] = definition.expressions?.[name] ?? sql.ref(`${table}.${column}`);
  }
  return {
    resource,
    table,
    from: definition.from ?? sql.table(table),
    select: definition.select ?? sql`${sql.table(table)}.*`,
    expressions,
    orders: definition.orders ?? {},
    expressionsOn: definition.expressionsOn ?? null,
    holdersOfPrefix: definition.holdersOfPrefix ?? {},
    // Keys grow with time: the newest come first.
    key: definition.key ?? { expression: sql.ref(`${table}.id`), descending: true },
    transform: definition.transform,
    shared: (definition.shared ?? null) as View<Row>['shared'],
    hydrate: definition.hydrate ?? null,
    relations: new Map(),
    reach: null,
  };
}

/** The view as it is searched and ordered on that day. */
export function viewOn(view: View<never>, today: CalendarDate): View<never> {
  if (view.expressionsOn === null) return view;
  return Object.assign({}, view, { expressions: Object.assign({}, view.expressions, view.expressionsOn(today)) });
}

/** Bounds what users read of a view. */
export function restrict(view: View<never>, reach: Reach): void {
  view.reach = reach;
}

/** What of the view the reader may see at all; null is everything. */
export function reachOf(view: View<never>, { userId }: Pick<Reader, 'userId'>): RawBuilder<unknown> | null {
  if (userId === null) return null;
  if (view.reach) return view.reach(userId);
  // What needs no permission is bounded by the list that shows it.
  return view.resource.readPermission === null ? null : sql`false`;
}

/** Declares what a view can include. Later modules add relationships to the views of earlier ones. */
export function relate(view: View<never>, name: string, relation: Relation): void {
  const declared = view.resource.includes[name];
  if (!declared || declared.many !== relation.many) {
    throw new Error(`${view.resource.object} declares no such relationship: ${name}`);
  }
  view.relations.set(name, relation);
}

/** Rows of `view` whose `column` refers to the parent. */
export function hasMany(view: () => View<never>, column: string): Relation {
  return {
    view: view as () => View,
    many: true,
    load: async (reader, parents, limit) => {
      const target = view();
      const key = sql.ref(`${target.table}.${column}`);
      const rows = await query(
        reader,
        sql`
        select ${target.select}, ${key} as parent_id from ${target.from}
        where ${key} = any(${parents.map((parent) => parent['id'])}::uuid[]) and ${within(view(), reader)}
        limit ${limit}`,
      );
      return groupByParent(rows);
    },
  };
}

/** The row of `view` to which the parent's `column` refers. */
export function belongsTo(view: () => View<never>, column: string): Relation {
  return {
    view: view as () => View,
    many: false,
    load: async (reader, parents, limit) => {
      const target = view();
      const keys = [...new Set(parents.map((parent) => parent[column]).filter((key) => key !== null))];
      const rows = await query(
        reader,
        sql`
        select ${target.select} from ${target.from} where ${sql.ref(`${target.table}.id`)} = any(${keys}::uuid[])
        and ${within(view(), reader)} limit ${limit}`,
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

/** Rows of `view` that a joining table links to the parent; `where` narrows the links. */
export function linked(
  view: () => View<never>,
  link: {
    table: string;
    parent: string;
    child: string;
    where?: RawBuilder<unknown>;
    many?: boolean;
  },
): Relation {
  return {
    view: view as () => View,
    many: link.many ?? true,
    load: async (reader, parents, limit) => {
      const target = view();
      const parentKey = sql.ref(`link.${link.parent}`);
      const rows = await query(
        reader,
        sql`
        select ${target.select}, ${parentKey} as parent_id from ${target.from}
        join ${sql.table(link.table)} link on ${sql.ref(`link.${link.child}`)} = ${sql.ref(`${target.table}.id`)}
        where ${parentKey} = any(${parents.map((parent) => parent['id'])}::uuid[]) and ${link.where ?? sql`true`}
          and ${within(view(), reader)}
        limit ${limit}`,
      );
      return groupByParent(rows);
    },
  };
}

function within(target: View<never>, reader: Reader): RawBuilder<unknown> {
  return reachOf(target, reader) ?? sql`true`;
}

type RelatedRow = { id: string; parent_id?: string };

async function query(reader: Reader, text: RawBuilder<unknown>): Promise<RelatedRow[]> {
  const { rows } = await text.execute(reader.db);
  return rows as RelatedRow[];
}

/** Sorted here: sorted by PostgreSQL, every row would be read however few are wanted. */
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
