import type { Static, TObject, TProperties } from 'typebox';
import type { ErrorCode } from './error-codes.ts';
import type { IdentifierPrefix } from './identifier-prefixes.ts';
import type { MembershipLevel, Right } from './rights.ts';
import type { PermissionName } from './permissions.ts';
import type { Resource, ResourceObject } from './resource.ts';

/** One operation of the API. Guard, parser, serializer, reference, SDK and console are read off it. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `/api/v1`; parameters as `:name`. */
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Who may call. Required: nothing is open by forgetting. */
  readonly access: Access;
  /** Answers also to administrators who must set up a second factor before they do anything else. */
  readonly beforeEnrollment?: boolean;
  /** The identifiers in the path, each with its prefix, or with several where it may name one of several rows. */
  readonly params?: Readonly<Record<string, PathParam>>;
  readonly query?: TObject;
  readonly body?: TObject;
  /** Members of the body that only administrators may give. */
  readonly reserved?: readonly string[];
  /** Members of the body that only administrators give, and users whose right comes from a customer above. */
  readonly reservedFromAbove?: readonly string[];
  /** Also read from `application/x-www-form-urlencoded`. */
  readonly form?: boolean;
  /** The member of the body that a whole body of `text/csv` stands for. */
  readonly csvMember?: string;
  /** The body is a file of one of these media types, instead of JSON. */
  readonly file?: readonly string[];
  /** Bytes that the body may have, where that is more than the mebibyte that others may have. */
  readonly bodyLimit?: number;
  /** Errors carry the members of RFC 6749, too, and are 400 where others are 422. */
  readonly oauth?: boolean;
  /** Also counted per address and name: a password, secret or token could be guessed here. */
  readonly limit?: 'login';
  /** Only with a token of an interactive sign-in on this platform that has all scopes. */
  readonly ownHand?: true;
  /** Pages of other origins may not call it, even from origins that customers allow. */
  readonly sameOrigin?: true;
  /** Answers at the root, too: `/oauth/token` beside `/api/v1/oauth/token`. */
  readonly atRoot?: boolean;
  /** Members of the body that never change after creation: 422 only when given and different. */
  readonly immutable?: TObject;
  readonly answer: Answer;
  /** Asks a service provider while it acts, for which no transaction may wait. */
  readonly asksProvider?: boolean;
  /** Checks a password or a code of the caller, which waits for its turn: no transaction may wait for it. */
  readonly checksSecret?: true;
  /** The refusals of its own, besides those of every endpoint. */
  readonly errors?: readonly ErrorCode[];
}

export type ParamPrefix = IdentifierPrefix | readonly IdentifierPrefix[];

/** A part of a path that is no identifier. */
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
  /** A bearer is looked at when there is one; the handler decides. */
  | { readonly kind: 'open-door' }
  /** Every caller with a valid token of the population. */
  | { readonly kind: 'authenticated'; readonly population: Population | null }
  | { readonly kind: 'permission'; readonly permission: PermissionName; readonly members: MemberAccess | null };

/** Whether everything that a request does may be one transaction, since nothing in it waits. */
export function isOneTransaction({ asksProvider, checksSecret }: Endpoint): boolean {
  return !asksProvider && !checksSecret;
}

/** What lets a user through: a right that a membership gives. */
export interface MemberAccess {
  readonly right: Right;
  /** The thing on which it is asked; null on lists, which show what is in the user's reach. */
  readonly on: { readonly level: RightLevel; readonly member: string } | null;
}

/** What rights are asked on: those of a subscription or webhook are the customer's, those of a meeting, recording or video the room's. */
export type RightLevel = MembershipLevel | 'subscription' | 'webhook' | 'meeting' | 'recording' | 'video';

/** Whether the people of a customer change by it what is in a subscription, and only while that can be used. */
export function needsUsableSubscription({ access, method }: Endpoint): boolean {
  if (method === 'GET' || access.kind !== 'permission' || !access.members?.on) return false;
  const { right, on } = access.members;
  return (on.level === 'account' || on.level === 'room') && !right.startsWith('read-');
}

export type Population = 'admins' | 'users';

export const anyone: Access = { kind: 'public' };
export const openDoor: Access = { kind: 'open-door' };

export function authenticated(population: Population | null = null): Access {
  return { kind: 'authenticated', population };
}

/** Administrators that hold the permission and the reads that it requires; and the users that `users` names. */
export function holders(permission: PermissionName, users: MemberAccess | null = null): Access {
  return { kind: 'permission', permission, members: users };
}

/**
 * Users whose memberships give the right.
 * @param member the parameter of the path, or else the member of the body, that names the thing.
 */
export function members(right: Right): MemberAccess;
export function members(right: Right, level: RightLevel, member: string): MemberAccess;
export function members(right: Right, level?: RightLevel, member?: string): MemberAccess {
  return { right, on: level === undefined || member === undefined ? null : { level, member } };
}

export type Answer =
  | {
      readonly kind: 'resource';
      readonly status: 200 | 201;
      readonly resource: Resource;
      readonly includes?: readonly string[];
      /** What `meta.custom` tells besides. */
      readonly custom?: TObject;
    }
  | { readonly kind: 'list'; readonly status: 200; readonly resource: Resource }
  /** Server-sent events, each of which is the resource. */
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

/** `{data: <object>, meta}`: computed, not stored. */
export function enveloped<Schema extends TObject>(schema: Schema) {
  return { kind: 'object', status: 200, schema, enveloped: true } as const;
}

/** The object as it stands, without an envelope. */
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
