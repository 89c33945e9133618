import type { Endpoint } from '@foyer/contract/endpoint.ts';
import type { Route } from './call.ts';

/**
 * Finds what reads the resource that a write changes: the read at the same path, or for an action below a resource
 * (`/subscriptions/:id/renew`) the read of that resource.
 */
export function writeTargets(routes: readonly Route[]): (endpoint: Endpoint) => Route | null {
  const reads = new Map<string, Route>();
  for (const route of routes) {
    const { method, path, answer } = route.endpoint;
    if (method === 'GET' && (answer.kind === 'resource' || answer.kind === 'object')) reads.set(path, route);
  }
  return ({ method, path }) => {
    if (method === 'GET') return null;
    const own = reads.get(path);
    if (own) return own;
    return reads.get(path.slice(0, path.lastIndexOf('/'))) ?? null;
  };
}
