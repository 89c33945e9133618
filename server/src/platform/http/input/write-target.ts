import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { Route } from './call.ts';

export interface ReadRoutes {
  /** Reads the resource that the write changes. */
  readonly target: Route | null;
  /** Reads the resource that the write returns, by its id as the last parameter of the path. */
  readonly answer: Route | null;
}

/**
 * Finds the routes that read the resources of a write: the read at the same path, or for an action below a resource
 * (`/subscriptions/:id/renew`) the read of that resource.
 */
export function findReadRoutes(routes: readonly Route[]): (endpoint: Endpoint) => ReadRoutes {
  const reads = new Map<string, Route>();
  for (const route of routes) {
    const { method, path, answer } = route.endpoint;
    if (method === 'GET' && (answer.kind === 'resource' || answer.kind === 'object')) reads.set(path, route);
  }
  const targetOf = (path: string) => reads.get(path) ?? reads.get(path.slice(0, path.lastIndexOf('/'))) ?? null;
  return (endpoint) => {
    if (endpoint.method === 'GET') return { target: null, answer: null };
    return { target: targetOf(endpoint.path), answer: [...reads.values()].find(isReadOfAnswer(endpoint)) ?? null };
  };
}

/** Whether a route reads the same resource by its id, with path parameters that the write has too. */
function isReadOfAnswer({ answer, params = {} }: Endpoint): (read: Route) => boolean {
  return ({ endpoint: read }) => {
    if (answer.kind !== 'resource' || read.answer.kind !== 'resource') return false;
    const names = Object.keys(read.params ?? {});
    const idParam = names.at(-1);
    return (
      read.answer.resource === answer.resource &&
      idParam !== undefined &&
      read.params?.[idParam] === answer.resource.prefix &&
      names.slice(0, -1).every((name) => name in params)
    );
  };
}
