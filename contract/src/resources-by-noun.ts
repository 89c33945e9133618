import type { Endpoint } from './conventions/endpoint.ts';
import type { Resource } from './conventions/resource.ts';
import { type EndpointName, endpoints } from './index.ts';
import type { NounName } from './resources/nouns.ts';

type Answer = (typeof endpoints)[EndpointName]['answer'];
type AnsweredResource = Extract<Answer, { readonly resource: Resource }>['resource'];

/** The resource type of a noun; `never` if no endpoint returns it. */
export type ResourceOfNoun<Name extends NounName> = Extract<AnsweredResource, { readonly noun: Name }>;

export const resourcesByNoun: ReadonlyMap<string, Resource> = new Map(
  Object.values<Endpoint>(endpoints).flatMap(({ answer }) =>
    'resource' in answer && answer.resource.noun !== null ? [[answer.resource.noun, answer.resource] as const] : [],
  ),
);
