import type { Static, TObject, TProperties } from 'typebox';
import type { ErrorCode } from './error-codes.ts';
import type { IdentifierPrefix } from './identifier-prefixes.ts';
import type { MembershipLevel, Right } from './rights.ts';
import type { PermissionName } from './permissions.ts';
import type { Resource, ResourceObject } from './resource.ts';

/** One operation of the API. Guard, parser, serializer, reference, SDK and console are derived from it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Relative to `/api/v1`, with parameters as `:name`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** The callers that are allowed. Required, so that no endpoint is public by mistake. */
  readonly access: Access;
  /** Also open to administrators who have not set up the second factor that the platform requires. */
  readonly isAllowedWithoutSecondFactor?: boolean;
  /** The identifiers in the path, each with its prefix, or several prefixes if rows of several types are accepted. */
  readonly params?: Readonly<Record<string, PathParam>>;
  readonly query?: TObject;
  readonly body?: TObject;
  /** Members of the body that only administrators can set. */
  readonly adminOnly?: readonly string[];
  /**
   * Members of the body that only administrators and users of a reseller can set: users whose right comes from a
   * membership in a customer above.
   */
  readonly adminOrResellerOnly?: readonly string[];
  /** Whether the body can also be `application/x-www-form-urlencoded`. */
  readonly form?: boolean;
  /** The member that a body of type `text/csv` sets. */
  readonly csvMember?: string;
  /** The body is a file of one of these media types, instead of JSON. */
  readonly file?: readonly string[];
  /** The largest body in bytes; 1 MiB by default. */
  readonly bodyLimit?: number;
  /** Whether errors also have the members of RFC 6749, and status 400 instead of 422. */
  readonly oauth?: boolean;
  /** Also rate-limited per address and name, because passwords, secrets or tokens could be guessed here. */
  readonly rateLimit?: 'login';
  /** Callers need a token of an interactive sign-in on this platform, with all scopes. */
  readonly interactiveSession?: true;
  /** Pages of other origins cannot call it, not even origins that customers allow. */
  readonly sameOrigin?: true;
  /** Whether it also exists without `/api/v1`, such as `/oauth/token` and `/api/v1/oauth/token`. */
  readonly hasUnprefixedPath?: boolean;
  /** Members that never change after creation. Another value is a 422; the same value is accepted. */
  readonly immutable?: TObject;
  readonly answer: Answer;
  /**
   * Whether it sends requests to a service provider. Such an endpoint does not run in one transaction, since a
   * transaction must not wait for a provider.
   */
  readonly asksProvider?: boolean;
  /** Whether it checks a password or a code of the caller. Checks are queued, and a transaction must not wait for them. */
  readonly checksSecret?: true;
  /** Error codes of this endpoint, in addition to those of every endpoint. */
  readonly errors?: readonly ErrorCode[];
}

export type ParamPrefix = IdentifierPrefix | readonly IdentifierPrefix[];

/** A path parameter that is not an identifier. */
export interface TextParam {
  readonly pattern: string;
  readonly description: string;
  readonly example: string;
}

export type PathParam = ParamPrefix | TextParam;

export function isTextParam(param: PathParam): param is TextParam {
  return typeof param === 'object' && 'pattern' in param;
}

export function prefixesOf(param: PathParam): readonly IdentifierPrefix[] {
  if (isTextParam(param)) return [];
  return typeof param === 'string' ? [param] : param;
}

/** The body of an endpoint that takes a file. */
export interface FileBody {
  readonly type: string;
  readonly bytes: Uint8Array;
}

export type Access =
  /** No authentication. */
  | { readonly kind: 'public' }
  /** A token is optional; the handler decides. */
  | { readonly kind: 'optional-token' }
  /** Every caller with a valid token of the population. */
  | { readonly kind: 'authenticated'; readonly population: Population | null }
  | { readonly kind: 'permission'; readonly permission: PermissionName; readonly users: UserRight | null };

/** Whether a request can run in one transaction: it waits neither for a provider nor for the check of a secret. */
export function canRunInOneTransaction({ asksProvider, checksSecret }: Endpoint): boolean {
  return !asksProvider && !checksSecret;
}

/** The right that users need, which a membership gives. */
export interface UserRight {
  readonly right: Right;
  /**
   * The resource on which the right is needed; its id is in the path parameter `idName`, or otherwise in that member of
   * the body. Null for lists, which only show rows that the user's memberships cover.
   */
  readonly target: { readonly level: RightLevel; readonly idName: string } | null;
}

/**
 * The types of resources on which rights are checked. For a subscription or webhook, the rights on its customer apply;
 * for a meeting, recording or video, the rights on its room.
 */
export type RightLevel = MembershipLevel | 'subscription' | 'webhook' | 'meeting' | 'recording' | 'video';

/**
 * Whether the endpoint changes resources of a subscription on behalf of users, which is only possible while the
 * subscription can be used.
 */
