import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import { type Resource, fieldKind } from '@foyer/contract/conventions/resource.ts';
import type { ProviderCapabilities } from '@foyer/contract/resources/providers/service-provider.ts';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { CalendarDate } from '../time/calendar-date.ts';
import type { Uuid } from '../identity/identifier.ts';
import type { Static, TObject, TProperties } from 'typebox';

/** How a resource is read: its SQL, and how a row is serialized. */
export interface View<Row extends { id: string } = { id: string }> {
  readonly resource: Resource;
  readonly table: string;
  /** The from clause with its joins, and the selected columns. */
  readonly from: RawBuilder<unknown>;
  readonly select: RawBuilder<unknown>;
  /** The SQL of each sortable or searchable member. */
  readonly expressions: Readonly<Record<string, RawBuilder<unknown>>>;
  /** The SQL that sorts by members that are computed on output. They cannot be searched. */
  readonly orders: Readonly<Record<string, RawBuilder<unknown>>>;
  /** The SQL of members that depend on the current day; overrides `expressions`. */
  readonly expressionsOn: ((today: CalendarDate) => Readonly<Record<string, RawBuilder<unknown>>>) | null;
  /** For members that refer to several resources: which rows have an identifier with that prefix. */
  readonly holdersOfPrefix: Readonly<Record<string, (prefix: string) => RawBuilder<unknown>>>;
  /** All values of text members with few values, so that a search for part of a value can use the index. */
  readonly allValues: Readonly<Record<string, readonly string[]>>;
  /** Makes every order total, and is the default order. */
  readonly key: { readonly expression: RawBuilder<unknown>; readonly descending: boolean };
  /** The members that differ from the column of their name; `printRow` adds the others. */
  readonly transform: (row: Row, reader: Reader) => Record<string, unknown>;
  /** Prepares a whole batch of rows before they are printed (decrypts, for instance). */
  readonly hydrate: ((rows: Row[], reader: Reader) => Promise<void>) | null;
  /** The same in all copies of a view; relations and tenant scopes are declared for it. */
  readonly identity: symbol;
}

/** Which rows of a view a user may read. Without a scope, users read no rows of a resource that needs a permission. */
export interface TenantScope {
  readonly view: View<never>;
  readonly condition: (userId: Uuid) => RawBuilder<unknown>;
}

/** A relationship that `include` can follow. Later modules declare relations of the views of earlier ones. */
export interface NamedRelation {
  readonly view: View<never>;
  readonly name: string;
  readonly relation: Relation;
}

/** The relations and tenant scopes of all modules. */
export interface ViewIndex {
  relation(view: View<never>, name: string): Relation | null;
  scope(view: View<never>): TenantScope['condition'] | null;
}

/** The context for printing resources: who reads them, the time, the language, and what printing needs besides. */
export interface Reader {
  readonly db: Kysely<never>;
  readonly nowMs: number;
  /** The calendar day of the system's time zone. */
  readonly today: CalendarDate;
  readonly locale: string;
  readonly publicUrl: string;
  /** Decrypts a stored secret. */
  readonly openSecret: (sealed: string, context: string) => Promise<string>;
  /** A signed link to the path, which needs no bearer token. */
  readonly signPlaybackLink: (path: string) => { readonly url: string; readonly expires_at: string };
  /** The signed addresses of pictures on these media servers, which need no bearer token. */
  readonly imageAddresses: (db: Reader['db'], providerIds: readonly Uuid[]) => Promise<ImageAddress>;
  /** The capabilities of the provider type, and its printed properties. */
  readonly describeProvider: (
    type: string,
    properties: Readonly<Record<string, unknown>>,
  ) => { readonly properties: Record<string, unknown>; readonly capabilities: ProviderCapabilities };
  readonly views: ViewIndex;
  readonly may: (permission: PermissionName) => boolean;
  /** The user whose memberships limit the visible rows; null for other principals. */
  readonly userId: Uuid | null;
}

