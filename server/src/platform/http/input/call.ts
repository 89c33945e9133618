import type { endpoints, EndpointName } from '@foyer/contract';
import type { BodyOf, Endpoint, ParamsOf, Population } from '@foyer/contract/conventions/endpoint.ts';
import type { TokenKind } from '@foyer/contract/resources/auth/oauth-token.ts';
import type { PermissionName } from '@foyer/contract/conventions/permissions.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RawBuilder } from 'kysely';
import type { Uuid } from '../../identity/identifier.ts';
import type { QueryParameters } from '../../list-query/list-request.ts';
import type { Reader, View } from '../../list-query/view.ts';

/** The owner of the token of a request. */
export interface Principal {
  readonly kind: 'admin' | 'user' | 'client';
  readonly population: Population;
  readonly id: Uuid;
  readonly name: string;
  /** The topmost customer of a user, or one of several. Null for administrators, clients, and users without customers. */
  readonly tenantId: Uuid | null;
  /** Null for a client that acts for itself: `Accept-Language` decides. */
  readonly locale: string | null;
  readonly timezone: string;
  /** Full administrators pass every permission check. */
  readonly isFullAdmin: boolean;
  /** An administrator who must set up a second factor before doing anything else. */
  readonly mustEnroll: boolean;
  readonly permissions: ReadonlySet<PermissionName>;
  readonly scopes: readonly string[];
  readonly familyId: Uuid;
  /** The kind of the token. */
  readonly tokenKind: TokenKind;
  /** The OAuth client that holds the token. */
  readonly clientId: Uuid;
  readonly clientName: string;
}

/** Who makes a change, for events and the audit log. */
export interface Actor {
  readonly type: 'admin' | 'user' | 'client' | 'system' | 'visitor';
  readonly id: Uuid | null;
  readonly name: string | null;
  /** The OAuth client that acts for the actor; null if there is none. */
  readonly clientId: Uuid | null;
  readonly clientName: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
}

/** A request to an endpoint, parsed and authorized. */
export interface Call<E extends Endpoint = Endpoint> {
  readonly params: ParamsOf<E>;
  readonly body: BodyOf<E>;
  /** The immutable members in the body, which must equal the stored ones. */
  readonly immutable: Readonly<Record<string, unknown>>;
  readonly query: QueryParameters;
  /** Null if the endpoint needs no authentication. */
  readonly principal: Principal | null;
  readonly actor: Actor;
  readonly reader: Reader;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Authenticates and authorizes the caller again, for answers that take long. */
  readonly isStillAllowed: () => Promise<boolean>;
}

export type CallOf<Name extends EndpointName> = Call<(typeof endpoints)[Name]>;

/** The body of a request to the endpoint. */
export type InputOf<Name extends EndpointName> = BodyOf<(typeof endpoints)[Name]>;

/** The result of a handler, serialized as the endpoint declares its answer. */
export type Result =
  | {
      readonly kind: 'row';
      readonly view: View<never>;
      readonly row: { id: string };
      readonly custom?: Readonly<Record<string, unknown>>;
    }
  | {
      readonly kind: 'rows';
      readonly view: View<never>;
      readonly scope: RawBuilder<unknown> | null;
    }
  | { readonly kind: 'object'; readonly value: Record<string, unknown> }
  | {
      readonly kind: 'stream';
      readonly contentType: string;
      /** The file name for downloads; null for none. */
      readonly fileName: string | null;
      readonly chunks: AsyncIterable<string>;
    }
  | { readonly kind: 'nothing' };

/** @param custom members of `meta.custom`, as the endpoint declares them */
export function row<Row extends { id: string }>(
  view: View<Row>,
  row: Row,
  custom: Readonly<Record<string, unknown>> = {},
): Result {
  return { kind: 'row', view: view as unknown as View<never>, row, custom };
}

/** The rows of the view within the scope, with order, page, search and includes of the request. */
export function rows<Row extends { id: string }>(view: View<Row>, scope: RawBuilder<unknown> | null = null): Result {
  return { kind: 'rows', view: view as unknown as View<never>, scope };
}

export function value(object: Record<string, unknown>): Result {
  return { kind: 'object', value: object };
}

/** A streamed text of any type, without an entity tag. */
export function stream(
  contentType: string,
  fileName: string | null,
  chunks: AsyncIterable<string>,
): Extract<Result, { kind: 'stream' }> {
  return { kind: 'stream', contentType, fileName, chunks };
}

export const noContent: Result = { kind: 'nothing' };

export interface Route {
  readonly endpoint: Endpoint;
  readonly handle: (call: Call) => Promise<Result> | Result;
}

export function route<const E extends Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<Result> | Result,
): Route {
  return { endpoint, handle: handle as Route['handle'] };
}

/** The route of an endpoint that answers with one row. */
export function rowRoute<const E extends Endpoint, Row extends { id: string }>(
  endpoint: E,
  view: View<Row>,
  act: (call: Call<E>) => Promise<Row>,
): Route {
  return route(endpoint, async (call) => row(view, await act(call)));
}

/** The route of an endpoint that answers without a body. */
export function actionRoute<const E extends Endpoint>(endpoint: E, act: (call: Call<E>) => Promise<unknown>): Route {
  return route(endpoint, async (call) => {
    await act(call);
    return noContent;
  });
}
