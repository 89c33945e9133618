import { endpoints } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';

/** The kinds of resources that each endpoint reads: first that of its answer, then those that can be included once. */
export const resourcesRead: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(endpoints).flatMap(([name, { method, answer }]: [string, Endpoint]) => {
    if (method !== 'GET' || !('resource' in answer) || answer.kind === 'event-stream') return [];
    const included = Object.values(answer.resource.includes).flatMap(({ object, many }) => (many ? [] : [object]));
    return [[name, [...new Set([answer.resource.object, ...included])]]];
  }),
);
