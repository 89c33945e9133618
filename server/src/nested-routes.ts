import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import { sql } from 'kysely';
import type { Dependencies } from './dependencies.ts';
import { type Call, type Route, route, rowRoute, rows, actionRoute } from './platform/http/input/call.ts';
import type { Uuid } from './platform/identity/identifier.ts';
import type { View } from './platform/list-query/view.ts';

type Action<E extends Endpoint, Outcome> = readonly [
  E,
  (dependencies: Dependencies, call: Call<E>) => Promise<Outcome>,
];

/** The resource that contains a collection. */
interface Parent {
  /** The column of the elements that holds the id of the parent. */
  readonly column: string;
  /** @throws 404 */
  readonly require: (db: Dependencies['db'], id: Uuid) => Promise<unknown>;
}

/** A collection inside of a resource, such as the addresses of a customer. */
interface NestedCollection<Row extends { id: string }, C extends Endpoint, U extends Endpoint, D extends Endpoint> {
  readonly parent: Parent;
  readonly view: View<Row>;
  /** @throws 404 */
  readonly require: (db: Dependencies['db'], parentId: Uuid, id: Uuid) => Promise<Row>;
  readonly list: Endpoint;
  readonly read: Endpoint;
  readonly create: Action<C, Row>;
  readonly update: Action<U, Row>;
  readonly delete: Action<D, void>;
}

/** The paths of `list` and `read` name the parent first, then the element. */
export function nestedRoutes<
  Row extends { id: string },
  const C extends Endpoint,
  const U extends Endpoint,
  const D extends Endpoint,
>(dependencies: Dependencies, collection: NestedCollection<Row, C, U, D>): Route[] {
  const { db } = dependencies;
  const { parent, view, list, read } = collection;
  const [create, add] = collection.create;
  const [update, change] = collection.update;
  const [remove, removeElement] = collection.delete;
  return [
    nestedListRoute(dependencies, list, view, parent),
    rowRoute(create, view, (call) => add(dependencies, call)),
    rowRoute(read, view, ({ params }) => collection.require(db, ...idsOf(read, params))),
    rowRoute(update, view, (call) => change(dependencies, call)),
    actionRoute(remove, (call) => removeElement(dependencies, call)),
  ];
}

/** The path of `list` names the parent first. */
export function nestedListRoute<Row extends { id: string }>(
  { db }: Dependencies,
  list: Endpoint,
  view: View<Row>,
  parent: Parent,
): Route {
  return route(list, async ({ params }) => {
    const [parentId] = idsOf(list, params);
    await parent.require(db, parentId);
    return rows(view, sql`${sql.ref(`${view.table}.${parent.column}`)} = ${parentId}`);
  });
}

function idsOf(endpoint: Endpoint, params: object): [Uuid, Uuid] {
  const values = params as Record<string, Uuid>;
  return Object.keys(endpoint.params ?? {}).map((name) => values[name]) as [Uuid, Uuid];
}