/** Returns null if the media server cannot be used. */
export type ImageAddress = (
  video: { readonly providerId: Uuid; readonly roomId: Uuid; readonly videoId: Uuid },
  name: string,
) => string | null;

/** The connection of a long answer. */
export interface ReadSnapshot {
  readonly db: Kysely<never>;
  close(): Promise<void>;
}

export interface Relation {
  readonly view: View;
  readonly many: boolean;
  /** Reads the related rows of a batch of parents, at most `limit` of them, in one statement. */
  readonly load: (reader: Reader, parents: readonly Record<string, unknown>[], limit: number) => Promise<RelatedRows>;
}

/** Parent id to its related rows. */
export type RelatedRows = Map<string, { id: string }[]>;

type CommonMember = 'object' | 'id' | 'uuid' | 'ulid' | 'readable_created_at' | 'readable_updated_at';

/** The members that equal the column of their name. PostgreSQL's decimals arrive as text. */
type ColumnMember<Members, Row> = {
  [Name in keyof Members & keyof Row]: [Row[Name]] extends [Members[Name]]
    ? Name
    : [Members[Name], Row[Name]] extends [number, string]
      ? Name
      : never;
}[keyof Members & keyof Row];

type Optional<Members, Name> = Omit<Members, Name & PropertyKey> & Partial<Pick<Members, Name & keyof Members>>;

type Transformed<Fields extends TProperties, Row> = Optional<
  Static<TObject<Fields>>,
  CommonMember | ColumnMember<Static<TObject<Fields>>, Row>
>;

type Transform<Members, Row> = (row: Row, reader: Reader) => Members;

/** A view without special members needs no `transform`. */
export type ViewDefinition<Fields extends TProperties, Row extends { id: string }> = ViewOptions<Fields, Row> &
  (Record<never, never> extends Transformed<Fields, Row>
    ? { readonly transform?: Transform<Transformed<Fields, Row>, Row> }
    : { readonly transform: Transform<Transformed<Fields, Row>, Row> });

interface ViewOptions<Fields extends TProperties, Row extends { id: string }> {
  readonly resource: Resource<Fields>;
  readonly table: string;
  readonly from?: RawBuilder<unknown>;
  readonly select?: RawBuilder<unknown>;
  readonly expressions?: Readonly<Record<string, RawBuilder<unknown>>>;
  readonly orders?: View['orders'];
  readonly expressionsOn?: View['expressionsOn'];
  readonly holdersOfPrefix?: View['holdersOfPrefix'];
  readonly allValues?: View['allValues'];
  readonly key?: View['key'];
  readonly hydrate?: (rows: Row[], reader: Reader) => Promise<void>;
}

export function defineView<Fields extends TProperties, Row extends { id: string }>(
  definition: ViewDefinition<Fields, Row>,
): View<Row> {
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
    allValues: definition.allValues ?? {},
    // Keys grow with time, so the newest rows come first.
    key: definition.key ?? { expression: sql.ref(`${table}.id`), descending: true },
    transform: definition.transform ?? (() => ({})),
    hydrate: definition.hydrate ?? null,
    identity: Symbol(resource.object),
  };
}

/** The view with the expressions of that day. */
export function viewOn(view: View<never>, today: CalendarDate): View<never> {
  if (view.expressionsOn === null) return view;
  return Object.assign({}, view, { expressions: Object.assign({}, view.expressions, view.expressionsOn(today)) });
}

/** The rows of the view that the reader may see; null for all of them. */
export function tenantScopeOf(
  view: View<never>,
  { userId, views }: Pick<Reader, 'userId' | 'views'>,
): RawBuilder<unknown> | null {
  if (userId === null) return null;
  const condition = views.scope(view);
  if (condition) return condition(userId);
  // A resource without a permission is limited by the list that shows it.
  return view.resource.readPermission === null ? null : sql`false`;
}
