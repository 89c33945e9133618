import { created, empty, list, type PathParam, single } from './endpoint.ts';
import type { Resource } from './resource.ts';

type Params = Readonly<Record<string, PathParam>>;

interface CollectionPath<Outer extends Params, Own extends Params> {
  readonly path: string;
  readonly tag: string;
  /** The parameters in the path of the collection. */
  readonly params?: Outer;
  /** The parameters in the path of an element: the same, with its identifier as the last one. */
  readonly elementParams: Own;
}

/** The common part of the endpoints of a collection. Each endpoint adds its summary, access and body. */
export function collection<R extends Resource, const Own extends Params, const Outer extends Params = Readonly<{}>>(
  resource: R,
  { path, tag, params, elementParams }: CollectionPath<Outer, Own>,
) {
  const all = { path, tag, ...(params && { params }) } as { path: string; tag: string; params: Outer };
  const one = { path: `${path}/:${Object.keys(elementParams).at(-1)}`, tag, params: elementParams };
  return {
    list: { ...all, method: 'GET', answer: list(resource) },
    create: { ...all, method: 'POST', answer: created(resource) },
    read: { ...one, method: 'GET', answer: single(resource) },
    update: { ...one, method: 'PATCH', answer: single(resource) },
    delete: { ...one, method: 'DELETE', answer: empty },
  } as const;
}
