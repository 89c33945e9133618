import { endpoints, type EndpointName } from '@foyer/contract';
import type { Endpoint } from '@foyer/contract/conventions/endpoint.ts';
import type { Resource } from '@foyer/contract/conventions/resource.ts';

/** The contract's declaration of the resource. In its own file, so that nouns load no schemas. */
export function resourceOf({ read }: { readonly read: EndpointName }): Resource {
  const { answer }: Endpoint = endpoints[read];
  if (answer.kind !== 'resource') throw new Error(`${read} does not read a resource`);
  return answer.resource;
}