export function needsUsableSubscription({ access, method }: Endpoint): boolean {
  if (method === 'GET' || access.kind !== 'permission' || !access.users?.target) return false;
  const { right, target } = access.users;
  return (target.level === 'account' || target.level === 'room') && !right.startsWith('read-');
}

export type Population = 'admins' | 'users';

export const anyone: Access = { kind: 'public' };
export const optionalToken: Access = { kind: 'optional-token' };

export function authenticated(population: Population | null = null): Access {
  return { kind: 'authenticated', population };
}

/**
 * Access of administrators who hold the permission and the read permissions that it requires, and of users with the
 * right `users`.
 */
export function holders(permission: PermissionName, users: UserRight | null = null): Access {
  return { kind: 'permission', permission, users };
}

/**
 * Users whose memberships give the right.
 * @param idName the path parameter, or otherwise the member of the body, with the id of the resource
 */
export function members(right: Right): UserRight;
export function members(right: Right, level: RightLevel, idName: string): UserRight;
export function members(right: Right, level?: RightLevel, idName?: string): UserRight {
  return { right, target: level === undefined || idName === undefined ? null : { level, idName } };
}

export type Answer =
  | {
      readonly kind: 'resource';
      readonly status: 200 | 201;
      readonly resource: Resource;
      readonly includes?: readonly string[];
      /** The members of `meta.custom`. */
      readonly custom?: TObject;
    }
  | { readonly kind: 'list'; readonly status: 200; readonly resource: Resource }
  /** Server-sent events; each has the resource as its data. */
  | { readonly kind: 'event-stream'; readonly status: 200; readonly resource: Resource }
  | {
      readonly kind: 'object';
      readonly status: 200 | 201 | 202;
      readonly schema: TObject;
      readonly enveloped: boolean;
    }
  | { readonly kind: 'empty'; readonly status: 204 };

export function created<R extends Resource>(resource: R) {
  return { kind: 'resource', status: 201, resource } as const;
}

export function single<R extends Resource>(
  resource: R,
  includes?: readonly string[],
): { readonly kind: 'resource'; readonly status: 200; readonly resource: R; readonly includes: readonly string[] };
export function single<R extends Resource, Custom extends TObject>(
  resource: R,
  includes: readonly string[],
  custom: Custom,
): {
  readonly kind: 'resource';
  readonly status: 200;
  readonly resource: R;
  readonly includes: readonly string[];
  readonly custom: Custom;
};
export function single<R extends Resource>(resource: R, includes: readonly string[] = [], custom?: TObject) {
  return { kind: 'resource', status: 200, resource, includes, ...(custom ? { custom } : {}) } as const;
}

export function list<R extends Resource>(resource: R) {
  return { kind: 'list', status: 200, resource } as const;
}

/** `{data: <object>, meta}` for an object that is computed, not stored. */
export function enveloped<Schema extends TObject>(schema: Schema) {
  return { kind: 'object', status: 200, schema, enveloped: true } as const;
}

/** The object without an envelope. */
export function bare<Schema extends TObject>(schema: Schema, status: 200 | 201 | 202 = 200) {
  return { kind: 'object', status, schema, enveloped: false } as const;
}

export const empty = { kind: 'empty', status: 204 } as const;

export function endpoint<const E extends Endpoint>(declaration: E): E {
  return declaration;
}

export type ParamsOf<E extends Endpoint> =
  E['params'] extends Readonly<Record<string, PathParam>>
    ? { [Name in keyof E['params']]: string }
    : Record<never, never>;

export type BodyOf<E extends Endpoint> =
  E['body'] extends TObject<infer Properties extends TProperties>
    ? Static<TObject<Properties>>
    : E['file'] extends readonly string[]
      ? FileBody
      : undefined;

export type QueryOf<E extends Endpoint> =
  E['query'] extends TObject<infer Properties extends TProperties> ? Static<TObject<Properties>> : Record<never, never>;

export interface Meta {
  include: string[];
  custom: [] | { ignored_includes: string[] };
}

export interface Pagination {
  total?: number;
  count: number;
  per_page: number;
  current_page: number;
  total_pages?: number;
  next_cursor: string | null;
  links: { previous: string | null; next: string | null };
}

export type AnswerOf<E extends Endpoint> = E['answer'] extends {
  kind: 'resource';
  resource: infer R extends Resource;
  custom: infer Custom extends TObject;
}
  ? { data: ResourceObject<R>; meta: Omit<Meta, 'custom'> & { custom: Static<Custom> } }
  : E['answer'] extends {
        kind: 'resource';
        resource: infer R extends Resource;
      }
    ? { data: ResourceObject<R>; meta: Meta }
    : E['answer'] extends { kind: 'list'; resource: infer R extends Resource }
      ? { data: ResourceObject<R>[]; meta: Meta & { pagination?: Pagination } }
      : E['answer'] extends {
            kind: 'object';
            schema: infer Schema extends TObject;
            enveloped: infer Wrapped;
          }
        ? Wrapped extends true
          ? { data: Static<Schema>; meta: Meta }
          : Static<Schema>
        : E['answer'] extends { kind: 'event-stream' }
          ? string
          : undefined;
