import { endpoints } from '@foyer/contract';
import type { AnswerOf, BodyOf, Endpoint, ParamsOf, QueryOf } from '@foyer/contract/conventions/endpoint.ts';
import type { EventName } from '@foyer/contract/conventions/event-types.ts';
import type { ResourceOfNoun } from '@foyer/contract/resources-by-noun.ts';
import type { ResourceObject } from '@foyer/contract/conventions/resource.ts';
import type { NounName } from '@foyer/contract/resources/nouns.ts';
import type { Query, Route } from './operation.ts';

/**
 * Every operation of the API by its name. The published package contains a generated version of this file, which does
 * not import the contract.
 */
export type Operations = {
  readonly [Name in keyof typeof endpoints]: OperationOf<(typeof endpoints)[Name]>;
};

interface OperationOf<E extends Endpoint> {
  readonly params: ParamsOf<E>;
  readonly body: E extends { readonly file: readonly string[] } ? Blob : BodyOf<E>;
  readonly query: QueryFor<E>;
  readonly answer: AnswerOf<E>;
  readonly isList: E['answer'] extends { kind: 'list' } ? true : false;
  readonly hasCsv: E extends { readonly csv: true } ? true : false;
}

/** The query parameters that an endpoint declares. Lists also have those of `Query`. */
type QueryFor<E extends Endpoint> = E extends { readonly query: object }
  ? (E['answer'] extends { kind: 'list' } ? Query : unknown) & Readonly<QueryOf<E>>
  : Query;

/** The `data` of each event. */
export type EventContents = {
  readonly [Name in EventName]: Name extends `${infer Noun extends NounName}.${string}` ? Contents<Noun> : never;
};

type Contents<Noun extends NounName> = [ResourceOfNoun<Noun>] extends [never]
  ? Record<string, unknown>
  : ResourceObject<ResourceOfNoun<Noun>>;

export const routes = Object.fromEntries(
  Object.entries(endpoints).map(([name, { method, path, hasUnprefixedPath }]: [string, Endpoint]) => [
    name,
    { method, path, ...(hasUnprefixedPath ? { hasUnprefixedPath } : {}) },
  ]),
) as Readonly<Record<keyof Operations, Route>>;
